//! The stored graph as a [`Lineage`], and the hierarchy as a transaction sees it.

use super::keys::{self, HierarchyKey, decode_level};
use super::lineage::{Lineage, LineageError};
use super::releveled::Moved;
use crate::catalog::{HierarchyDef, SchemaId};
use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::graph::Direction as Sight;
use crate::graph::keys::{AdjacencyKey, Way};
use crate::graph::pending::stored;
use crate::graph::sets;
use crate::graph::view::View;
use crate::keys::KeyRead;
use crate::storage::family::Family;
use crate::storage::range::Direction;
use crate::storage::store::ScanOptions;
use crate::value::{NodeId, RelationshipId};
use roaring::RoaringTreemap;
use std::sync::Arc;

/// How many reads and neighbours one question about a hierarchy may cost; about a gigabyte at most.
pub(super) const READ_LIMIT: u64 = 20_000_000;
/// How much finding out the levels of a whole hierarchy may cost, when it is declared or loaded:
/// everything that is kept for it has to fit into memory once.
pub(crate) const WHOLE_READ_LIMIT: u64 = 200_000_000;

/// The relationships of one hierarchy in a view of the graph.
pub(crate) struct Stored<'v, 'a, K> {
    pub(crate) view: &'v View<'a, K>,
    pub(crate) definition: &'v HierarchyDef,
}

impl<K: KeyRead> Stored<'_, '_, K> {
    fn kin_after(
        &self,
        way: Way,
        near: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<()> {
        let of = self.definition.relationship_type;
        // Most nodes have none one way: a point read says so, and an iterator costs several of them.
        if limit == 0 || self.view.degree(way, near, of)? == 0 {
            return Ok(());
        }
        let family = way.family();
        let mut range = AdjacencyKey::of_type(near, of);
        if let Some(after) = after {
            let last = AdjacencyKey {
                near,
                relationship_type: of,
                far: after,
                relationship: RelationshipId::new(u64::MAX),
            };
            range.start = last.encode().to_vec();
        }
        let mut scan = self.view.keys.scan(family, &range)?;
        while let Some(entry) = scan.next()? {
            let key = AdjacencyKey::decode(entry.key)
                .map_err(|error| Error::record(family.name(), error))?;
            out.push(key.far);
            if out.len() >= limit {
                break;
            }
        }
        Ok(())
    }
}

impl<K: KeyRead> Lineage for Stored<'_, '_, K> {
    type Error = Error;

    fn parents_after(
        &self,
        child: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<()> {
        self.kin_after(Way::In, child, after, limit, out)
    }

    fn children_after(
        &self,
        parent: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<()> {
        self.kin_after(Way::Out, parent, after, limit, out)
    }

    fn is_named(&self, node: NodeId) -> Result<bool> {
        let key = HierarchyKey::Named(self.definition.id, node).encode();
        self.view.keys.contains(Family::Hierarchy, &key)
    }

    fn stored_level(&self, node: NodeId) -> Result<Option<u32>> {
        let key = HierarchyKey::LevelOf(self.definition.id, node).encode();
        stored(self.view.keys, Family::Hierarchy, &key, decode_level)
    }
}

/// What keeps a question about a hierarchy from being answered.
pub(crate) fn failed(definition: &HierarchyDef, error: LineageError<Error>) -> Error {
    match error {
        LineageError::View(error) => error,
        LineageError::LimitReached { limit } => Error::HierarchyTooLarge {
            hierarchy: Arc::clone(&definition.name),
            limit,
        },
        LineageError::Rootless { .. } | LineageError::OneSided { .. } => {
            let what = "hierarchy, whose relationships form a cycle or disagree";
            Error::record(
                Family::Hierarchy.name(),
                CodecError::NotCanonical { what, at: 0 },
            )
        }
    }
}

/// A hierarchy of a transaction's view: levels, roots and members, parents and children.
///
/// ```
/// use stratigraph::{Database, HierarchyOptions, NO_PROPERTIES, Read};
///
/// let db = Database::in_memory()?;
/// db.create_hierarchy(HierarchyOptions::new("outline", "HAS_CHILD").tree())?;
/// let mut txn = db.write()?;
/// let book = txn.create_node(["Section"], [("title", "Moby-Dick")])?;
/// let chapter = txn.create_node(["Section"], [("title", "Loomings")])?;
/// txn.create_relationship(book, "HAS_CHILD", chapter, NO_PROPERTIES)?;
/// let outline = txn.hierarchy("outline")?;
/// assert_eq!(outline.level(chapter)?, Some(1));
/// assert!(outline.roots()?.contains(book.get()));
/// assert!(outline.children(book)?.contains(chapter.get()));
/// assert!(outline.parents(book)?.is_empty());
/// # Ok::<(), stratigraph::Error>(())
/// ```
pub struct Hierarchy<'a, K> {
    view: View<'a, K>,
    definition: Arc<HierarchyDef>,
    /// What the transaction itself has changed.
    moved: Arc<Moved>,
}

impl<'a, K: KeyRead> Hierarchy<'a, K> {
    pub(crate) fn new(view: View<'a, K>, name: &str) -> Result<Self> {
        let definition = view.catalog().hierarchy_named(name).cloned();
        let definition = definition.ok_or_else(|| Error::UnknownName {
            what: "hierarchy",
            name: name.into(),
        })?;
        let releveled = view
            .pending
            .and_then(|pending| pending.releveled(definition.id));
        let moved = match releveled {
            Some(releveled) => {
                let lineage = Stored {
                    view: &view,
                    definition: &definition,
                };
                let moved = releveled.look(&lineage);
                moved.map_err(|error| failed(&definition, error))?
            }
            None => Arc::default(),
        };
        Ok(Self {
            view,
            definition,
            moved,
        })
    }

