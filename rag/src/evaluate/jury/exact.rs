//! Accuracy without a judge, as BAG-RAG defines it: alike in meaning by `BERTScore`, and for numbers the right number.
//!
//! | measure | what it is |
//! |---|---|
//! | `bert_score` | `BERTScore` of the answer and the right one: of several, the nearest |
//! | `acc_num`, `acc_sem` | 1 if the answer is right: of questions whose right answer has numbers, and of the others |
//! | `acc_total` | the same of all questions |

use stratigraph_models::{ModelError, Rows};

use super::super::{Accuracy, Evaluation, bert_score};
use super::{Given, Jury, unmeasured};

impl Jury<'_> {
    /// Measures the answers to questions of which somebody says what is right; nothing if the embedder gives no vectors of
    /// tokens. No judge is asked. Questions that nothing answers are not among these.
    ///
    /// # Errors
    /// What the embedder says.
    pub fn exact(
        &self,
        (set, system): (&str, &str),
        given: &[Given],
    ) -> Result<Option<Evaluation>, ModelError> {
        // A text that everybody has says whether there are any.
        if self.embedder.token_vectors(&["a"])?.is_none() {
            return Ok(None);
        }
        let mut questions = Vec::with_capacity(given.len());
        for one in given {
            let mut question = unmeasured(one);
            if !one.posed.nothing && !one.posed.references.is_empty() {
                let scored = match one.is_answered() {
                    true => self.scored(one)?,
                    false => Vec::new(),
                };
                measure(one, &scored, &mut question.values);
            }
            questions.push(question);
        }
        Ok(Some(Evaluation {
            set: set.to_owned(),
            pipeline: system.to_owned(),
            embedder: self.embedder.name().to_owned(),
            questions,
        }))
    }

    /// The score of the answer and each right one.
    fn scored(&self, given: &Given) -> Result<Vec<f64>, ModelError> {
        let references = given.posed.references.iter().map(String::as_str);
        let texts: Vec<&str> = [given.answer.as_str()]
            .into_iter()
            .chain(references)
            .collect();
        let vectors = self.embedder.token_vectors(&texts)?.unwrap_or_default();
        let Some((answer, references)) = vectors.split_first() else {
            return Ok(Vec::new());
        };
        let score = |reference: &Rows| bert_score(answer, reference).unwrap_or_default();
        Ok(references.iter().map(score).collect())
    }
}

fn measure(given: &Given, scored: &[f64], values: &mut std::collections::BTreeMap<String, f64>) {
    let (mut right, mut is_numerical, mut best) = (0.0_f64, false, 0.0_f64);
    for (place, reference) in given.posed.references.iter().enumerate() {
        // Who has not answered is as far off as can be.
        let score = scored.get(place).copied().unwrap_or_default();
        let mut accuracy = Accuracy::default();
        accuracy.add(&given.answer, reference, score);
        right = right.max(accuracy.total().unwrap_or_default());
        best = best.max(score);
        // The first of several right answers says what kind of question it is.
        if place == 0 {
            is_numerical = accuracy.numerical().is_some();
        }
    }
    let kind = if is_numerical { "acc_num" } else { "acc_sem" };
    for (name, value) in [("bert_score", best), (kind, right), ("acc_total", right)] {
        values.insert(name.to_owned(), value);
    }
}
