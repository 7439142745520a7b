//! What a write transaction must refuse, and what it writes for the levels that its changes moved.

use super::keys::{HierarchyKey, encode_level};
use super::levels::relevel;
use super::lineage::Lineage;
use super::reach::find_path;
use super::stored::{READ_LIMIT, Stored, failed};
use crate::catalog::{Counter, HierarchyDef, SchemaId};
use crate::database::keys::KeyRead;
use crate::error::{Error, Result};
use crate::graph::pending::{Pairs, add, pair, stored};
use crate::graph::sets;
use crate::graph::view::View;
use crate::storage::family::Family;
use crate::storage::plant::{self, Bug};
use crate::value::NodeId;
use roaring::{RoaringBitmap, RoaringTreemap};
use std::collections::BTreeMap;
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
    changed: &RoaringTreemap,
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
    let levels =
        relevel(&lineage, changed, READ_LIMIT).map_err(|error| failed(&definition, error))?;
    let mut moved: BTreeMap<(u32, u64), [RoaringBitmap; 2]> = BTreeMap::new();
    let mut members = 0;
    for (node, now) in levels {
        let before = lineage.stored_level(node)?;
        if before.is_some() && now.is_some() && plant::is(Bug::LevelNotMoved) {
            continue;
        }
        members += i64::from(now.is_some()) - i64::from(before.is_some());
        for (level, side) in [(now, 0), (before, 1)] {
            if let Some(level) = level {
                let sides = moved.entry((level, node.get() >> 16)).or_default();
                // Sixteen bits fit.
                sides[side].insert((node.get() & 0xFFFF) as u32);
            }
        }
        let key = HierarchyKey::LevelOf(hierarchy, node).encode();
        pairs.push(pair(Family::Hierarchy, &key, now.map(encode_level)));
    }
    for ((level, high), [came, went]) in moved {
        let key = HierarchyKey::Members(hierarchy, level, high).encode();
        let container = stored(view.keys, Family::Hierarchy, &key, sets::decode_container)?;
        let mut container = container.unwrap_or_default();
        container -= went;
        container |= came;
        let value = (!container.is_empty()).then(|| sets::encode_container(&mut container));
        pairs.push(pair(Family::Hierarchy, &key, value));
    }
    if members != 0 {
        let counter = Counter::Members(hierarchy);
        let key = counter.key();
        let before = stored(view.keys, Family::Meta, &key, Counter::decode_count)?;
        let after = add(before.unwrap_or_default(), members, Family::Meta, "count")?;
        let value = (after > 0).then(|| Counter::encode_count(after));
        pairs.push(pair(Family::Meta, &key, value));
    }
    Ok(())
}
