//! Hierarchies that a load adds to: what they refuse, and the levels that differ afterwards.
//!
//! The load's relationships of such a type are kept in memory, up to a limit, and together with the
//! stored ones they are one [`Lineage`]. A second parent is refused when it is added; whether there is
//! a cycle is only known when everything is there.

use crate::catalog::{Catalog, Counter, HierarchyDef, SchemaId};
use crate::error::{Error, Result};
use crate::graph::hierarchy::keys::{HierarchyKey, encode_level};
use crate::graph::hierarchy::{
    LevelMoves, Lineage, Rewritten, Stored, WHOLE_READ_LIMIT, failed, find_cycle, relevel,
};
use crate::graph::view::View;
use crate::keys::{KeyRead, KeyReadTxn, RunStream};
use crate::storage::batch::Batch;
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::value::NodeId;
use roaring::RoaringTreemap;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// About what one relationship of a hierarchy takes in memory, in both directions.
pub(super) const RELATIONSHIP_BYTES: usize = 96;

/// What the load adds to hierarchies.
pub(super) struct LoadedHierarchies {
    /// The first id that no stored node has.
    first_new: u64,
    /// How many relationships are kept.
    limit: u64,
    kept: u64,
    by_id: BTreeMap<SchemaId, Loaded>,
}

#[derive(Default)]
struct Loaded {
    /// Parent and child.
    down: Vec<(u64, u64)>,
    /// Child and parent, once everything is there.
    up: Vec<(u64, u64)>,
    /// Of a tree: the parent of each child of the load.
    parents: HashMap<u64, u64>,
    /// Members by name.
    named: RoaringTreemap,
}

impl LoadedHierarchies {
    pub(super) fn new(first_new: u64, limit: u64) -> Self {
        Self {
            first_new,
            limit,
            kept: 0,
            by_id: BTreeMap::new(),
        }
    }

    /// Whether `parent` may become a parent of `child`, as far as one can tell by now.
    pub(super) fn admit(
        &self,
        view: &View<'_, KeyReadTxn>,
        definition: &HierarchyDef,
        parent: NodeId,
        child: NodeId,
    ) -> Result<()> {
        if self.kept >= self.limit {
            return Err(Error::HierarchyTooLarge {
                hierarchy: Arc::clone(&definition.name),
                limit: self.limit,
            });
        }
        if definition.tree
            && let Some(other) = self.parent_of(view, definition, child)?
            && other != parent
        {
            return Err(Error::HierarchyParent {
                hierarchy: Arc::clone(&definition.name),
                child,
                parent: other,
                refused: parent,
            });
        }
        if parent == child {
            return Err(Error::HierarchyCycle {
                hierarchy: Arc::clone(&definition.name),
                cycle: vec![child].into(),
            });
        }
        Ok(())
    }

    fn parent_of(
        &self,
        view: &View<'_, KeyReadTxn>,
        definition: &HierarchyDef,
        child: NodeId,
    ) -> Result<Option<NodeId>> {
        let loaded = self.by_id.get(&definition.id);
        if let Some(parent) = loaded.and_then(|loaded| loaded.parents.get(&child.get())) {
            return Ok(Some(NodeId::new(*parent)));
        }
        if child.get() >= self.first_new {
            return Ok(None);
        }
        let mut parents = Vec::new();
        let stored = Stored { view, definition };
        stored.parents_after(child, None, 1, &mut parents)?;
        Ok(parents.first().copied())
    }

    /// Adds a relationship that was admitted.
    pub(super) fn add(&mut self, definition: &HierarchyDef, parent: NodeId, child: NodeId) {
        let loaded = self.by_id.entry(definition.id).or_default();
        loaded.down.push((parent.get(), child.get()));
        if definition.tree {
            loaded.parents.insert(child.get(), parent.get());
        }
        self.kept += 1;
    }

    /// Adds a member by name.
    pub(super) fn name(&mut self, hierarchy: SchemaId, node: NodeId) {
        let loaded = self.by_id.entry(hierarchy).or_default();
        loaded.named.insert(node.get());
    }

    /// Refuses cycles, and writes what differs.
    pub(super) fn finish(
        self,
        view: &View<'_, KeyReadTxn>,
        mut stream: RunStream,
        last: &mut Batch,
        counts: &mut HashMap<Counter, u64>,
        watch: &mut Watch<'_>,
    ) -> Result<()> {
        let total = self.by_id.len() as u64;
        for (done, (id, mut loaded)) in self.by_id.into_iter().enumerate() {
            watch.step("check the hierarchies", done as u64, total)?;
            loaded.sort();
            let definition = definition(view.catalog(), id)?;
            let lineage = Union {
                stored: Stored {
                    view,
                    definition: &definition,
                },
                loaded: &loaded,
                first_new: self.first_new,
            };
            let mut writer = Writer {
                lineage,
                stream: &mut stream,
                last,
            };
            let came = writer.write()?;
            *counts.entry(Counter::Members(id)).or_default() += came;
        }
        stream.finish()
    }
}

fn definition(catalog: &Catalog, id: SchemaId) -> Result<Arc<HierarchyDef>> {
    let definition = catalog.hierarchies().find(|of| of.id == id).cloned();
    definition.ok_or_else(|| Error::bug("a hierarchy went away during a load"))
}

