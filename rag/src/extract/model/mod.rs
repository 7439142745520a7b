//! Extraction with a model, as the published systems do it: BAG-RAG's instances and relations ([`Bag`]),
//! EmPULIA's triples with their sources ([`Triples`]), HybridRAG's typed entities and verbs ([`Typed`]),
//! TagRAG's object tags and chains ([`Tags`]); and [`Summaries`] of what is known. [`Relevance`] is asked when
//! somebody has a question, which [`QuestionReader`] puts in other words; [`Answers`] writes what answers it, as [`Writing`] says, and [`Judging`]
//! says how good that is. [`Users`] thinks of people with questions.
//!
//! One way of going through the prompts serves both the run and the dry run: [`Asking`] gives the reply, or,
//! if nobody may be asked, the one that is kept, or none and a guess of what it would cost; [`ByPrompts`] is what
//! a reader says of itself for that. Where much hangs on replies, a model that stands in gives them (`foreseen.rs`).

mod answers;
mod bag;
mod cited;
mod foreseen;
mod judging;
mod question;
mod relevance;
mod summaries;
mod tags;
mod triples;
mod typed;
mod users;
mod writing;

use serde::de::DeserializeOwned;
use serde_json::Value;
use stratigraph_models::ModelError;

use super::calls::Calls;
use super::prompt::{Choice, Filling};
use super::reply::{Checked, Ground};
use super::task::Task;
use super::{
    Cost, Estimate, ExtractError, Extracted, Extractor, Foreseen, Language, Outcome, Reading,
};
use crate::chunk::Measure;

pub use answers::{Answers, Shown, Written};
pub use bag::Bag;
pub use judging::{Alike, AskedBy, Better, Criterion, Judging};
pub use question::{QuestionReader, QuestionTriple};
pub use relevance::Relevance;
pub use summaries::Summaries;
pub use tags::Tags;
pub use triples::Triples;
pub use typed::Typed;
pub use users::{UserQuestion, UserWithTasks, Users};
pub use writing::Writing;

/// Goes through prompts, and knows what that costs or would cost.
struct Asking<'a> {
    calls: &'a Calls,
    about: String,
    language: Language,
    /// How texts are measured if nobody may be asked.
    dry: Option<&'a dyn Measure>,
    cost: Cost,
    estimate: Estimate,
}

impl<'a> Asking<'a> {
    fn new(calls: &'a Calls, about: String, text: &str, dry: Option<&'a dyn Measure>) -> Self {
        Self {
            calls,
            about,
            language: Language::of(text),
            dry,
            cost: Cost::default(),
            estimate: Estimate::default(),
        }
    }

