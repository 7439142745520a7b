//! Relationships that a pattern has already, and must not have again.
//!
//! Next: `expand.rs`.

use crate::query::expr::Slot;
use crate::value::{RelationshipId, Value};

/// The relationships in some slots.
#[derive(Default)]
pub(super) struct Apart(Vec<RelationshipId>);

impl Apart {
    /// Looks the slots up in another row.
    pub(super) fn fill(&mut self, slots: &[Slot], row: &[Value]) {
        self.0.clear();
        for slot in slots {
            collect(&row[slot.at()], &mut self.0);
        }
        self.0.sort_unstable();
    }

    /// Whether it is one of them.
    pub(super) fn has(&self, relationship: RelationshipId) -> bool {
        self.0.binary_search(&relationship).is_ok()
    }
}

/// The relationships of a value: itself, or those in the list, in order.
pub(super) fn collect(value: &Value, into: &mut Vec<RelationshipId>) {
    match value {
        Value::Relationship(relationship) => into.push(relationship.id()),
        Value::List(list) => list.iter().for_each(|value| collect(value, into)),
        _ => {}
    }
}
