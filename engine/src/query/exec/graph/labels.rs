//! Which nodes have a label, in parts that are kept while a query runs over a snapshot: a pattern asks the same label of
//! many nodes, and a part of its set answers for tens of thousands of them.
//!
//! Next: `lately.rs`.

use super::Graph;
use crate::catalog::LabelId;
use crate::error::Result;
use crate::value::NodeId;
use roaring::RoaringBitmap;
use std::collections::HashMap;

/// So many parts are kept at most; each takes 8 KiB or less.
const MOST_PARTS: usize = 128;

/// Parts of sets: of a label, the nodes that have all but the last sixteen bits of their ids in common.
#[derive(Default)]
pub(super) struct LabelParts(HashMap<(LabelId, u64), RoaringBitmap>);

impl Graph<'_> {
    /// Whether a node of a snapshot has a label. Where this says no, the node may also not be there, or be of a
    /// transaction: whoever has to know asks the node.
    pub(in crate::query::exec) fn surely_has_label(
        &self,
        node: NodeId,
        label: &str,
    ) -> Result<bool> {
        if !self.is_snapshot() {
            return Ok(false);
        }
        let Some(id) = self.catalog()?.labels.id(label) else {
            return Ok(false);
        };
        let key = (id, node.get() >> 16);
        let low = (node.get() & 0xFFFF) as u32;
        let parts = &mut self.labels.borrow_mut().0;
        if let Some(part) = parts.get(&key) {
            return Ok(part.contains(low));
        }
        if parts.len() >= MOST_PARTS {
            parts.clear();
        }
        let part = self.labelled_part(label, node.get())?;
        let has = part.contains(low);
        parts.insert(key, part);
        Ok(has)
    }
}
