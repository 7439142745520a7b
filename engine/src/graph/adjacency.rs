//! Walking from a node to its neighbours.
//!
//! A node's relationships of one type lie together, sorted by the other end, so reading ten of a
//! million reads ten. Only ids are read here; records are not touched.

use super::keys::{AdjacencyKey, DegreeKey, Way};
use super::pending::decode_degree;
use crate::catalog::{NameId, TypeId};
use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::keys::{KeyRead, Scan};
use crate::storage::range::KeyRange;
use crate::value::{NodeId, RelationshipId};
use roaring::RoaringTreemap;

/// Reading a few entries too many is cheaper than a seek past them.
const STEPS_BEFORE_SEEK: u64 = 16;

/// Which of a node's relationships, and so which way an algorithm follows them. In an undirected
/// [projection](crate::algo::Projection) all three mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// Those that leave it: from source to target.
    #[default]
    Outgoing,
    /// Those that reach it: from target to source.
    Incoming,
    /// Both: either way. Among [`Neighbours`] a relationship of a node with itself comes once.
    Both,
}

impl Direction {
    /// As seen from the other end.
    #[must_use]
    pub fn reverse(self) -> Self {
        match self {
            Self::Outgoing => Self::Incoming,
            Self::Incoming => Self::Outgoing,
            Self::Both => Self::Both,
        }
    }

    /// The one or two ways it stands for, outgoing first.
    pub(crate) fn ways(self) -> &'static [Way] {
        match self {
            Self::Outgoing => &[Way::Out],
            Self::Incoming => &[Way::In],
            Self::Both => &[Way::Out, Way::In],
        }
    }
}

/// A relationship as its node sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    /// The other end.
    pub node: NodeId,
    /// The relationship.
    pub relationship: RelationshipId,
    /// Its type.
    pub relationship_type: TypeId,
    /// Whether it leaves the node or reaches it.
    pub way: Way,
}

/// The relationships of one node: outgoing before incoming, then by type, other end and id.
///
/// ```
/// use stratigraph::{Database, Direction, Read};
///
/// let db = Database::in_memory()?;
/// let mut txn = db.write()?;
/// let (ann, bob) = (txn.create_node(["Person"], [("name", "Ann")])?, txn.create_node(["Person"], [("name", "Bob")])?);
/// txn.create_relationship(ann, "KNOWS", bob, [("since", 2020)])?;
/// for neighbour in txn.neighbours(ann, Direction::Outgoing, Some("KNOWS"))? {
///     assert_eq!(neighbour?.node, bob);
/// }
/// # Ok::<(), stratigraph::Error>(())
/// ```
pub struct Neighbours<'a, K> {
    keys: &'a K,
    near: NodeId,
    /// What is still to be walked, last first.
    ranges: Vec<(Way, KeyRange)>,
    current: Option<(Way, Scan<'a>)>,
    /// Whether an incoming relationship of the node with itself was walked as an outgoing one.
    both: bool,
}

impl<'a, K: KeyRead> Neighbours<'a, K> {
    pub(crate) fn new(
        keys: &'a K,
        near: NodeId,
        direction: Direction,
        types: Option<&[TypeId]>,
    ) -> Result<Self> {
        let mut ranges = Vec::new();
        for way in direction.ways() {
            match types {
                None => ranges.push((*way, AdjacencyKey::of_node(near))),
                Some(types) => {
                    let ranges_of = types.iter().map(|of| AdjacencyKey::of_type(near, *of));
                    ranges.extend(ranges_of.map(|range| (*way, range)));
                }
            }
        }
        ranges.reverse();
        Ok(Self {
            keys,
            near,
            ranges,
            current: None,
            both: direction == Direction::Both,
        })
    }

    /// Those of some types that lead from one node to another.
    pub(crate) fn between(
        keys: &'a K,
        source: NodeId,
        target: NodeId,
        types: impl DoubleEndedIterator<Item = TypeId>,
    ) -> Self {
        let ranges = types
            .rev()
            .map(|of| AdjacencyKey::between(source, of, target));
        Self {
            keys,
            near: source,
            ranges: ranges.map(|range| (Way::Out, range)).collect(),
            current: None,
            both: false,
        }
    }

    /// The next one.
    fn step(&mut self) -> Result<Option<Neighbour>> {
        loop {
            let Some((way, scan)) = &mut self.current else {
                let Some((way, range)) = self.ranges.pop() else {
                    return Ok(None);
                };
                self.current = Some((way, self.keys.scan(way.family(), &range)?));
                continue;
            };
            let Some(entry) = scan.next()? else {
                self.current = None;
                continue;
            };
            let Some(neighbour) = neighbour_of(entry.key, *way)? else {
                continue;
            };
            if self.both && *way == Way::In && neighbour.node == self.near {
                continue;
            }
            return Ok(Some(neighbour));
        }
    }
}

impl<K: KeyRead> Iterator for Neighbours<'_, K> {
    type Item = Result<Neighbour>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

