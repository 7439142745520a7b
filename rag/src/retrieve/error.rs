//! Why a question could not be answered.

use stratigraph_models::ModelError;
use thiserror::Error;

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
    /// A question is limited to a property by which chunks cannot be chosen.
    #[error("chunks cannot be chosen by `{name}`: {known}")]
    Filter {
        /// The property.
        name: String,
        /// By which they can.
        known: String,
    },
}
