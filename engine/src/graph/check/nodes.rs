//! The nodes, walked beside what `out` and `in` say of them.

use super::Examination;
use crate::catalog::{Counter, LabelId, TypeId};
use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::graph::keys::{AdjacencyKey, DegreeKey, Entity, Way, decode_record_key};
use crate::graph::pending::decode_degree;
use crate::graph::record::NodeRecord;
use crate::graph::sets::SetId;
use crate::keys::{KeyRead, Scan};
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use crate::value::NodeId;

/// Progress is told once in so many nodes.
const NODES_PER_STEP: u64 = 8192;

/// One direction's family, walked from node to node.
struct Side<'a> {
    way: Way,
    scan: Scan<'a>,
    /// The key that was read and belongs to a later node.
    ahead: Option<(Vec<u8>, Vec<u8>)>,
}

/// What one direction says of one node.
#[derive(Default)]
struct Seen {
    /// Stored degrees.
    degrees: Vec<(TypeId, u64)>,
    /// Counted relationships.
    counted: Vec<(TypeId, u64)>,
}

impl Examination<'_, '_> {
    pub(super) fn nodes(&mut self, watch: &mut Watch<'_>) -> Result<()> {
        let (keys, next) = (self.view.keys, self.view.state.next.node);
        let mut sides = [Side::new(keys, Way::Out)?, Side::new(keys, Way::In)?];
        let mut scan = keys.scan_with(Family::Nodes, &KeyRange::all(), ScanOptions::once())?;
        let mut done = 0;
        while let Some(entry) = scan.next()? {
            if done % NODES_PER_STEP == 0 {
                watch.step("check nodes", done, self.view.count(Counter::Nodes)?)?;
            }
            done += 1;
            let node = match decode_record_key(entry.key) {
                Ok(number) => NodeId::new(number),
                Err(error) => {
                    self.findings.find(Family::Nodes, error);
                    continue;
                }
            };
            if node.get() >= next {
                let what = format_args!("node {node} is beyond the next free id, {next}");
                self.findings.find(Family::Nodes, what);
            }
            self.nodes.insert(node.get());
            let record = match NodeRecord::decode(entry.value) {
                Ok(record) => record,
                Err(error) => {
                    self.findings
                        .find(Family::Nodes, format_args!("node {node}: {error}"));
                    continue;
                }
            };
            self.add(Counter::Nodes, 1);
            for label in &record.labels {
                if self.view.catalog().labels.name(*label).is_none() {
                    let what = format_args!("node {node} has a label without a name: {label}");
                    self.findings.find(Family::Nodes, what);
                }
                self.add(Counter::Label(*label), 1);
                self.sets
                    .entry(SetId::Label(*label))
                    .or_default()
                    .insert(node.get());
            }
            self.node_facts(Entity::Node(node), &record)?;
            for side in &mut sides {
                self.side(side, Some(node), &record.labels)?;
            }
        }
        for side in &mut sides {
            self.side(side, None, &[])?;
        }
        Ok(())
    }

    /// What one direction says of `node`, and of nodes before it, which are not there. `None` is the
    /// end: nothing may be left.
    fn side(
        &mut self,
        side: &mut Side<'_>,
        node: Option<NodeId>,
        labels: &[LabelId],
    ) -> Result<()> {
        let mut seen = Seen::default();
        let family = side.way.family();
        while let Some((key, value)) = side.next()? {
            let near = match near_of(&key) {
                Ok(near) => near,
                Err(error) => {
                    self.findings.find(family, error);
                    continue;
                }
            };
            if node.is_some_and(|node| near > node) {
                side.ahead = Some((key, value));
                break;
            }
            if node != Some(near) {
                let what = format_args!("there is an entry of node {near}, which is not there");
                self.findings.find(family, what);
                continue;
            }
            if let Err(error) = seen.take(&key, &value) {
                self.findings.find(family, error);
            }
        }
        let Some(node) = node else {
            return Ok(());
        };
        if seen.degrees != seen.counted {
            let what = format_args!(
                "node {node} has degrees {:?} and relationships {:?}",
                seen.degrees, seen.counted
            );
            self.findings.find(family, what);
        }
        for (of, count) in seen.counted {
            match side.way {
                Way::Out => self.seen_out += count,
                Way::In => self.seen_in += count,
            }
            for label in labels {
                match side.way {
                    Way::Out => self.add(Counter::From(*label, of), count),
                    Way::In => self.add(Counter::To(*label, of), count),
                }
            }
            if let Some(hierarchy) = self.view.catalog().hierarchy_of(of) {
                let id = hierarchy.id;
                self.members.entry(id).or_default().insert(node.get());
                if side.way == Way::In {
                    self.children.entry(id).or_default().insert(node.get());
                }
            }
        }
        Ok(())
    }
}

impl<'a> Side<'a> {
    fn new(keys: &'a impl KeyRead, way: Way) -> Result<Self> {
        Ok(Self {
            way,
            scan: keys.scan_with(way.family(), &KeyRange::all(), ScanOptions::once())?,
            ahead: None,
        })
    }

    fn next(&mut self) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        if let Some(ahead) = self.ahead.take() {
            return Ok(Some(ahead));
        }
        let entry = self.scan.next()?;
        Ok(entry.map(|entry| (entry.key.to_vec(), entry.value.to_vec())))
    }
}

impl Seen {
    fn take(&mut self, key: &[u8], value: &[u8]) -> Result<(), CodecError> {
        if key.len() == DegreeKey::BYTES {
            let of = DegreeKey::decode(key)?.relationship_type;
            self.degrees.push((of, decode_degree(value)?));
            return Ok(());
        }
        let of = AdjacencyKey::decode(key)?.relationship_type;
        match self.counted.last_mut() {
            Some((last, count)) if *last == of => *count += 1,
            _ => self.counted.push((of, 1)),
        }
        if value.is_empty() {
            Ok(())
        } else {
            Err(CodecError::Trailing {
                what: "adjacency entry",
                at: 0,
                bytes: value.len(),
            })
        }
    }
}

fn near_of(key: &[u8]) -> Result<NodeId, CodecError> {
    if key.len() == DegreeKey::BYTES {
        Ok(DegreeKey::decode(key)?.near)
    } else {
        Ok(AdjacencyKey::decode(key)?.near)
    }
}

/// A damaged pair of a family, as an error.
pub(super) fn damaged(family: Family, error: CodecError) -> Error {
    Error::record(family.name(), error)
}
