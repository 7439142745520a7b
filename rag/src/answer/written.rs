//! With a model: it writes from the passages, or what it knows if nothing was searched, is heard as it writes, and is not
//! believed.

use std::ops::ControlFlow;

use stratigraph::Read;

use super::heard::Sentences;
use super::support::{Citable, supported};
use super::{Answer, Answering, Because, Event, Sentence};
use crate::door::DoorError;
use crate::extract::ExtractError;
use crate::extract::model::{Answers, Shown};

impl<R: Read> Answering<'_, R> {
    /// Has the model write, and holds what it says against what it cites. What it knows by itself cites nothing, and nothing
    /// bears it.
    pub(super) fn written(
        &self,
        model: &Answers,
        answer: &mut Answer,
        told: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), DoorError> {
        let shown = self.passages().map(|(number, found)| Shown {
            number,
            heading: &found.heading,
            text: &found.text,
        });
        let shown: Vec<Shown<'_>> = shown.collect();
        let mut heard = Sentences::default();
        let mut current = 1;
        let mut each = |attempt: usize, piece: &str| {
            if self.cancel.is_cancelled() {
                return ControlFlow::Break(());
            }
            if attempt != current {
                heard = Sentences::default();
                current = attempt;
            }
            let text = heard.hear(piece);
            if !text.is_empty() {
                let text = text.as_str();
                told(Event::Text { attempt, text });
            }
            ControlFlow::Continue(())
        };
        let written = match self.asks_directly() {
            true => model.ask_directly(&answer.question, &mut each),
            false => model.ask(&answer.question, &shown, &mut each),
        };
        let written = match written {
            Err(ExtractError::Cancelled) => return Err(stratigraph::Error::Cancelled.into()),
            written => written?,
        };
        answer.model = Some(model.model().to_owned());
        answer.prompt = Some(written.prompt);
        answer.analysis = written.analysis;
        answer.dropped = written.dropped;
        answer.cost += written.cost.into();
        if written.declines {
            let reason = match self.asks_directly() {
                true => "the model says that it does not know the answer",
                false => "the model says that the passages do not answer the question",
            };
            *answer = answer.clone().refuse(Because::Declined, reason.to_owned());
            return Ok(());
        }
        self.check()?;
        if self.asks_directly() {
            let sentences = written.sentences.into_iter();
            answer.answer = sentences.map(|(text, _)| unborne(text)).collect();
            return Ok(());
        }
        let citable = shown.iter().map(|one| Citable {
            number: one.number,
            heading: one.heading,
            text: one.text,
        });
        let citable: Vec<Citable<'_>> = citable.collect();
        let (wanted, embedder) = (self.desk.wanted()?, self.desk.embedder());
        answer.answer = supported(written.sentences, &citable, wanted, embedder)?;
        Ok(())
    }
}

/// A sentence that cites nothing.
fn unborne(text: String) -> Sentence {
    Sentence {
        text,
        sources: Vec::new(),
        supported: false,
        score: 0.0,
        lacks: Vec::new(),
    }
}
