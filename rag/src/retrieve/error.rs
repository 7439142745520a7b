//! Why a question could not be answered.

use stratigraph_models::ModelError;
use thiserror::Error;

use crate::ingest::System;
use crate::routes::RouteError;

/// Why a question could not be answered.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RetrieveError {
    /// The database refuses.
    #[error(transparent)]
    Database(#[from] stratigraph::Error),
    /// The question has no vector.
    #[error("the question has no vector: {0}")]
    Embedder(#[from] ModelError),
    /// The question has no letter and no digit.
    #[error(
        "the question is empty, as it has no letter and no digit: say in words what you want to know"
    )]
    EmptyQuestion,
    /// The question is longer than any question is.
    #[error(
        "the question has {bytes} bytes, and {most} are read: shorten it, or search for a part of it"
    )]
    LongQuestion {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// A declared query cannot be called.
    #[error(transparent)]
    Route(RouteError),
    /// An operator has a setting that cannot be.
    #[error("`{operator}`: {reason}")]
    Setting {
        /// Which operator.
        operator: &'static str,
        /// What cannot be, and what could.
        reason: String,
    },
    /// A model that judges what was found cannot.
    #[error("the model `{model}` cannot judge what was found: {problem}")]
    Judge {
        /// Which model.
        model: String,
        /// What it says, or what is wrong with what it says.
        problem: String,
    },
    /// A model that reads the question cannot.
    #[error("the model `{model}` cannot read the question: {problem}")]
    Unread {
        /// Which model.
        model: String,
        /// What it says, or what is wrong with what it says.
        problem: String,
    },
    /// A way to retrieve cannot be run.
    #[error("the pipeline cannot be run: {reason}")]
    Pipeline {
        /// What is wrong, and where.
        reason: String,
    },
    /// A stage asks for a layer that the graph was built without.
    #[error(
        "the pipeline `{pipeline}` asks in its stage `{stage}` for a layer that this database has not: a database that `stratigraph ingest --profile {system}` makes, or `rag.createLayers('{system}')`, has it"
    )]
    MissingLayer {
        /// The pipeline.
        pipeline: String,
        /// The stage.
        stage: String,
        /// Whose graph has all that the pipeline asks for.
        system: System,
    },
    /// Nobody ships a preset of that name.
    #[error("there is no preset `{name}`: there are {known}")]
    Preset {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// An operator asks a model, and there is none.
    #[error(
        "`{operator}` asks a model, and this process has none: start it with {flag}, or leave the operator out; a program gives it with `Desk::{given_by}`"
    )]
    NoModel {
        /// Which operator.
        operator: &'static str,
        /// Which flag gives a process one.
        flag: &'static str,
        /// What gives a desk one.
        given_by: &'static str,
    },
    /// An operator runs statements, and nothing was given that does.
    #[error(
        "`route` runs statements, and nothing was given that does: a program gives the snapshot with `Desk::with_statements`"
    )]
    NoStatements,
    /// A question is limited to a property by which chunks cannot be chosen.
    #[error("chunks cannot be chosen by `{name}`: {known}")]
    Filter {
        /// The property.
        name: String,
        /// By which they can.
        known: String,
    },
}

impl RetrieveError {
    /// Whether it is that the graph was built without a layer.
    #[must_use]
    pub fn is_of_a_missing_layer(&self) -> bool {
        matches!(
            self,
            Self::Database(stratigraph::Error::UnknownName { .. })
                | Self::MissingLayer { .. }
                | Self::Route(RouteError::NothingDeclared)
        )
    }
}

impl From<RouteError> for RetrieveError {
    fn from(error: RouteError) -> Self {
        match error {
            RouteError::Database(error) => Self::Database(error),
            RouteError::Embedder(error) => Self::Embedder(error),
            error => Self::Route(error),
        }
    }
}
