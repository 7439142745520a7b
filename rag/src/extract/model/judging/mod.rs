//! What a model says of answers: what they state and what of that a context bears out, what they answer, whether two are alike,
//! and which of two is better.
//!
//! Every reply is held to its schema; what a schema cannot say, that each criterion has exactly one verdict, is looked at here. A
//! reply of which nothing comes is not kept, so that it is asked for again.
//! A model is told that answers are data, and it never hears which of two is whose.

mod criterion;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use stratigraph_models::ModelError;

use super::super::prompt::{Choice, Filling};
use super::super::reply::{Ground, clean_long_text};
use super::super::task::Task;
use super::super::{Calls, Cost, ExtractError, Language};
use super::Asking;

pub use criterion::Criterion;

/// So many statements are judged in one call.
const AT_ONCE: usize = 32;
/// So many bytes of a context are shown in one call; a longer one is shown in portions.
const PORTION: usize = 24 << 10;
/// The most characters of a statement, a question and a reason.
const LONGEST: usize = 1000;

/// Asks a model about answers.
#[derive(Clone, Debug)]
pub struct Judging {
    calls: Calls,
}

/// What a model guesses was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedBy {
    /// Questions that the text answers.
    pub questions: Vec<String>,
    /// Whether the text evades.
    pub noncommittal: bool,
}

/// How far two answers are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    /// 0, 2 or 4.
    pub rating: u8,
    /// Why.
    pub reason: String,
}

/// Which of two answers is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// The one that was shown first.
    First,
    /// The other.
    Second,
    /// Neither.
    Equal,
}

#[derive(Deserialize)]
struct StatementsReply {
    statements: Vec<String>,
}

#[derive(Deserialize)]
struct BorneOutReply {
    supported: BTreeSet<String>,
}

#[derive(Deserialize)]
struct AskedByReply {
    questions: Vec<String>,
    noncommittal: bool,
}

#[derive(Deserialize)]
struct AlikeReply {
    rating: String,
    reason: String,
}

#[derive(Deserialize)]
struct BetterReply {
    verdicts: Vec<VerdictReply>,
}

#[derive(Deserialize)]
struct VerdictReply {
    criterion: String,
    better: Better,
    reason: String,
}

impl Judging {
    /// Asks in this way.
    #[must_use]
    pub fn new(calls: Calls) -> Self {
        Self { calls }
    }

    /// The name of the model.
    #[must_use]
    pub fn model(&self) -> &str {
        self.calls.model()
    }

    /// What a text says that answers a question, statement by statement, and what it cost.
    ///
    /// # Errors
    /// See [`ExtractError`].
    pub fn statements(
        &self,
        question: &str,
        text: &str,
    ) -> Result<(Vec<String>, Cost), ExtractError> {
        let fillings = [
            Filling::new("question", question),
            Filling::new("text", text),
        ];
        let about = "the statements of an answer";
        let ground = Ground::of([question, text]);
        let says = |reply: &StatementsReply| !told(&reply.statements, &ground).is_empty();
        let (reply, mut cost) =
            self.ask::<StatementsReply>(Task::Statements, about, text, &fillings, &[], &says)?;
        let statements = told(&reply.statements, &ground);
        cost.dropped += (reply.statements.len() - statements.len()) as u64;
        Ok((statements, cost))
    }

    /// Which of these statements a context bears out, and what it cost. A long context is shown in portions, of which any may
    /// bear out a statement.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use stratigraph_models::Recorded;
    /// use stratigraph_rag::extract::model::Judging;
    /// use stratigraph_rag::extract::{Calls, MemoryCache};
    ///
    /// let calls = Calls::new(Arc::new(Recorded::in_order([r#"{"supported": ["2"]}"#])), Arc::new(MemoryCache::default()));
    /// let statements = ["Basalt is white.".to_owned(), "Basalt was lava.".to_owned()];
    /// let (borne_out, _) = Judging::new(calls).borne_out("Lava became basalt.", &statements)?;
    /// assert_eq!(borne_out, [false, true]);
    /// # Ok::<(), stratigraph_rag::extract::ExtractError>(())
    /// ```
    ///
    /// # Errors
    /// See [`ExtractError`].
    pub fn borne_out(
        &self,
        context: &str,
        statements: &[String],
    ) -> Result<(Vec<bool>, Cost), ExtractError> {
        let mut borne_out = vec![false; statements.len()];
        let mut spent = Cost::default();
        for portion in portions(context) {
            let open: Vec<usize> = (0..statements.len())
                .filter(|place| !borne_out[*place])
                .collect();
            for places in open.chunks(AT_ONCE) {
                let numbers: Vec<String> = (1..=places.len()).map(|one| one.to_string()).collect();
                let lines = numbers.iter().zip(places);
                let lines = lines.map(|(number, place)| line(number, &statements[*place]));
                let lines: Vec<String> = lines.collect();
                let fillings = [
                    Filling::new("context", portion),
                    Filling::new("statements", &lines.join("\n")),
                ];
                let choices = [("numbers", numbers.as_slice())];
                let about = "which statements a context bears out";
                let language = lines.first().map_or("", String::as_str);
                let task = Task::BorneOut;
                let any = |_: &BorneOutReply| true;
                let asked =
                    self.ask::<BorneOutReply>(task, about, language, &fillings, &choices, &any);
                let (reply, cost) = asked.map_err(|error| error.after(spent))?;
                spent += cost;
                for (number, place) in numbers.iter().zip(places) {
                    borne_out[*place] |= reply.supported.contains(number);
                }
            }
        }
        Ok((borne_out, spent))
    }

