//! What operators share that have a model read the question: bounds, what is told of it, and how lists become one.

use serde::Serialize;

use super::{Fusion, Item, RetrieveError, fuse};
use crate::extract::model::QuestionReader;
use crate::extract::{Cost, ExtractError};

/// What a model was paid for reading a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// Its name; nothing if nobody was asked.
    pub model: Option<String>,
    /// How often it was asked.
    pub calls: u64,
    /// How many replies were there already.
    pub kept: u64,
    /// The tokens that it read.
    pub input_tokens: u64,
    /// The tokens that it wrote.
    pub output_tokens: u64,
    /// How much of what it wrote was not taken: empty, said before, or more than was asked for.
    pub dropped: u64,
}

/// How much less a rank counts than the one before it, if nothing is said: the paper's.
pub(super) fn usual_constant() -> f32 {
    60.0
}

/// What a model makes of the question, and what it was paid; nothing at all if there is nobody to ask.
pub(super) fn asked<T>(
    reader: Option<&QuestionReader>,
    ask: impl FnOnce(&QuestionReader) -> Result<(Vec<T>, Cost), ExtractError>,
) -> Result<(Vec<T>, Spent), RetrieveError> {
    let Some(reader) = reader else {
        return Ok((Vec::new(), Spent::default()));
    };
    let (written, cost) = ask(reader).map_err(|error| unread(reader, &error))?;
    Ok((written, Spent::of(reader, cost)))
}

impl Spent {
    fn of(reader: &QuestionReader, cost: Cost) -> Self {
        Self {
            model: Some(reader.model().to_owned()),
            calls: cost.calls,
            kept: cost.kept,
            input_tokens: cost.usage.input_tokens,
            output_tokens: cost.usage.output_tokens,
            dropped: cost.dropped,
        }
    }
}

/// Whether a model can be asked for so many, and ranks can be fused with this constant.
pub(super) fn check(operator: &'static str, n: usize, constant: f32) -> Result<(), RetrieveError> {
    let most = QuestionReader::MOST;
    let refused = |reason| Err(RetrieveError::Setting { operator, reason });
    if !(1..=most).contains(&n) {
        return refused(format!("`n` is {n}, and can be from 1 to {most}"));
    }
    match constant.is_finite() && constant >= 0.0 {
        true => Ok(()),
        false => refused(format!("`constant` is {constant}, and can be from 0 on")),
    }
}

fn unread(reader: &QuestionReader, error: &ExtractError) -> RetrieveError {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    let problem = [Some(error.to_string()), cause].into_iter().flatten();
    RetrieveError::Unread {
        model: reader.model().to_owned(),
        problem: problem.collect::<Vec<_>>().join(": "),
    }
}

/// One list by the ranks in all of them.
pub(super) fn fused(lists: Vec<Vec<Item>>, constant: f32) -> Vec<Item> {
    let lists = lists.into_iter().map(|list| (list, 1.0)).collect();
    fuse(Fusion::ReciprocalRank { constant }, lists)
}

/// A model that replies so, one after the other.
#[cfg(test)]
pub(super) fn recorded(replies: &[&str]) -> QuestionReader {
    use crate::extract::{Calls, MemoryCache};
    use std::sync::Arc;

    let model = stratigraph_models::Recorded::in_order(replies.iter().copied());
    let cache = Arc::new(MemoryCache::default());
    QuestionReader::new(Calls::new(Arc::new(model), cache))
}