    /// The reply to a prompt; none if nobody may be asked and none is kept.
    fn ask<T: DeserializeOwned>(
        &mut self,
        task: Task,
        fillings: &[Filling],
        choices: &[Choice<'_>],
    ) -> Result<Option<T>, ExtractError> {
        self.ask_of_use(task, fillings, choices, &|_| true)
    }

    /// The same where a reply may fit its schema and be of no use: it is given then, and not kept.
    fn ask_of_use<T: DeserializeOwned>(
        &mut self,
        task: Task,
        fillings: &[Filling],
        choices: &[Choice<'_>],
        is_of_use: &dyn Fn(&Value) -> bool,
    ) -> Result<Option<T>, ExtractError> {
        let prompt = task.prompt(self.language);
        let question = self.calls.question(&prompt, fillings, choices)?;
        let value = match self.dry {
            None => {
                let answer = self.calls.ask(&question, &self.about, is_of_use);
                let answer = answer.map_err(|error| error.after(self.cost))?;
                self.cost += answer.cost;
                answer.value
            }
            Some(measure) => match self.calls.kept(&question)? {
                Some(value) if is_of_use(&value) => {
                    self.estimate.kept += 1;
                    value
                }
                _ => {
                    let texts = fillings
                        .iter()
                        .map(|filling| measure.ends(filling.text()).len());
                    let longest = texts.max().unwrap_or_default() as u64;
                    let reply = reply_tokens(task, longest);
                    self.estimate += self.calls.estimate(&question, measure, reply);
                    return Ok(None);
                }
            },
        };
        self.read(value, &prompt.id()).map(Some)
    }

    fn read<T: DeserializeOwned>(&self, value: Value, prompt: &str) -> Result<T, ExtractError> {
        serde_json::from_value(value).map_err(|error| ExtractError::Model {
            about: self.about.clone(),
            prompt: prompt.to_owned(),
            cost: self.cost,
            source: Box::new(ModelError::BadReply {
                tries: 1,
                problem: error.to_string(),
            }),
        })
    }

    /// A guess of what a prompt would cost so many times whose texts depend on a reply that is not there.
    fn guess(
        &mut self,
        task: Task,
        places: &[&'static str],
        text: &str,
        choices: &[Choice<'_>],
        times: u64,
    ) -> Result<(), ExtractError> {
        let Some(measure) = self.dry else {
            return Ok(());
        };
        let fillings: Vec<Filling> = places
            .iter()
            .map(|place| Filling::new(place, text))
            .collect();
        let prompt = task.prompt(self.language);
        let question = self.calls.question(&prompt, &fillings, choices)?;
        let reply = reply_tokens(task, measure.ends(text).len() as u64);
        self.estimate += self.calls.estimate(&question, measure, reply).times(times);
        Ok(())
    }

    /// What all of it came to.
    fn finish(self, checked: Checked<'_>) -> Ended {
        let (extracted, dropped) = checked.finish();
        let mut cost = self.cost;
        cost.dropped += dropped;
        Ended {
            outcome: Outcome {
                extracted,
                cost,
                ..Outcome::default()
            },
            estimate: self.estimate,
        }
    }
}

/// What reads a piece by going through prompts.
trait ByPrompts: Send + Sync {
    /// Who is asked.
    fn calls(&self) -> &Calls;

    /// What its results depend on: [`Extractor::version`].
    fn edition(&self) -> &str;

    /// Whether it reads a piece along with the one before: [`Extractor::carries`].
    fn reads_on(&self) -> bool {
        false
    }

    /// Asks one prompt after the other and keeps what the replies say, as far as there are any.
    fn go_through(
        &self,
        reading: &Reading<'_>,
        asking: &mut Asking<'_>,
        checked: &mut Checked<'_>,
    ) -> Result<(), ExtractError>;
}

/// All that go through prompts are extractors, and their run and their dry run take the same way.
impl<R: ByPrompts> Extractor for R {
    fn version(&self) -> &str {
        self.edition()
    }

    fn carries(&self) -> bool {
        self.reads_on()
    }

    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError> {
        Ok(read(self, reading, None)?.outcome)
    }

    fn estimate(
        &self,
        reading: &Reading<'_>,
        measure: &dyn Measure,
    ) -> Result<Foreseen, ExtractError> {
        Ok(read(self, reading, Some(measure))?.foreseen())
    }
}

/// Goes through all prompts of a reader; with a measure, without asking anybody.
fn read(
    reader: &impl ByPrompts,
    reading: &Reading<'_>,
    dry: Option<&dyn Measure>,
) -> Result<Ended, ExtractError> {
    let mut asking = Asking::new(reader.calls(), reading.shown(), reading.text(), dry);
    let ground = ground(reading);
    let mut checked = Checked::new(&ground);
    reader.go_through(reading, &mut asking, &mut checked)?;
    Ok(asking.finish(checked))
}

/// How a way through the prompts ended.
struct Ended {
    outcome: Outcome,
    estimate: Estimate,
}

impl Ended {
    /// What is known without asking.
    fn foreseen(self) -> Foreseen {
        let whole = self.estimate.calls == 0;
        Foreseen {
            estimate: self.estimate,
            extracted: whole.then_some(self.outcome.extracted),
            ..Foreseen::default()
        }
    }
}

/// How many tokens a reply has, by those of the text it is about: a guess, on the high side.
fn reply_tokens(task: Task, text: u64) -> u64 {
    let (tenths, least) = match task {
        Task::BagEntities | Task::ObjectTags => (8, 60),
        Task::BagRelations | Task::TypedTriples => (7, 60),
        Task::Triples => (15, 60),
        Task::Condense => (5, 30),
        Task::TagChain => (0, 150),
        Task::EntitySummary => (3, 100),
        Task::DomainSummary => (2, 300),
        Task::Relevance => (0, 100),
        Task::Answer | Task::Direct => (0, 600),
        Task::Wordings | Task::QuestionTriples | Task::AskedBy | Task::Alike => (0, 200),
        Task::Statements => (12, 60),
        Task::BorneOut => (0, 150),
        Task::Better => (0, 300),
        Task::Users | Task::UserQuestions => (0, 600),
    };
    least + text * tenths / 10
}

/// The place of a piece, as prompts are told.
fn place(reading: &Reading<'_>) -> String {
    reading.titles().join(" > ")
}

/// What the names of a piece may be from: its text, its titles, and what it carries.
fn ground(reading: &Reading<'_>) -> Ground {
    let before = reading.before();
    let names = before.into_iter().flat_map(|before| &before.entities);
    let names: Vec<&str> = names.map(|entity| entity.name.as_str()).collect();
    let texts = [reading.text(), reading.carried().unwrap_or_default()];
    Ground::of(texts.into_iter().chain(reading.titles()).chain(names))
}

/// Facts of the piece before, one a line, the last ones.
fn known(before: Option<&Extracted>) -> String {
    const MOST: usize = 30;
    let triples = before.map_or(&[][..], |before| &before.triples);
    let last = &triples[triples.len().saturating_sub(MOST)..];
    let lines = last.iter().map(|triple| {
        format!(
            "{} | {} | {}",
            triple.subject, triple.predicate, triple.object
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Refuses lists that a reply could not choose from.
fn not_empty(setting: &'static str, values: &[String]) -> Result<(), ExtractError> {
    let problem = "has to have at least one value, and none that is empty";
    match values.is_empty() || values.iter().any(|value| value.trim().is_empty()) {
        true => Err(ExtractError::Setting { setting, problem }),
        false => Ok(()),
    }
}

#[cfg(test)]
pub(crate) mod hostile;
#[cfg(test)]
mod tests;
