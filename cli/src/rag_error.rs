//! Why a verb of documents gave no answer: what taking them in, finding, answering and measuring may refuse.

use crate::failure::Failure;
use stratigraph_models::ModelError;
use stratigraph_rag::build::{BuildError, TablesError};
use stratigraph_rag::door::DoorError;
use stratigraph_rag::extract::ExtractError;
use stratigraph_rag::read::ReadError;

/// What the verbs of documents refuse.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RagError {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Door(DoorError),
    #[error(transparent)]
    Extract(#[from] ExtractError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Tables(TablesError),
    #[error("{0}")]
    Request(String),
}

impl From<DoorError> for RagError {
    fn from(error: DoorError) -> Self {
        match error {
            DoorError::Build(error) => Self::Build(error),
            DoorError::Extract(error) => Self::Extract(error),
            DoorError::Tables(error) => Self::Tables(error),
            error => Self::Door(error),
        }
    }
}

impl From<RagError> for Failure {
    fn from(error: RagError) -> Self {
        match error {
            RagError::Build(BuildError::Database(error))
            | RagError::Tables(TablesError::Build(BuildError::Database(error))) => error.into(),
            RagError::Extract(ExtractError::Cancelled) => stratigraph::Error::Cancelled.into(),
            error => Self::Rag(Box::new(error)),
        }
    }
}
