//! A question in other words, and as the facts that it is about: what is searched for beside the question itself.
//!
//! What comes back is texts to search for. They are one line each, bounded, and without addresses that the question has
//! not; nothing of them becomes a query, a name or a filter.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::super::prompt::Filling;
use super::super::reply::{Ground, clean_long_text, folded};
use super::super::task::Task;
use super::super::{Calls, Cost, ExtractError};
use super::Asking;

/// The most characters of a wording, and of a part of a triple.
const LONGEST: usize = 600;

/// Asks a model how a question could be put, too.
#[derive(Clone, Debug)]
pub struct QuestionReader {
    calls: Calls,
}

/// A fact that a question is about, with a gap where it asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionTriple {
    /// The subject; empty where it is asked for, as are the others.
    pub subject: String,
    /// The relation.
    pub relation: String,
    /// The object.
    pub object: String,
}

impl QuestionTriple {
    /// It as one text, as facts have theirs: what there is of subject, relation and object.
    #[must_use]
    pub fn text(&self) -> String {
        let parts = [&self.subject, &self.relation, &self.object];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

#[derive(Deserialize)]
struct Wordings {
    wordings: Vec<String>,
}

#[derive(Deserialize)]
struct Triples {
    triples: Vec<QuestionTriple>,
}

impl QuestionReader {
    /// So many wordings or triples are asked for at most: the schemas of the replies have no more.
    pub const MOST: usize = 8;

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

    /// Up to `most` other wordings of a question, none of which is the question or another of them, and what it cost.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use stratigraph_models::Recorded;
    /// use stratigraph_rag::extract::model::QuestionReader;
    /// use stratigraph_rag::extract::{Calls, MemoryCache};
    ///
    /// let reply = r#"{"wordings": ["Which rock was molten once?", "what was LAVA?"]}"#;
    /// let calls = Calls::new(Arc::new(Recorded::in_order([reply])), Arc::new(MemoryCache::default()));
    /// let (wordings, cost) = QuestionReader::new(calls).wordings("What was lava?", 3)?;
    /// assert_eq!((wordings, cost.dropped), (vec!["Which rock was molten once?".to_owned()], 1));
    /// # Ok::<(), stratigraph_rag::extract::ExtractError>(())
    /// ```
    ///
    /// # Errors
    /// See [`ExtractError`].
    pub fn wordings(
        &self,
        question: &str,
        most: usize,
    ) -> Result<(Vec<String>, Cost), ExtractError> {
        let about = "other wordings of a question";
        let (reply, mut cost) =
            self.ask::<Wordings>(Task::Wordings, about.to_owned(), question, most)?;
        let written = reply.map(|reply| reply.wordings).unwrap_or_default();
        let count = written.len();
        let ground = Ground::of([question]);
        let mut seen = BTreeSet::from([compared(question)]);
        let kept = written.iter().map(|text| clean(text, &ground));
        let mut kept: Vec<String> = kept
            .filter(|text| text.contains(char::is_alphanumeric) && seen.insert(compared(text)))
            .collect();
        kept.truncate(most);
        cost.dropped += (count - kept.len()) as u64;
        Ok((kept, cost))
    }

    /// Up to `most` facts that a question is about, and what it cost. One that has neither subject nor object says nothing.
    ///
    /// # Errors
    /// See [`ExtractError`].
    pub fn triples(
        &self,
        question: &str,
        most: usize,
    ) -> Result<(Vec<QuestionTriple>, Cost), ExtractError> {
        let about = "the facts that a question is about";
        let (reply, mut cost) =
            self.ask::<Triples>(Task::QuestionTriples, about.to_owned(), question, most)?;
        let written = reply.map(|reply| reply.triples).unwrap_or_default();
        let count = written.len();
        let ground = Ground::of([question]);
        let mut seen = BTreeSet::new();
        let kept = written.iter().map(|triple| QuestionTriple {
            subject: clean(&triple.subject, &ground),
            relation: clean(&triple.relation, &ground),
            object: clean(&triple.object, &ground),
        });
        let says = |text: &str| text.contains(char::is_alphanumeric);
        let mut kept: Vec<QuestionTriple> = kept
            .filter(|one| says(&one.subject) || says(&one.object))
            .filter(|one| seen.insert(compared(&one.text())))
            .collect();
        kept.truncate(most);
        cost.dropped += (count - kept.len()) as u64;
        Ok((kept, cost))
    }

    fn ask<T: serde::de::DeserializeOwned>(
        &self,
        task: Task,
        about: String,
        question: &str,
        most: usize,
    ) -> Result<(Option<T>, Cost), ExtractError> {
        let mut asking = Asking::new(&self.calls, about, question, None);
        let fillings = [Filling::new("question", question)];
        let count = [most.min(Self::MOST).to_string()];
        let reply = asking.ask::<T>(task, &fillings, &[("count", &count)])?;
        Ok((reply, asking.cost))
    }
}

fn clean(text: &str, ground: &Ground) -> String {
    clean_long_text(text, ground, LONGEST)
}

/// As two texts are compared that would find the same.
fn compared(text: &str) -> String {
    let words = text.split(|sign: char| !sign.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    folded(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::super::MemoryCache;
    use super::*;
    use std::sync::Arc;
    use stratigraph_models::{ModelError, Recorded};

    fn reader(replies: &[&str]) -> (QuestionReader, Arc<Recorded>) {
        let model = Arc::new(Recorded::in_order(replies.iter().copied()));
        let calls = Calls::new(Arc::clone(&model) as _, Arc::new(MemoryCache::default()));
        (QuestionReader::new(calls), model)
    }

    const QUESTION: &str = "Who sells basalt of Mount Etna?";

    #[test]
    fn wordings_are_others_in_one_line_each_and_no_more_than_were_asked_for() {
        let reply = r#"{"wordings": ["who sells BASALT of Mount Etna", "Who\n deals in\u0000 lava rock?",
            "Who deals in lava rock", "See https://evil.example/?q=1 for sellers?", "...", "Where is it sold?", "What is it?"]}"#;
        let (reader, model) = reader(&[reply]);
        let (wordings, cost) = reader.wordings(QUESTION, 3).unwrap();
        let wanted = [
            "Who deals in lava rock?",
            "See for sellers?",
            "Where is it sold?",
        ];
        assert_eq!(wordings, wanted);
        assert_eq!((cost.calls, cost.dropped), (1, 4));
        let asked = &model.asked()[0].messages[1].text;
        assert!(asked.contains("Write at most 3."), "{asked}");
        // The same again is not paid for again.
        let (again, cost) = reader.wordings(QUESTION, 3).unwrap();
        assert_eq!((again.len(), cost.calls, cost.kept), (3, 0, 1));
    }

    #[test]
    fn triples_have_a_gap_and_say_something() {
        let reply = r#"{"triples": [{"subject": "", "relation": "sells", "object": "basalt of  Mount Etna"},
            {"subject": "", "relation": "is", "object": "?"},
            {"subject": "", "relation": "Sells", "object": "basalt of Mount Etna"}]}"#;
        let (reader, _) = reader(&[reply]);
        let (triples, cost) = reader.triples(QUESTION, 5).unwrap();
        let texts: Vec<String> = triples.iter().map(QuestionTriple::text).collect();
        assert_eq!(texts, ["sells basalt of Mount Etna"]);
        assert_eq!((triples[0].subject.as_str(), cost.dropped), ("", 2));
    }

    #[test]
    fn what_is_no_reply_is_asked_for_again_and_then_is_an_error() {
        let many = format!("{{\"wordings\": [{}]}}", ["\"a\""; 9].join(", "));
        let good = r#"{"wordings": ["Which rock is it?"]}"#;
        let (reader, model) = reader(&["Here you are!", &many, good]);
        let (wordings, cost) = reader.wordings(QUESTION, 8).unwrap();
        assert_eq!((wordings.len(), cost.calls), (1, 3));
        assert_eq!(model.asked().len(), 3);
        let failed = reader.triples(QUESTION, 3).unwrap_err();
        let ExtractError::Model { source, .. } = failed else {
            panic!("{failed}");
        };
        assert!(matches!(*source, ModelError::NothingRecorded));
    }
}
