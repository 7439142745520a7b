//! A pipeline and a question with what the settings say of them: one reader for `rag.retrieve`, its kin, and `rag.ask`.

use stratigraph::HostFailure;

use super::failed;
use super::settings::Settings;
use crate::retrieve::{Pipeline, Question};

/// The settings that a question and its pipeline have, whoever is asked.
pub(super) const OF_QUESTIONS: [&str; 4] = ["only", "budget", "most", "exact"];

/// What is asked of which pipeline.
pub(super) fn asked(
    pipeline: &str,
    question: &str,
    settings: &Settings<'_>,
) -> Result<(Pipeline, Question), HostFailure> {
    let mut pipeline = Pipeline::of(pipeline).map_err(|error| failed(error.into()))?;
    pipeline.budget = settings.count("budget")?.unwrap_or(pipeline.budget);
    pipeline.most = settings.count("most")?.unwrap_or(pipeline.most);
    let mut question = Question::new(question).map_err(|error| failed(error.into()))?;
    for (name, datum) in settings.metadata("only")? {
        question = question.only(name, datum);
    }
    if settings.truth("exact")? {
        question = question.exact();
    }
    Ok((pipeline, question))
}