impl Loaded {
    fn sort(&mut self) {
        self.parents = HashMap::new();
        self.down.sort_unstable();
        self.down.dedup();
        self.up = self
            .down
            .iter()
            .map(|(parent, child)| (*child, *parent))
            .collect();
        self.up.sort_unstable();
    }

    /// Every node whose parents, first child or membership came with the load.
    fn changed(&self) -> RoaringTreemap {
        let ends = self
            .down
            .iter()
            .flat_map(|(parent, child)| [*parent, *child]);
        let mut changed: RoaringTreemap = ends.collect();
        changed |= &self.named;
        changed
    }
}

/// Stored and loaded relationships together; levels are the stored ones.
struct Union<'v, 'a> {
    stored: Stored<'v, 'a, KeyReadTxn>,
    loaded: &'v Loaded,
    first_new: u64,
}

impl Union<'_, '_> {
    fn is_stored(&self, node: NodeId) -> bool {
        node.get() < self.first_new
    }
}

/// Adds the kin of a node in the load to those stored, which begin at `from`.
fn add_loaded(
    kin: &[(u64, u64)],
    node: NodeId,
    after: Option<NodeId>,
    limit: usize,
    from: usize,
    out: &mut Vec<NodeId>,
) {
    let begin = match after {
        None => (node.get(), 0),
        Some(after) => (node.get(), after.get().saturating_add(1)),
    };
    let first = kin.partition_point(|pair| *pair < begin);
    let of_node = kin.iter().skip(first);
    let of_node = of_node.take_while(|(near, _)| *near == node.get());
    let before = out.len();
    out.extend(of_node.take(limit).map(|(_, far)| NodeId::new(*far)));
    if before > from && out.len() > before {
        // Both are in order, and the first so many of both are among the first so many of each.
        out.get_mut(from..).unwrap_or_default().sort_unstable();
    }
    out.truncate(from + limit);
}

impl Lineage for Union<'_, '_> {
    type Error = Error;

    fn parents_after(
        &self,
        child: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<()> {
        let from = out.len();
        if self.is_stored(child) {
            self.stored.parents_after(child, after, limit, out)?;
        }
        add_loaded(&self.loaded.up, child, after, limit, from, out);
        Ok(())
    }

    fn children_after(
        &self,
        parent: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<()> {
        let from = out.len();
        if self.is_stored(parent) {
            self.stored.children_after(parent, after, limit, out)?;
        }
        add_loaded(&self.loaded.down, parent, after, limit, from, out);
        Ok(())
    }

    fn is_named(&self, node: NodeId) -> Result<bool> {
        Ok(self.loaded.named.contains(node.get())
            || (self.is_stored(node) && self.stored.is_named(node)?))
    }

    fn stored_level(&self, node: NodeId) -> Result<Option<u32>> {
        if self.is_stored(node) {
            self.stored.stored_level(node)
        } else {
            Ok(None)
        }
    }
}

/// Writes one hierarchy, in the order of its keys.
struct Writer<'w, 'v, 'a> {
    lineage: Union<'v, 'a>,
    stream: &'w mut RunStream,
    last: &'w mut Batch,
}

impl Writer<'_, '_, '_> {
    /// Returns how many members came.
    fn write(&mut self) -> Result<u64> {
        let (view, definition) = (self.lineage.stored.view, self.lineage.stored.definition);
        let loaded = self.lineage.loaded;
        let fail = |error| failed(definition, error);
        let children: RoaringTreemap = loaded.up.iter().map(|(child, _)| *child).collect();
        if let Some(cycle) = find_cycle(&self.lineage, &children, WHOLE_READ_LIMIT).map_err(fail)? {
            return Err(Error::HierarchyCycle {
                hierarchy: Arc::clone(&definition.name),
                cycle: cycle.into(),
            });
        }
        let levels = relevel(&self.lineage, &loaded.changed(), WHOLE_READ_LIMIT).map_err(fail)?;
        let id = definition.id;
        let mut moves = LevelMoves::default();
        for (node, now) in levels {
            let before = self.lineage.stored_level(node)?;
            moves.note(node, before, now);
            let Some(now) = now else {
                return Err(Error::bug("a bulk load took a member out of a hierarchy"));
            };
            let key = HierarchyKey::LevelOf(id, node).encode();
            let before = match before {
                Some(_) => view.keys.get(Family::Hierarchy, &key)?,
                None => None,
            };
            self.stream
                .put_over(&key, before.as_deref(), &encode_level(now))?;
        }
        let came = moves.members().unsigned_abs();
        for container in moves.rewrite(id, view.keys) {
            let Rewritten { key, before, after } = container?;
            match after {
                Some(after) => self.stream.put_over(&key, before.as_deref(), &after)?,
                // Runs cannot delete; levels that lost all their members are few.
                None => self.last.delete(Family::Hierarchy, &key),
            }
        }
        for node in &loaded.named {
            let key = HierarchyKey::Named(id, NodeId::new(node)).encode();
            if !view.keys.contains(Family::Hierarchy, &key)? {
                self.stream.put(&key, &[])?;
            }
        }
        Ok(came)
    }
}