    /// Up to `count` questions that a text answers, and what it cost.
    ///
    /// # Errors
    /// See [`ExtractError`].
    pub fn asked_by(&self, text: &str, count: usize) -> Result<(AskedBy, Cost), ExtractError> {
        let fillings = [Filling::new("text", text)];
        let numbers = [count.to_string()];
        let choices = [("count", numbers.as_slice())];
        let about = "what an answer answers";
        let ground = Ground::of([text]);
        let says = |reply: &AskedByReply| {
            reply.noncommittal || !told(&reply.questions, &ground).is_empty()
        };
        let (reply, cost) =
            self.ask::<AskedByReply>(Task::AskedBy, about, text, &fillings, &choices, &says)?;
        let mut questions = told(&reply.questions, &ground);
        questions.truncate(count);
        let asked = AskedBy {
            questions,
            noncommittal: reply.noncommittal,
        };
        Ok((asked, cost))
    }

    /// How far two answers to a question are alike, and what it cost.
    ///
    /// # Errors
    /// See [`ExtractError`].
    pub fn alike(
        &self,
        question: &str,
        first: &str,
        second: &str,
    ) -> Result<(Alike, Cost), ExtractError> {
        let fillings = two(question, first, second);
        let about = "whether two answers are alike";
        let asked = self.ask::<AlikeReply>(Task::Alike, about, question, &fillings, &[], &|_| true);
        let (reply, cost) = asked?;
        let alike = Alike {
            // The schema has nothing but these three.
            rating: reply.rating.parse().unwrap_or_default(),
            reason: clean(&reply.reason, &Ground::of([first, second])),
        };
        Ok((alike, cost))
    }

    /// Which of two answers is better by each of these criteria, in their order, with the reasons; and what it cost.
    ///
    /// # Errors
    /// See [`ExtractError`]; also where a criterion has no verdict, or several.
    pub fn better(
        &self,
        criteria: &[Criterion],
        question: &str,
        (first, second): (&str, &str),
    ) -> Result<(Vec<(Better, String)>, Cost), ExtractError> {
        let (about, language) = ("which answer is better", Language::of(question));
        let lines = criteria.iter().map(|one| one.line(language));
        let lines: Vec<String> = lines.collect();
        let names = criteria.iter().map(|one| one.name().to_owned());
        let names: Vec<String> = names.collect();
        let mut fillings = two(question, first, second).to_vec();
        fillings.push(Filling::new("criteria", &lines.join("\n")));
        let choices = [("names", names.as_slice())];
        let is_whole = |reply: &BetterReply| verdicts(&names, reply).is_ok();
        let (reply, cost) = self.ask::<BetterReply>(
            Task::Better,
            about,
            question,
            &fillings,
            &choices,
            &is_whole,
        )?;
        let verdicts = verdicts(&names, &reply).map_err(|problem| ExtractError::Model {
            about: about.to_owned(),
            prompt: Task::Better.prompt(language).id(),
            cost,
            source: Box::new(ModelError::BadReply { tries: 1, problem }),
        })?;
        let ground = Ground::of([first, second]);
        let said = verdicts.into_iter();
        let said = said.map(|one| (one.better, clean(&one.reason, &ground)));
        Ok((said.collect(), cost))
    }

    /// The reply, in the language of this text, and what it cost. One that is of no use is given and not kept.
    fn ask<T: DeserializeOwned>(
        &self,
        task: Task,
        about: &str,
        language: &str,
        fillings: &[Filling],
        choices: &[Choice<'_>],
        is_of_use: &dyn Fn(&T) -> bool,
    ) -> Result<(T, Cost), ExtractError> {
        let mut asking = Asking::new(&self.calls, about.to_owned(), language, None);
        let looked_at = |value: &Value| T::deserialize(value).is_ok_and(|reply| is_of_use(&reply));
        let reply = asking.ask_of_use::<T>(task, fillings, choices, &looked_at)?;
        // There is always a reply where somebody may be asked.
        let reply = reply.ok_or_else(|| ExtractError::Model {
            about: about.to_owned(),
            prompt: task.versions(),
            cost: asking.cost,
            source: Box::new(ModelError::NothingRecorded),
        })?;
        Ok((reply, asking.cost))
    }
}

/// By each of these criteria its one verdict, or what is wrong with them.
fn verdicts<'r>(names: &[String], reply: &'r BetterReply) -> Result<Vec<&'r VerdictReply>, String> {
    let verdict = |name: &String| {
        let mut of_it = reply.verdicts.iter().filter(|one| one.criterion == *name);
        match (of_it.next(), of_it.next()) {
            (Some(one), None) => Ok(one),
            (Some(_), Some(_)) => Err(format!("it has several verdicts by `{name}`")),
            (None, _) => Err(format!("it has no verdict by `{name}`")),
        }
    };
    names.iter().map(verdict).collect()
}

/// Those of some texts that say something.
fn told(texts: &[String], ground: &Ground) -> Vec<String> {
    let texts = texts.iter().map(|text| clean(text, ground));
    let said = texts.filter(|text| text.contains(char::is_alphanumeric));
    said.collect()
}

fn two(question: &str, first: &str, second: &str) -> [Filling; 3] {
    [
        Filling::new("question", question),
        Filling::new("first", first),
        Filling::new("second", second),
    ]
}

fn clean(text: &str, ground: &Ground) -> String {
    clean_long_text(text, ground, LONGEST)
}

/// A statement on a line of its own, whatever it has in it.
fn line(number: &str, text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("{number}: {}", words.join(" "))
}

/// A text in portions that end with lines, as far as its lines are not longer than that. A text that is empty is one.
fn portions(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        if text.len() <= PORTION {
            rest = None;
            return Some(text);
        }
        let end = text.floor_char_boundary(PORTION);
        let end = text[..end].rfind('\n').map_or(end, |line| line + 1);
        let (portion, after) = text.split_at(end);
        rest = Some(after);
        Some(portion)
    })
}
