//! What a write transaction must refuse, and what it writes for the levels that its changes moved.

use super::keys::{HierarchyKey, encode_level};
use super::lineage::Lineage;
use super::moves::{LevelMoves, Rewritten};
use super::reach::find_path;
use super::releveled::Releveled;
use super::stored::{READ_LIMIT, Stored, failed};
use crate::catalog::{Counter, HierarchyDef, SchemaId};
use crate::error::{Error, Result};
use crate::graph::pending::{Pairs, counted, pair};
use crate::graph::view::View;
use crate::keys::KeyRead;
use crate::storage::family::Family;
use crate::storage::plant::{self, Bug};
use crate::value::NodeId;
use std::sync::Arc;

/// Whether `parent` may become a parent of `child`.
pub(crate) fn admit<K: KeyRead>(
    view: &View<'_, K>,
    definition: &HierarchyDef,
    parent: NodeId,
    child: NodeId,
) -> Result<()> {
    let lineage = Stored { view, definition };
    if definition.tree {
        let mut parents = Vec::new();
        lineage.parents_after(child, None, 1, &mut parents)?;
        // A second relationship to the same parent adds no parent.
        if let Some(other) = parents.first().filter(|other| **other != parent) {
            return Err(Error::HierarchyParent {
                hierarchy: Arc::clone(&definition.name),
                child,
                parent: *other,
                refused: parent,
            });
        }
    }
    let way_back = find_path(&lineage, child, parent, READ_LIMIT)
        .map_err(|error| failed(definition, error))?;
    match way_back {
        None => Ok(()),
        Some(cycle) => Err(Error::HierarchyCycle {
            hierarchy: Arc::clone(&definition.name),
            cycle: cycle.into(),
        }),
    }
}

/// The hierarchies to which a node was added by name, with the keys that say so.
pub(crate) fn named_in<K: KeyRead>(
    view: &View<'_, K>,
    node: NodeId,
) -> Result<Vec<(SchemaId, Vec<u8>)>> {
    let mut found = Vec::new();
    for hierarchy in view.catalog().hierarchies() {
        let key = HierarchyKey::Named(hierarchy.id, node).encode();
        if view.keys.contains(Family::Hierarchy, &key)? {
            found.push((hierarchy.id, key));
        }
    }
    Ok(found)
}

/// What to write for the levels that differ after the changes.
pub(crate) fn settle<K: KeyRead>(
    view: &View<'_, K>,
    hierarchy: SchemaId,
    releveled: &Releveled,
    pairs: &mut Pairs,
) -> Result<()> {
    let definition = view.catalog().hierarchies().find(|of| of.id == hierarchy);
    let Some(definition) = definition.cloned() else {
        // It was dropped in the same transaction.
        return Ok(());
    };
    let lineage = Stored {
        view,
        definition: &definition,
    };
    let moved = releveled.look(&lineage);
    let moved = moved.map_err(|error| failed(&definition, error))?;
    let mut moves = LevelMoves::default();
    for (node, now) in &moved.now {
        let (node, now, before) = (*node, *now, moved.before.get(node).copied());
        if before == now {
            continue;
        }
        if before.is_some() && now.is_some() && plant::is(Bug::LevelNotMoved) {
            continue;
        }
        moves.note(node, before, now);
        let key = HierarchyKey::LevelOf(hierarchy, node).encode();
        pairs.push(pair(Family::Hierarchy, &key, now.map(encode_level)));
    }
    pairs.extend(counted(
        view.keys,
        Counter::Members(hierarchy),
        moves.members(),
    )?);
    for container in moves.rewrite(hierarchy, view.keys) {
        let Rewritten { key, after, .. } = container?;
        pairs.push(pair(Family::Hierarchy, &key, after));
    }
    Ok(())
}
