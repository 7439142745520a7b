//! Declaring a hierarchy over relationships that are there already, and members by name.
//!
//! Its levels go in as a bulk load, since there may be more of them than a transaction holds; the
//! declaration is the load's last commit, so that both become visible together.

use super::unknown;
use super::wanted::HierarchyOptions;
use crate::catalog::{Catalog, Change, Counter, GraphState, HierarchyDef};
use crate::codec::CodecError;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::graph::hierarchy::keys::{HierarchyKey, encode_level};
use crate::graph::hierarchy::{
    LevelMoves, Rewritten, Stored, WHOLE_READ_LIMIT, failed, find_cycle, relevel,
};
use crate::graph::keys::DegreeKey;
use crate::graph::pending::decode_degree;
use crate::graph::record::RelationshipRecord;
use crate::graph::sets::SetId;
use crate::graph::{Direction, Read as _, WriteTxn, view};
use crate::keys::{KeyBulkLoad, KeyRead};
use crate::storage::batch::Batch;
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::value::NodeId;
use roaring::RoaringTreemap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A type has few relationships if all are so many times as many.
const FEW: u64 = 8;
/// So many relationships are read from one word to the watch to the next.
const READS_PER_STEP: u64 = 4096;
/// The step, as a watch is told of it.
const READ: &str = "read the relationships";

impl Database {
    /// Declares that relationships of a type lead from parent to child: from now on the database
    /// refuses cycles and keeps the level of every member.
    ///
    /// # Errors
    /// [`Error::AlreadyDeclared`]; [`Error::HierarchyCycle`] or [`Error::HierarchyParent`] if the
    /// relationships that are there already do not form one.
    pub fn create_hierarchy(&self, hierarchy: HierarchyOptions) -> Result<()> {
        self.create_hierarchy_watched(hierarchy, &mut Watch::quiet())
    }

    /// The same, with progress, and cancellable.
    ///
    /// # Errors
    /// As [`create_hierarchy`](Self::create_hierarchy), and [`Error::Cancelled`].
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a description is used up by what it describes"
    )]
    pub fn create_hierarchy_watched(
        &self,
        hierarchy: HierarchyOptions,
        watch: &mut Watch<'_>,
    ) -> Result<()> {
        watch.step(READ, 0, 0)?;
        let mut txn = self.write()?;
        let Some(declared) = txn.declare_hierarchy(&hierarchy)? else {
            return Ok(());
        };
        if txn.relationship_count(Some(&hierarchy.relationship_type))? == 0 {
            txn.change_catalog(&Change::Hierarchy(declared))?;
            txn.commit()?;
            return Ok(());
        }
        // Only the name of the type and the number are kept.
        txn.commit()?;
        let mut load = self.key_bulk_load()?;
        let state = GraphState::clone(&load.base().state);
        // Others may have declared something since the name of the type was committed.
        if hierarchy.is_there(&state.catalog, declared.relationship_type)? {
            return Ok(());
        }
        // The load holds the writer's place, so what is published is what it starts from.
        let read = self.read()?;
        let view = view::of(&read);
        let ends = ends(&view, &declared, watch)?;
        let lineage = Stored {
            view: &view,
            definition: &declared,
        };
        watch.step("look for cycles", 0, 0)?;
        let fail = |error| failed(&declared, error);
        if let Some(cycle) = find_cycle(&lineage, &ends, WHOLE_READ_LIMIT).map_err(fail)? {
            return Err(Error::HierarchyCycle {
                hierarchy: Arc::clone(&declared.name),
                cycle: cycle.into(),
            });
        }
        watch.step("find the levels", 0, 0)?;
        let levels = relevel(&lineage, &ends, WHOLE_READ_LIMIT).map_err(fail)?;
        let count = levels.len() as u64;
        write_levels(&mut load, view.keys, &declared, levels)?;
        let mut last = Batch::new();
        last.put(
            Family::Meta,
            &Counter::Members(declared.id).key(),
            &Counter::encode_count(count),
        );
        let mut catalog = (*state.catalog).clone();
        for (key, value) in catalog.apply(&Change::Hierarchy(declared)) {
            last.put(Family::Meta, &key, &value.unwrap_or_default());
        }
        let state = GraphState {
            catalog: Arc::new(catalog),
            ..state
        };
        load.finish_with(last, Arc::new(state), |_, _| {}, watch)?;
        Ok(())
    }

    /// Drops a hierarchy: its levels and members by name are gone, its relationships stay.
    ///
    /// # Errors
    /// [`Error::UnknownName`].
    pub fn drop_hierarchy(&self, name: &str) -> Result<()> {
        let find = |catalog: &Catalog| {
            let hierarchy = catalog.hierarchy_named(name).map(|of| of.id);
            hierarchy.ok_or_else(|| unknown("hierarchy", name))
        };
        // What is not there waits for no writer.
        find(self.read()?.catalog())?;
        let mut txn = self.write()?;
        let id = find(txn.catalog())?;
        txn.change_catalog(&Change::DropHierarchy(id))?;
        txn.commit()?;
        self.remove_dropped()
    }
}

