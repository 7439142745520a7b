//! The face of what judges: a question and passages in, a score for each passage out.
//!
//! A judge reads the question together with each passage, which is slower than comparing vectors and sees more. It is
//! for the few passages that were found, to put the right ones first.

use crate::error::ModelError;

/// What the scores of a judge are made of. Thresholds are for scores of one model, and mean nothing for another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScoreScale {
    /// Any number: the logarithm of the odds that the passage answers the question, as the model gives it.
    Logit,
    /// From 0 to 1, as whoever runs the model makes it.
    Unit,
}

/// Something that says how well passages answer a question.
pub trait Reranker: Send + Sync {
    /// What to call the model. Scores of models with different names must not be compared.
    fn name(&self) -> &str;

    /// How many tokens of a question and a passage are read together, those that the model adds included.
    fn max_tokens(&self) -> usize;

    /// What its scores are made of.
    fn scale(&self) -> ScoreScale;

    /// A finite score for each passage, in the order of the passages; more is better. It depends on the question and
    /// that passage alone.
    ///
    /// # Errors
    ///
    /// When the model cannot compute. No text by itself is an error.
    fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, ModelError>;
}
