//! Answers that are judged: asked of a library, or read from a file that somebody else has written.
//!
//! A row of a file has `question` and `answer` (none, or `refused`, for a refusal), perhaps `id`, `analysis`, `context` (a text
//! or a list of them), `references`, `kind`, `model`. What is written here is read here.

use std::path::Path;

use serde_json::{Value as Json, json};
use stratigraph::storage::cancel::CancelToken;

use super::super::set::{Posed, SetError, id_of, rows_of, texts_of};
use crate::answer::{Answer, Event, Paid};
use crate::door::{Ask, DoorError, Open};
use crate::retrieve::Pipeline;

/// How long the texts of a row may be, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Longest {
    /// An answer, an analysis, a question.
    text: usize,
    context: usize,
}

impl Longest {
    /// In a file that anybody may have written.
    const OF_OTHERS: Self = Self {
        text: 64 << 10,
        context: 4 << 20,
    };
    /// In a file that we have written: what was kept because it was paid for is read again.
    pub(super) const OF_OURS: Self = Self {
        text: usize::MAX,
        context: usize::MAX,
    };
}

/// An answer that is judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// The question, with what is right if anybody says so.
    pub posed: Posed,
    /// The answer; empty if there is none.
    pub answer: String,
    /// How it comes to that; empty if nobody says so.
    pub analysis: String,
    /// What it was written from; empty if nobody says so.
    pub context: String,
    /// Why there is no answer, if there is none.
    pub refused: Option<String>,
    /// Who wrote it; nothing if nobody says so, or for sentences of documents.
    pub model: Option<String>,
    /// How sure it was; nothing if nobody says so.
    pub confidence: Option<f64>,
    /// How long it took; 0 if nobody says so.
    pub milliseconds: f64,
    /// What models were paid for it, and for what was retrieved; nothing if nobody says so.
    pub cost: Paid,
}

impl Given {
    /// Asks a library this question.
    ///
    /// # Errors
    /// What the pipeline, the model or the database says.
    pub fn ask(
        posed: &Posed,
        open: &Open,
        (pipeline, verbatim): (&Pipeline, bool),
        cancel: &CancelToken,
    ) -> Result<Self, DoorError> {
        let question = posed.question()?;
        let ask = Ask::new(pipeline, &question).verbatim(verbatim);
        let mut context = String::new();
        let started = std::time::Instant::now();
        let answer = open.ask(&ask, cancel, &mut |event| {
            if let Event::Retrieved(retrieved) = event {
                context.clone_from(&retrieved.context);
            }
        })?;
        let milliseconds = started.elapsed().as_secs_f64() * 1e3;
        Ok(Self {
            posed: posed.clone(),
            answer: told(&answer),
            analysis: answer.analysis,
            context,
            refused: answer.refused.map(|refused| refused.reason),
            model: answer.model,
            confidence: Some(f64::from(answer.confidence.value)),
            milliseconds,
            cost: answer.cost,
        })
    }

    /// Whether there is an answer.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.refused.is_none() && !self.answer.trim().is_empty()
    }

    /// The answers of a file. What `posed` has of a question, by its id, counts more than what the file says of it; answers to
    /// other questions are left out then, and how many is told.
    ///
    /// # Errors
    /// [`SetError`], with the file and the line.
    pub fn read(file: &Path, posed: Option<&[Posed]>) -> Result<(Vec<Self>, usize), SetError> {
        let longest = Longest::OF_OTHERS;
        let all = rows_of(file, |row, number| of_row(row, number, posed, longest))?;
        let count = all.len();
        let given: Vec<Self> = all.into_iter().flatten().collect();
        super::super::set::once("answers", given.iter().map(|one| &one.posed.id))?;
        let others = count - given.len();
        Ok((given, others))
    }

    /// As a row of a file, which [`read`](Self::read) reads.
    #[must_use]
    pub fn row(&self) -> Json {
        json!({
            "id": self.posed.id,
            "question": self.posed.text,
            "kind": self.posed.kind,
            "references": self.posed.references,
            "nothing": self.posed.nothing,
            "answer": self.answer,
            "analysis": self.analysis,
            "context": self.context,
            "refused": self.refused,
            "model": self.model,
            "confidence": self.confidence,
            "milliseconds": self.milliseconds,
            "cost": self.cost,
        })
    }
}

/// An answer as a row has it; nothing if it is to another question than these.
pub(super) fn of_row(
    row: &Json,
    number: usize,
    posed: Option<&[Posed]>,
    longest: Longest,
) -> Result<Option<Given>, String> {
    let id = id_of(&row["id"]).unwrap_or_else(|| number.to_string());
    let text = |name: &str, most: usize| match &row[name] {
        Json::Null => Ok(String::new()),
        Json::String(text) if text.len() > most => Err(format!(
            "`{name}` has {} bytes, and at most {most} are judged",
            text.len()
        )),
        Json::String(text) => Ok(text.clone()),
        _ => Err(format!("`{name}` is no text")),
    };
    let context = match &row["context"] {
        list @ Json::Array(_) => texts_of(list).collect::<Vec<_>>().join("\n\n"),
        _ => text("context", longest.context)?,
    };
    if context.len() > longest.context {
        let most = longest.context;
        return Err(format!("`context` has more than {most} bytes"));
    }
    let posed = match posed {
        Some(known) => match known.iter().find(|one| one.id == id) {
            Some(one) => one.clone(),
            None => return Ok(None),
        },
        None => {
            let question = text("question", longest.text)?;
            if question.trim().is_empty() {
                return Err("has no `question`, and no set was named that has it".to_owned());
            }
            Posed {
                id,
                text: question,
                kind: text("kind", longest.text)?,
                references: texts_of(&row["references"]).map(str::to_owned).collect(),
                nothing: row["nothing"] == Json::Bool(true),
                ..Posed::default()
            }
        }
    };
    let refused = match text("refused", longest.text)? {
        none if none.is_empty() => None,
        reason => Some(reason),
    };
    Ok(Some(Given {
        posed,
        answer: text("answer", longest.text)?,
        analysis: text("analysis", longest.text)?,
        context,
        refused,
        model: row["model"].as_str().map(str::to_owned),
        confidence: row["confidence"].as_f64(),
        milliseconds: row["milliseconds"].as_f64().unwrap_or_default(),
        // What somebody else calls so is another thing.
        cost: serde_json::from_value(row["cost"].clone()).unwrap_or_default(),
    }))
}

/// An answer as one text.
fn told(answer: &Answer) -> String {
    let sentences = answer.answer.iter().map(|sentence| sentence.text.as_str());
    sentences.collect::<Vec<_>>().join(" ")
}
