//! Nodes or relationships: what is scanned, and what an index is on.
//!
//! Next: `graph.rs`.

use crate::graph::Entity;
use crate::value::{NodeId, NodeValue, RelationshipId, RelationshipValue, Value};

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Nodes,
    Relationships,
}

impl Kind {
    /// The one with that number.
    pub(crate) fn entity(self, number: u64) -> Entity {
        match self {
            Self::Nodes => Entity::Node(NodeId::new(number)),
            Self::Relationships => Entity::Relationship(RelationshipId::new(number)),
        }
    }

    /// The same as a value.
    pub(crate) fn value(self, number: u64) -> Value {
        match self {
            Self::Nodes => Value::Node(NodeValue::of(NodeId::new(number))),
            Self::Relationships => {
                Value::Relationship(RelationshipValue::of(RelationshipId::new(number)))
            }
        }
    }

    /// The number of a value of that kind.
    pub(crate) fn number(self, value: &Value) -> Option<u64> {
        match (self, value) {
            (Self::Nodes, Value::Node(node)) => Some(node.id().get()),
            (Self::Relationships, Value::Relationship(of)) => Some(of.id().get()),
            _ => None,
        }
    }
}
