//! What can be declared, as its builders say it: a file each, over the [`Head`] that they share.
//!
//! They only collect; how that comes into the catalogue is in `declare.rs`.

/// The calls that set what is in a [`Head`], with the words of whoever has one: what is left as it is differs.
macro_rules! head {
    ($(#[$named:meta])* named $(#[$if_missing:meta])* if_missing) => {
        $(#[$named])*
        pub fn named(mut self, name: impl Into<String>) -> Self {
            self.head.name = Some(name.into());
            self
        }

        $(#[$if_missing])*
        pub fn if_missing(mut self) -> Self {
            self.head.if_missing = true;
            self
        }
    };
}

mod constraint;
mod hierarchy;
mod index;
mod text;
mod vector;

pub use constraint::{Constraint, ConstraintOn};
pub use hierarchy::HierarchyOptions;
pub use index::Index;
pub use text::TextIndex;
pub use vector::VectorIndex;

use crate::catalog::Scope;
use crate::error::Result;
use crate::graph::WriteTxn;

/// What a declaration is on.
#[derive(Clone, Debug)]
enum On {
    Nodes(String),
    Relationships(String),
    AnyNode,
    AnyRelationship,
}

/// What every declaration on nodes or on relationships has, whatever else it says. A hierarchy has none: it is on a
/// type only, and its name is no choice.
#[derive(Clone, Debug)]
pub(super) struct Head {
    on: On,
    name: Option<String>,
    if_missing: bool,
}

impl Head {
    fn nodes(label: impl Into<String>) -> Self {
        Self::on(On::Nodes(label.into()))
    }

    fn relationships(relationship_type: impl Into<String>) -> Self {
        Self::on(On::Relationships(relationship_type.into()))
    }

    fn any_node() -> Self {
        Self::on(On::AnyNode)
    }

    fn any_relationship() -> Self {
        Self::on(On::AnyRelationship)
    }

    fn on(on: On) -> Self {
        Self {
            on,
            name: None,
            if_missing: false,
        }
    }

    /// What it is on, by the number of the label or type, which gets one if it has none yet.
    pub(super) fn scope(&self, txn: &mut WriteTxn) -> Result<Scope> {
        match &self.on {
            On::Nodes(label) => txn.scope_of_label(label),
            On::Relationships(of) => txn.scope_of_type(of),
            On::AnyNode => Ok(Scope::AnyNode),
            On::AnyRelationship => Ok(Scope::AnyRelationship),
        }
    }

    /// What it is on, as a word for names that are made.
    pub(super) fn word(&self) -> &str {
        match &self.on {
            On::Nodes(word) | On::Relationships(word) => word,
            On::AnyNode => "node",
            On::AnyRelationship => "relationship",
        }
    }

    /// The name that was asked for.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether this is the name that was asked for.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name() == Some(name)
    }

    /// Whether what is there already is fine.
    pub(super) fn is_if_missing(&self) -> bool {
        self.if_missing
    }
}
