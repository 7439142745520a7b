//! From levels that changed to the members of levels: which containers of ids are written anew.
//!
//! A transaction, a bulk load and a declaration all work out levels node by node; here they become
//! the sets that `Hierarchy::members` reads.

use super::keys::HierarchyKey;
use crate::catalog::SchemaId;
use crate::error::{Error, Result};
use crate::graph::sets;
use crate::keys::KeyRead;
use crate::storage::family::Family;
use crate::value::NodeId;
use roaring::RoaringBitmap;
use std::collections::BTreeMap;

/// Nodes that came to levels and went from them.
#[derive(Default)]
pub(crate) struct LevelMoves {
    /// By level and by all but the last sixteen bits of the ids.
    moved: BTreeMap<(u32, u64), Moved>,
    members: i64,
}

#[derive(Default)]
struct Moved {
    came: RoaringBitmap,
    went: RoaringBitmap,
}

/// A container of a level as it is stored and as it will be; nothing is an empty one.
pub(crate) struct Rewritten {
    pub(crate) key: Vec<u8>,
    pub(crate) before: Option<Vec<u8>>,
    pub(crate) after: Option<Vec<u8>>,
}

impl LevelMoves {
    /// Notes the level of a node before and now.
    pub(crate) fn note(&mut self, node: NodeId, before: Option<u32>, now: Option<u32>) {
        let (high, low) = sets::split(node.get());
        if let Some(level) = now {
            let moved = self.moved.entry((level, high)).or_default();
            moved.came.insert(low);
        }
        if let Some(level) = before {
            let moved = self.moved.entry((level, high)).or_default();
            moved.went.insert(low);
        }
        self.members += i64::from(now.is_some()) - i64::from(before.is_some());
    }

    /// How many members more there are now.
    pub(crate) fn members(&self) -> i64 {
        self.members
    }

    /// Every container that differs, in the order of the keys.
    pub(crate) fn rewrite(
        self,
        hierarchy: SchemaId,
        keys: &impl KeyRead,
    ) -> impl Iterator<Item = Result<Rewritten>> {
        self.moved.into_iter().map(move |((level, high), moved)| {
            let key = HierarchyKey::Members(hierarchy, level, high).encode();
            let before = keys.get(Family::Hierarchy, &key)?;
            let container = before.as_deref().map(sets::decode_container).transpose();
            let container =
                container.map_err(|error| Error::record(Family::Hierarchy.name(), error))?;
            let mut container = container.unwrap_or_default();
            container -= moved.went;
            container |= moved.came;
            let after = (!container.is_empty()).then(|| sets::encode_container(&mut container));
            Ok(Rewritten { key, before, after })
        })
    }
}
