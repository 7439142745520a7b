//! Why a piece was not extracted from.

use super::{CacheError, Cost};
use stratigraph_models::ModelError;
use thiserror::Error;

/// Why a piece was not extracted from.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// A model did not give what it was asked for.
    #[error("{about}: the model gives nothing for the prompt {prompt}")]
    Model {
        /// What it was asked about.
        about: String,
        /// The prompt: name, language and version.
        prompt: String,
        /// What was spent on it: replies that could not be used are paid for as well, and so are those before them.
        cost: Cost,
        /// What went wrong.
        #[source]
        source: Box<ModelError>,
    },
    /// Replies cannot be kept, or those that are kept cannot be read.
    #[error("the replies of models cannot be kept or read")]
    Cache {
        /// What was spent before: a reply that cannot be kept is paid for as well.
        cost: Cost,
        /// What went wrong.
        #[source]
        source: CacheError,
    },
    /// A dictionary has more names than can be looked for at once.
    #[error(
        "{names} known names are more than can be looked for at once ({problem}); give fewer or shorter ones"
    )]
    Dictionary {
        /// How many names there are.
        names: usize,
        /// What the search says.
        problem: String,
    },
    /// A setting of an extractor cannot be used.
    #[error("{setting} {problem}")]
    Setting {
        /// Which one.
        setting: &'static str,
        /// Why not.
        problem: &'static str,
    },
    /// Somebody said that it should stop. What was paid for is kept.
    #[error("extraction was cancelled; replies that came are kept, and are not asked for again")]
    Cancelled,
}

impl ExtractError {
    /// What was spent before it failed.
    #[must_use]
    pub fn cost(&self) -> Cost {
        match self {
            Self::Model { cost, .. } | Self::Cache { cost, .. } => *cost,
            _ => Cost::default(),
        }
    }

    /// The same error, with what was spent before it.
    pub(super) fn after(mut self, spent: Cost) -> Self {
        if let Self::Model { cost, .. } | Self::Cache { cost, .. } = &mut self {
            *cost += spent;
        }
        self
    }
}