    /// What is declared.
    #[must_use]
    pub fn definition(&self) -> &HierarchyDef {
        &self.definition
    }

    /// The level of a node, which is its shortest distance from a root; `None` if it is no member.
    ///
    /// # Errors
    /// See [`Read`](crate::Read).
    pub fn level(&self, node: NodeId) -> Result<Option<u32>> {
        match self.moved.now.get(&node) {
            Some(level) => Ok(*level),
            None => self.lineage().stored_level(node),
        }
    }

    /// The members of a level.
    ///
    /// # Errors
    /// See [`Read`](crate::Read).
    pub fn members(&self, level: u32) -> Result<RoaringTreemap> {
        let mut members = RoaringTreemap::new();
        let range = keys::members(self.definition.id, Some(level));
        let mut scan = self.view.keys.scan(Family::Hierarchy, &range)?;
        while let Some(entry) = scan.next()? {
            let damaged = |error| Error::record(Family::Hierarchy.name(), error);
            let key = HierarchyKey::decode(entry.key).map_err(damaged)?;
            let container = sets::decode_container(entry.value).map_err(damaged)?;
            if let HierarchyKey::Members(_, _, high) = key {
                sets::append(&mut members, high, &container)?;
            }
        }
        for (node, now) in &self.moved.now {
            if *now == Some(level) {
                members.insert(node.get());
            } else if self.moved.before.get(node) == Some(&level) {
                members.remove(node.get());
            }
        }
        Ok(members)
    }

    /// The members without a parent.
    ///
    /// # Errors
    /// See [`Read`](crate::Read).
    pub fn roots(&self) -> Result<RoaringTreemap> {
        self.members(0)
    }

    /// The parents of a node, each once.
    ///
    /// # Errors
    /// See [`Read`](crate::Read).
    pub fn parents(&self, node: NodeId) -> Result<RoaringTreemap> {
        self.kin(Sight::Incoming, node)
    }

    /// The children of a node, each once.
    ///
    /// # Errors
    /// See [`Read`](crate::Read).
    pub fn children(&self, node: NodeId) -> Result<RoaringTreemap> {
        self.kin(Sight::Outgoing, node)
    }

    fn kin(&self, sight: Sight, node: NodeId) -> Result<RoaringTreemap> {
        let types = [self.definition.relationship_type];
        let neighbours = self.view.neighbours(node, sight, Some(&types))?;
        neighbours.map(|found| Ok(found?.node.get())).collect()
    }

    /// How many levels there are: one more than the level of the deepest member.
    ///
    /// # Errors
    /// See [`Read`](crate::Read).
    pub fn depth(&self) -> Result<u32> {
        let mut deepest = self.deepest_stored()?;
        // What the transaction has moved may have emptied the deepest stored levels.
        while let Some(level) = deepest
            && !self.moved.now.is_empty()
            && self.members(level)?.is_empty()
        {
            deepest = level.checked_sub(1);
        }
        let changed = self.moved.now.values().flatten().max().copied();
        Ok(deepest.max(changed).map_or(0, |level| level + 1))
    }

    fn deepest_stored(&self) -> Result<Option<u32>> {
        let options = ScanOptions {
            direction: Direction::Backward,
            ..ScanOptions::default()
        };
        let range = keys::members(self.definition.id, None);
        let mut scan = self
            .view
            .keys
            .scan_with(Family::Hierarchy, &range, options)?;
        let Some(entry) = scan.next()? else {
            return Ok(None);
        };
        match HierarchyKey::decode(entry.key) {
            Ok(HierarchyKey::Members(_, level, _)) => Ok(Some(level)),
            Ok(_) => Ok(None),
            Err(error) => Err(Error::record(Family::Hierarchy.name(), error)),
        }
    }

    /// How many members there are.
    ///
    /// # Errors
    /// See [`Read`](crate::Read).
    pub fn member_count(&self) -> Result<u64> {
        let counter = crate::catalog::Counter::Members(self.definition.id);
        let gone = self
            .moved
            .before
            .keys()
            .filter(|node| self.moved.now[*node].is_none());
        let come = self
            .moved
            .now
            .iter()
            .filter(|(node, level)| level.is_some() && !self.moved.before.contains_key(*node));
        Ok(self.view.count(counter)? + come.count() as u64 - gone.count() as u64)
    }

    fn lineage(&self) -> Stored<'_, 'a, K> {
        Stored {
            view: &self.view,
            definition: &self.definition,
        }
    }

    /// The hierarchy's number.
    #[must_use]
    pub fn id(&self) -> SchemaId {
        self.definition.id
    }
}
