//! Which of some texts are about a question: BAG-RAG's yes or no, for many texts at once.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::super::prompt::Filling;
use super::super::task::Task;
use super::super::{Calls, Cost, ExtractError};
use super::Asking;

/// So many texts are judged in one call.
const AT_ONCE: usize = 32;
/// So many bytes of a text are read: whoever judges headings and passages needs no more.
const MOST_BYTES: usize = 600;

/// Asks a model which texts are about a question.
#[derive(Clone, Debug)]
pub struct Relevance {
    calls: Calls,
}

#[derive(Deserialize)]
struct Reply {
    relevant: BTreeSet<String>,
}

impl Relevance {
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

    /// Yes or no for each text, and what it cost.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use stratigraph_models::Recorded;
    /// use stratigraph_rag::extract::model::Relevance;
    /// use stratigraph_rag::extract::{Calls, MemoryCache};
    ///
    /// let model = Recorded::in_order([r#"{"relevant": ["2"]}"#]);
    /// let relevance = Relevance::new(Calls::new(Arc::new(model), Arc::new(MemoryCache::default())));
    /// let (judged, cost) = relevance.judge("What was lava?", &["Rivers", "Rocks"])?;
    /// assert_eq!((judged, cost.calls), (vec![false, true], 1));
    /// # Ok::<(), stratigraph_rag::extract::ExtractError>(())
    /// ```
    ///
    /// # Errors
    /// See [`ExtractError`].
    pub fn judge(&self, question: &str, texts: &[&str]) -> Result<(Vec<bool>, Cost), ExtractError> {
        let about = "which texts are relevant".to_owned();
        let mut asking = Asking::new(&self.calls, about, question, None);
        let mut judged = Vec::with_capacity(texts.len());
        for texts in texts.chunks(AT_ONCE) {
            let numbers: Vec<String> = (1..=texts.len()).map(|number| number.to_string()).collect();
            let lines = numbers.iter().zip(texts);
            let lines: Vec<String> = lines.map(|(number, text)| line(number, text)).collect();
            let fillings = [
                Filling::new("question", question),
                Filling::new("texts", &lines.join("\n")),
            ];
            let choices = [("numbers", numbers.as_slice())];
            let reply = asking.ask::<Reply>(Task::Relevance, &fillings, &choices)?;
            let relevant = reply.map(|reply| reply.relevant).unwrap_or_default();
            judged.extend(numbers.iter().map(|number| relevant.contains(number)));
        }
        Ok((judged, asking.cost))
    }
}

/// A text on a line of its own, whatever it has in it.
fn line(number: &str, text: &str) -> String {
    let text = &text[..text.floor_char_boundary(MOST_BYTES.min(text.len()))];
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("{number}: {}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::super::MemoryCache;
    use super::*;
    use std::sync::Arc;
    use stratigraph_models::{ModelError, Recorded};

    fn relevance(model: Recorded) -> (Relevance, Arc<Recorded>) {
        let model = Arc::new(model);
        let calls = Calls::new(Arc::clone(&model) as _, Arc::new(MemoryCache::default()));
        (Relevance::new(calls), model)
    }

    #[test]
    fn texts_are_judged_in_portions_and_none_twice() {
        let (relevance, model) = relevance(Recorded::by(|request| {
            // What has an even number of its own in its text is relevant.
            let asked = &request.messages[1].text;
            let lines = asked.lines().filter_map(|line| line.split_once(": text "));
            let even = lines.filter(|(_, text)| text.parse::<u32>().is_ok_and(|one| one % 2 == 0));
            let even: Vec<String> = even.map(|(number, _)| format!("\"{number}\"")).collect();
            Some(format!("{{\"relevant\": [{}]}}", even.join(", ")))
        }));
        let texts: Vec<String> = (0..70).map(|number| format!("text\n\n{number}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (judged, cost) = relevance.judge("Which are even?", &texts).unwrap();
        let wanted: Vec<bool> = (0..70).map(|number| number % 2 == 0).collect();
        assert_eq!(judged, wanted);
        assert_eq!((cost.calls, model.asked().len()), (3, 3));
        let (again, cost) = relevance.judge("Which are even?", &texts).unwrap();
        assert_eq!((again, cost.calls, cost.kept), (wanted, 0, 3));
        assert!(
            relevance
                .judge("Which are even?", &[])
                .unwrap()
                .0
                .is_empty()
        );
    }

    #[test]
    fn a_number_that_was_not_asked_about_is_no_reply() {
        let replies = [
            r#"{"relevant": ["3"]}"#,
            r#"{"relevant": [1]}"#,
            r#"{"relevant": ["1"]}"#,
        ];
        let (relevance, model) = relevance(Recorded::in_order(replies));
        let (judged, cost) = relevance.judge("?", &["one", "two"]).unwrap();
        assert_eq!((judged, cost.calls), (vec![true, false], 3));
        assert_eq!(model.asked().len(), 3);
        let failed = relevance.judge("? ", &["one", "two"]).unwrap_err();
        let ExtractError::Model { source, .. } = failed else {
            panic!("{failed}");
        };
        assert!(matches!(*source, ModelError::NothingRecorded));
    }

    #[test]
    fn long_texts_are_read_at_their_beginnings() {
        let long = "é".repeat(MOST_BYTES);
        assert_eq!(line("7", &long).len(), "7: ".len() + MOST_BYTES);
        assert_eq!(line("1", "a\n2: b\r\n"), "1: a 2: b");
    }
}
