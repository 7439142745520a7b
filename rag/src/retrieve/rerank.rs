//! What a model that reads the question together with each text makes of what was found.

use serde::{Deserialize, Serialize};
use stratigraph::Read;
use stratigraph_models::{Reranker, ScoreScale};

use super::reader::read_out;
use super::{Desk, Item, RetrieveError, Scale};

/// The first so many of a list in a judge's order. The rest is left out: nobody can say where it would stand.
///
/// Scores are from 0 to 1: what a model gives as the logarithm of odds becomes the probability. Thresholds on them are for
/// one model.
///
/// ```
/// use stratigraph_rag::retrieve::Rerank;
///
/// assert_eq!(Rerank::new(30), serde_json::from_str(r#"{"take": 30}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Rerank {
    take: usize,
}

impl Rerank {
    /// Judges the first `take`.
    pub fn new(take: usize) -> Self {
        Self { take }
    }

    /// Judges. Equal ones stay in the order of the list.
    ///
    /// # Errors
    /// [`RetrieveError::Judge`] if the model cannot; see [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        judge: &dyn Reranker,
        mut items: Vec<Item>,
    ) -> Result<Vec<Item>, RetrieveError> {
        items.truncate(self.take);
        if items.is_empty() {
            return Ok(items);
        }
        let texts = read_out(desk, &items)?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let failed = |problem: String| RetrieveError::Judge {
            model: judge.name().to_owned(),
            problem,
        };
        let scores = judge.scores(desk.text(), &texts);
        let scores = scores.map_err(|error| failed(error.to_string()))?;
        if scores.len() != texts.len() || !scores.iter().all(|score| score.is_finite()) {
            return Err(failed(format!(
                "it gives {} scores for {} texts, or some that are no numbers",
                scores.len(),
                texts.len()
            )));
        }
        let mut judged: Vec<(f32, Item)> = scores.into_iter().zip(items).collect();
        // By what the model says: of two that are almost sure both may be 1.
        judged.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let judged = judged.into_iter().map(|(score, item)| {
            let share = match judge.scale() {
                ScoreScale::Logit => 1.0 / (1.0 + (-score).exp()),
                _ => score,
            };
            let score = Scale::Judged.score(share);
            Item { score, ..item }
        });
        Ok(judged.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, called};
    use super::super::{Layer, Vector};
    use super::*;
    use std::sync::Mutex;
    use stratigraph_models::ModelError;

    /// Judges by length, the longest first, and keeps what it has read.
    struct Lengths {
        scale: ScoreScale,
        says: fn(usize) -> f32,
        read: Mutex<Vec<String>>,
    }

    impl Lengths {
        fn new(scale: ScoreScale, says: fn(usize) -> f32) -> Self {
            let read = Mutex::default();
            Self { scale, says, read }
        }
    }

    impl Reranker for Lengths {
        fn name(&self) -> &str {
            "lengths"
        }

        fn max_tokens(&self) -> usize {
            512
        }

        fn scale(&self) -> ScoreScale {
            self.scale
        }

        fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, ModelError> {
            if question == "no" {
                return Err(ModelError::NothingRecorded);
            }
            let mut read = self.read.lock().unwrap();
            read.extend(passages.iter().map(|text| (*text).to_owned()));
            Ok(passages
                .iter()
                .map(|text| (self.says)(text.len()))
                .collect())
        }
    }

    fn trial() -> Trial {
        let trial = Trial::new();
        let said = ("Basalt", "was", "lava");
        trial.put("one.md", 2021, "# One\n\nBasalt was lava 0.9.\n", &[said]);
        trial.put("two.md", 2021, "# Two\n\nSalt is 0.8.\n", &[]);
        trial.put(
            "three.md",
            2021,
            "# Three\n\nChalk is white and soft 0.7.\n",
            &[],
        );
        trial
    }

    #[test]
    fn the_judges_order_counts_and_its_scale_becomes_ours() {
        trial().ask("basalt", |desk| {
            let found = Vector::new(Layer::Chunks, 9).exact().run(desk).unwrap();
            assert_eq!(called(desk, &found), ["Basalt", "Salt", "Chalk"]);
            let judge = Lengths::new(ScoreScale::Unit, |length| length as f32 / 100.0);
            let judged = Rerank::new(9).run(desk, &judge, found.clone()).unwrap();
            assert_eq!(called(desk, &judged), ["Chalk", "Basalt", "Salt"]);
            assert_eq!(
                judged[2].score,
                Scale::Judged.score("Two\nSalt is 0.8.".len() as f32 / 100.0)
            );
            // Odds of one to one for all: in the order of the list.
            let judge = Lengths::new(ScoreScale::Logit, |_| 0.0);
            let judged = Rerank::new(2).run(desk, &judge, found.clone()).unwrap();
            assert_eq!(called(desk, &judged), ["Basalt", "Salt"]);
            assert_eq!(judged[0].score, Scale::Judged.score(0.5));
            // Two that are both 1 in so many bits are still told apart.
            let judge = Lengths::new(ScoreScale::Logit, |length| 40.0 + length as f32);
            let judged = Rerank::new(9).run(desk, &judge, found).unwrap();
            assert_eq!(called(desk, &judged), ["Chalk", "Basalt", "Salt"]);
            assert_eq!(judged[0].score, judged[2].score);
        });
    }

    #[test]
    fn texts_have_what_they_stand_under() {
        trial().ask("basalt", |desk| {
            let judge = Lengths::new(ScoreScale::Unit, |_| 0.5);
            for (layer, wanted) in [
                (Layer::Chunks, "One\nBasalt was lava 0.9."),
                (Layer::Sections, "One"),
                (Layer::Facts, "Basalt was lava"),
                (Layer::Instances, "Basalt"),
            ] {
                let found = Vector::new(layer, 9).exact().run(desk).unwrap();
                judge.read.lock().unwrap().clear();
                Rerank::new(9).run(desk, &judge, found).unwrap();
                let read = judge.read.lock().unwrap();
                assert!(read.iter().any(|text| text == wanted), "{read:?}");
            }
        });
    }

    #[test]
    fn a_judge_that_fails_is_named() {
        let judge = Lengths::new(ScoreScale::Unit, |_| f32::NAN);
        for question in ["no", "basalt"] {
            trial().ask(question, |desk| {
                let found = Vector::new(Layer::Chunks, 9).exact().run(desk).unwrap();
                let refused = Rerank::new(9).run(desk, &judge, found).unwrap_err();
                assert!(refused.to_string().contains("`lengths`"), "{refused}");
                assert!(
                    Rerank::new(9)
                        .run(desk, &judge, Vec::new())
                        .unwrap()
                        .is_empty()
                );
            });
        }
    }
}
