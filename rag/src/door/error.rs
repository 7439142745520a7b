//! Why nothing went through a door.

use thiserror::Error;

use crate::build::{BuildError, TablesError};
use crate::extract::ExtractError;
use crate::retrieve::RetrieveError;
use crate::routes::RouteError;

/// Why nothing went through a door.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DoorError {
    /// The layers refuse.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Tables cannot be taken in or out.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// A piece could not be read.
    #[error(transparent)]
    Extract(#[from] ExtractError),
    /// A question cannot be asked so.
    #[error(transparent)]
    Retrieve(#[from] RetrieveError),
    /// A query cannot be declared or called.
    #[error(transparent)]
    Route(RouteError),
    /// Nobody has said yet what is made of documents.
    #[error(
        "the database has no layers yet: say once what is made of documents, with `CALL rag.createLayers('structure')` (or bag, tag, triples, hybrid, strata, layered), `stratigraph ingest`, or `layers` in the request"
    )]
    NoLayers,
    /// The layers were made in a way of its own, by a program and not by a recipe.
    #[error(
        "the layers of this database were made by a program of its own, and not by a recipe: take documents in with that program"
    )]
    NoRecipe,
    /// Its vectors are of an embedder that is not here.
    #[error(
        "the vectors of this database are of the embedder {stored}, and this process was started with {given}: start it with --embedder as the database was built"
    )]
    NoEmbedder {
        /// The database's.
        stored: String,
        /// The process's.
        given: String,
    },
    /// The embedder cannot cut texts into tokens.
    #[error(transparent)]
    Embedder(stratigraph_models::ModelError),
    /// Summaries are to be written by a model.
    #[error(
        "summaries are to be written by a model, and this process was started without one: start it with --llm URL --model NAME, or leave `central: false` out, and they are the most central sentences"
    )]
    NoModel,
    /// A summary is a model's, and there is none now.
    #[error(
        "the model {model} has written its summary, which is stale now, and this process was started without one: start it with --llm URL --model NAME, or have the most central sentences put in its place (`central: true`, `stratigraph summarise --central`)"
    )]
    WrittenByModel {
        /// Which model.
        model: String,
    },
    /// No threshold can be found.
    #[error(transparent)]
    Calibrate(#[from] crate::calibrate::CalibrateError),
    /// Names cannot be compared.
    #[error(transparent)]
    Relations(#[from] crate::relations::RelationError),
    /// What was asked makes no sense.
    #[error("{what} {problem}")]
    Request {
        /// Which part of it.
        what: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// An error with what is behind it, as one line. What it says of that itself is not told twice.
#[must_use]
pub fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let behind = std::iter::successors(error.source(), |cause| cause.source());
    behind.fold(error.to_string(), |text, cause| {
        let cause = cause.to_string();
        match text.contains(&cause) {
            true => text,
            false => format!("{text}: {cause}"),
        }
    })
}

impl DoorError {
    pub(super) fn request(what: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Request {
            what: what.into(),
            problem: problem.into(),
        }
    }
}

impl From<stratigraph::Error> for DoorError {
    fn from(error: stratigraph::Error) -> Self {
        Self::Build(error.into())
    }
}

impl From<RouteError> for DoorError {
    fn from(error: RouteError) -> Self {
        match error {
            RouteError::Database(error) => error.into(),
            error => Self::Route(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Cost;
    use stratigraph_models::ModelError;

    #[test]
    fn what_is_behind_an_error_is_told_once() {
        let extract = |source| ExtractError::Model {
            about: "an answer".to_owned(),
            prompt: "answer/en/1".to_owned(),
            cost: Cost::default(),
            source: Box::new(source),
        };
        let hidden = DoorError::Extract(extract(ModelError::NothingRecorded));
        assert_eq!(
            causes(&hidden),
            "an answer: the model gives nothing for the prompt answer/en/1: there is no recorded reply to this request"
        );
        // This one says what is behind it itself, and not what is behind that.
        let unreadable = ModelError::Unreadable {
            path: "a.bin".into(),
            source: std::io::Error::other("the disk is gone"),
        };
        let said = DoorError::Retrieve(RetrieveError::Embedder(unreadable));
        assert_eq!(
            causes(&said),
            "the question has no vector: cannot read a.bin, a file of the model: the disk is gone"
        );
    }
}
