//! How errors are made, and what all of them can be asked.

use super::{Error, ErrorKind};
use crate::codec::CodecError;
use crate::graph::Entity;
use std::path::PathBuf;
use std::sync::Arc;

impl Error {
    /// Whether the write may or may not be there after the next open.
    ///
    /// Every other error means that nothing was written, but for [`PartlyCommitted`](Self::PartlyCommitted).
    #[must_use]
    pub fn outcome_is_unknown(&self) -> bool {
        matches!(self, Self::OutcomeUnknown { .. })
    }

    /// An I/O error with the file and what was tried.
    pub(crate) fn io(
        operation: &'static str,
        path: impl Into<PathBuf>,
        source: std::io::Error,
    ) -> Self {
        Self::Io {
            operation,
            path: path.into(),
            source: Arc::new(source),
        }
    }

    /// Damage in a file of ours.
    pub(crate) fn corruption(path: impl Into<PathBuf>, what: impl std::fmt::Display) -> Self {
        Self::Corruption {
            path: path.into(),
            what: what.to_string(),
        }
    }

    /// Whether what is in the graph already refuses something that is declared.
    pub(crate) fn is_of_what_is_there(&self) -> bool {
        matches!(
            self,
            Self::ConstraintViolation(_)
                | Self::IndexedValueTooLong { .. }
                | Self::NotIndexable { .. }
        )
    }

    /// The same, where a statement has committed some portions before it. None of it may look as if nothing had been
    /// done, or as if all of it could be tried again.
    pub(crate) fn after_portions(self, portions: u64) -> Self {
        match self {
            error if portions == 0 => error,
            Self::Query(error) => Self::Query(Box::new(error.after_portions(portions))),
            // They say already that a look is needed, or are no reason for another try.
            error @ (Self::Cancelled | Self::OutcomeUnknown { .. } | Self::Bug { .. }) => error,
            error if error.kind() == ErrorKind::Corrupt => error,
            error => Self::PartlyCommitted {
                portions,
                source: Box::new(error),
            },
        }
    }

    /// A rule of our own was broken.
    pub(crate) fn bug(what: &'static str) -> Self {
        Self::Bug { what }
    }

    /// There is no such node or relationship.
    pub(crate) fn entity_not_found(entity: Entity) -> Self {
        match entity {
            Entity::Node(node) => Self::NodeNotFound { node },
            Entity::Relationship(relationship) => Self::RelationshipNotFound { relationship },
        }
    }

    /// A record that does not decode.
    pub(crate) fn record(family: &'static str, source: CodecError) -> Self {
        Self::Record { family, source }
    }
}