/// Every end of the hierarchy's relationships; a tree's are refused if a child has two parents.
fn ends<K: KeyRead>(
    view: &view::View<'_, K>,
    definition: &HierarchyDef,
    watch: &mut Watch<'_>,
) -> Result<RoaringTreemap> {
    let of_type = view.count(Counter::Type(definition.relationship_type))?;
    // Walking over everything costs less than a read for each relationship, unless they are few.
    if of_type.saturating_mul(FEW) < view.count(Counter::Relationships)? {
        ends_of_few(view, definition, watch)
    } else {
        ends_of_many(view, definition, watch)
    }
}

/// As [`ends`], from the records of the relationships.
fn ends_of_few<K: KeyRead>(
    view: &view::View<'_, K>,
    definition: &HierarchyDef,
    watch: &mut Watch<'_>,
) -> Result<RoaringTreemap> {
    let mut ends = RoaringTreemap::new();
    let mut children = RoaringTreemap::new();
    let relationships = view.set(SetId::Type(definition.relationship_type))?;
    for (done, id) in (0..).zip(&relationships) {
        if done % READS_PER_STEP == 0 {
            watch.step(READ, done, relationships.len())?;
        }
        let found = view.record(Family::Edges, id, RelationshipRecord::decode_ends)?;
        let found = found.ok_or_else(|| {
            let (what, at) = ("set of a type's relationships", 0);
            Error::record(Family::Labels.name(), CodecError::NotCanonical { what, at })
        })?;
        if !children.insert(found.target.get()) && definition.tree {
            one_parent(view, definition, found.target)?;
        }
        ends.insert(found.source.get());
    }
    Ok(ends | children)
}

/// As [`ends`], from the degrees of all nodes.
fn ends_of_many<K: KeyRead>(
    view: &view::View<'_, K>,
    definition: &HierarchyDef,
    watch: &mut Watch<'_>,
) -> Result<RoaringTreemap> {
    let mut ends = RoaringTreemap::new();
    for family in [Family::Out, Family::In] {
        let damaged = |error: CodecError| Error::record(family.name(), error);
        let mut scan = view.keys.scan(family, &KeyRange::all())?;
        let mut last = None;
        while let Some(entry) = scan.next()? {
            if entry.key.len() != DegreeKey::BYTES {
                continue;
            }
            let key = DegreeKey::decode(entry.key).map_err(damaged)?;
            let next = key.near.get();
            if last != Some(next >> 20) {
                watch.step(READ, next, view.state.next.node)?;
                last = Some(next >> 20);
            }
            if key.relationship_type != definition.relationship_type {
                continue;
            }
            let degree = decode_degree(entry.value).map_err(damaged)?;
            if definition.tree && family == Family::In && degree > 1 {
                one_parent(view, definition, key.near)?;
            }
            ends.insert(next);
        }
    }
    Ok(ends)
}

/// Whether all of a child's relationships come from one parent.
fn one_parent<K: KeyRead>(
    view: &view::View<'_, K>,
    definition: &HierarchyDef,
    child: NodeId,
) -> Result<()> {
    let types = [definition.relationship_type];
    let mut first = None;
    for neighbour in view.neighbours(child, Direction::Incoming, Some(&types))? {
        let refused = neighbour?.node;
        let parent = *first.get_or_insert(refused);
        if parent != refused {
            return Err(Error::HierarchyParent {
                hierarchy: Arc::clone(&definition.name),
                child,
                parent,
                refused,
            });
        }
    }
    Ok(())
}

/// Levels and members, in the order of their keys.
fn write_levels(
    load: &mut KeyBulkLoad,
    keys: &impl KeyRead,
    definition: &HierarchyDef,
    levels: BTreeMap<NodeId, Option<u32>>,
) -> Result<()> {
    let id = definition.id;
    let mut moves = LevelMoves::default();
    for (node, level) in levels {
        moves.note(node, None, level);
        if let Some(level) = level {
            let key = HierarchyKey::LevelOf(id, node).encode();
            load.put(Family::Hierarchy, &key, &encode_level(level))?;
        }
    }
    for container in moves.rewrite(id, keys) {
        let Rewritten { key, after, .. } = container?;
        load.put(Family::Hierarchy, &key, &after.unwrap_or_default())?;
    }
    Ok(())
}

impl WriteTxn {
    /// Adds a node to a hierarchy by name, so that it is a member also without relationships: a root,
    /// as long as it has no parent. One that was added already is fine.
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::NodeNotFound`].
    pub fn add_member(&mut self, hierarchy: &str, node: NodeId) -> Result<()> {
        if !self.contains(node)? {
            return Err(Error::NodeNotFound { node });
        }
        self.name_member(hierarchy, node, true)
    }

    /// Takes back that a node was added by name; it stays a member if it has relationships.
    ///
    /// # Errors
    /// [`Error::UnknownName`].
    pub fn remove_member(&mut self, hierarchy: &str, node: NodeId) -> Result<()> {
        self.name_member(hierarchy, node, false)
    }

    fn name_member(&mut self, hierarchy: &str, node: NodeId, named: bool) -> Result<()> {
        let known = self.catalog().hierarchy_named(hierarchy);
        let id = known.ok_or_else(|| unknown("hierarchy", hierarchy))?.id;
        let key = HierarchyKey::Named(id, node).encode();
        if named {
            self.note_addition();
            self.keys().put(Family::Hierarchy, &key, &[])?;
        } else {
            self.keys().delete(Family::Hierarchy, &key)?;
        }
        self.pending().relevel(id, node.get());
        Ok(())
    }
}