/// The types of a node's relationships, each with how many there are stored. The relationships
/// themselves are stepped over.
pub(crate) fn stored_degrees(
    keys: &impl KeyRead,
    way: Way,
    near: NodeId,
) -> Result<Vec<(TypeId, u64)>> {
    let family = way.family();
    let damaged = |error| Error::record(family.name(), error);
    let mut found: Vec<(TypeId, u64)> = Vec::new();
    let mut scan = keys.scan(family, &AdjacencyKey::of_node(near))?;
    while let Some(entry) = scan.next()? {
        if entry.key.len() != DegreeKey::BYTES {
            continue;
        }
        let key = DegreeKey::decode(entry.key).map_err(damaged)?;
        let degree = decode_degree(entry.value).map_err(damaged)?;
        found.push((key.relationship_type, degree));
        if degree > STEPS_BEFORE_SEEK {
            match key.relationship_type.number().checked_add(1) {
                Some(next) => scan.seek(
                    &DegreeKey {
                        near,
                        relationship_type: TypeId::from_number(next),
                    }
                    .encode(),
                ),
                None => break,
            }
        }
    }
    Ok(found)
}

/// All nodes that are one step away from any of `from`, and how many steps lead there.
pub(crate) fn neighbour_set(
    keys: &impl KeyRead,
    from: &RoaringTreemap,
    way: Way,
    types: Option<&[TypeId]>,
    reached: &mut RoaringTreemap,
) -> Result<u64> {
    let mut walked = 0;
    each_neighbour(keys, from, way, types, |_, far| {
        reached.insert(far.get());
        walked += 1;
    })?;
    Ok(walked)
}

/// The first relationships of each of some nodes, in the order of [`Neighbours`], with a cursor for each way.
pub(crate) fn first_of_each(
    keys: &impl KeyRead,
    nodes: &[NodeId],
    direction: Direction,
    types: Option<&[TypeId]>,
    most: usize,
) -> Result<Vec<Vec<Neighbour>>> {
    let mut found = vec![Vec::new(); nodes.len()];
    for way in direction.ways() {
        let mut scan = keys.scan(way.family(), &KeyRange::all())?;
        for (near, found) in nodes.iter().zip(&mut found) {
            let prefixes = match types {
                None => vec![near.get().to_be_bytes().to_vec()],
                Some(types) => {
                    let of_type = |of: &TypeId| DegreeKey {
                        near: *near,
                        relationship_type: *of,
                    };
                    let keys = types.iter().map(|of| of_type(of).encode().to_vec());
                    keys.collect()
                }
            };
            for prefix in prefixes {
                if found.len() >= most {
                    break;
                }
                scan.seek(&prefix);
                while found.len() < most {
                    let Some(entry) = scan.next()? else { break };
                    if !entry.key.starts_with(&prefix) {
                        break;
                    }
                    let neighbour = neighbour_of(entry.key, *way)?;
                    // In both directions a relationship of a node with itself comes once.
                    let again = |other: &Neighbour| {
                        direction == Direction::Both && *way == Way::In && other.node == *near
                    };
                    found.extend(neighbour.filter(|neighbour| !again(neighbour)));
                }
            }
        }
    }
    Ok(found)
}

/// What an entry of the family says of its node; nothing for the degree before them.
fn neighbour_of(key: &[u8], way: Way) -> Result<Option<Neighbour>> {
    if key.len() == DegreeKey::BYTES {
        return Ok(None);
    }
    let key =
        AdjacencyKey::decode(key).map_err(|error| Error::record(way.family().name(), error))?;
    Ok(Some(Neighbour {
        node: key.far,
        relationship: key.relationship,
        relationship_type: key.relationship_type,
        way,
    }))
}

/// Calls `visit` with both ends of each step away from any of `from`, with one cursor over the whole family.
pub(crate) fn each_neighbour(
    keys: &impl KeyRead,
    from: &RoaringTreemap,
    way: Way,
    types: Option<&[TypeId]>,
    mut visit: impl FnMut(NodeId, NodeId),
) -> Result<()> {
    let family = way.family();
    let mut scan = keys.scan(family, &KeyRange::all())?;
    let mut walk = |near: NodeId, prefix: &[u8]| -> Result<()> {
        scan.seek(prefix);
        while let Some(entry) = scan.next()? {
            let Some(rest) = entry.key.strip_prefix(prefix) else {
                break;
            };
            if entry.key.len() == DegreeKey::BYTES {
                continue;
            }
            let at = AdjacencyKey::BYTES - 16 - prefix.len();
            let far = rest.get(at..at + 8).and_then(|far| far.try_into().ok());
            let far: [u8; 8] = far.ok_or_else(|| {
                let what = "adjacency key";
                Error::record(family.name(), CodecError::NotCanonical { what, at: 12 })
            })?;
            visit(near, NodeId::new(u64::from_be_bytes(far)));
        }
        Ok(())
    };
    for node in from {
        let near = NodeId::new(node);
        match types {
            None => walk(near, &node.to_be_bytes())?,
            Some(types) => {
                for of in types {
                    let relationship_type = *of;
                    walk(
                        near,
                        &DegreeKey {
                            near,
                            relationship_type,
                        }
                        .encode(),
                    )?;
                }
            }
        }
    }
    Ok(())
}
