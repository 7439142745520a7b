//! How errors are made, and what all of them can be asked.

use super::Error;
use crate::codec::CodecError;
use crate::graph::Entity;
use std::path::PathBuf;
use std::sync::Arc;

impl Error {
    /// Whether the write may or may not be there after the next open.
    ///
    /// Every other error means that nothing was written.
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
