//! What a model that is asked holds to be about the question: yes or no.

use serde::{Deserialize, Serialize};
use stratigraph::Read;

use super::reader::read_out;
use super::{Desk, Item, RetrieveError};
use crate::extract::Cost;
use crate::extract::model::Relevance;

/// Of the first so many of a list those to which a model says yes, in the order of the list and with their scores. The rest
/// is left out. A reply is kept by question and texts: the same list is not paid for twice.
///
/// ```
/// use stratigraph_rag::retrieve::Judge;
///
/// assert_eq!(Judge::new(64), serde_json::from_str(r#"{"take": 64}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Judge {
    take: usize,
}

impl Judge {
    /// Asks about the first `take`.
    pub fn new(take: usize) -> Self {
        Self { take }
    }

    /// Asks. The cost is that of the calls that were made.
    ///
    /// # Errors
    /// [`RetrieveError::Judge`] if the model gives nothing of use; see [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        relevance: &Relevance,
        mut items: Vec<Item>,
    ) -> Result<(Vec<Item>, Cost), RetrieveError> {
        items.truncate(self.take);
        let texts = read_out(desk, &items)?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let judged = relevance.judge(desk.text(), &texts);
        let (judged, cost) = judged.map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            let problem = [Some(error.to_string()), cause].into_iter().flatten();
            RetrieveError::Judge {
                model: relevance.model().to_owned(),
                problem: problem.collect::<Vec<_>>().join(": "),
            }
        })?;
        let kept = items.into_iter().zip(judged);
        let kept = kept.filter_map(|(item, is_relevant)| is_relevant.then_some(item));
        Ok((kept.collect(), cost))
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, called};
    use super::super::{Descend, Layer, Vector};
    use super::*;
    use crate::extract::{Calls, MemoryCache};
    use std::sync::Arc;
    use stratigraph_models::Recorded;

    fn relevance(model: Recorded) -> Relevance {
        Relevance::new(Calls::new(
            Arc::new(model),
            Arc::new(MemoryCache::default()),
        ))
    }

    /// Says yes to what has this word.
    fn word(word: &'static str) -> Relevance {
        relevance(Recorded::by(move |request| {
            let lines = request.messages[1].text.lines();
            let lines = lines.filter(|line| line.contains(word));
            let numbers = lines.filter_map(|line| line.split_once(": "));
            let numbers: Vec<String> = numbers.map(|(number, _)| format!("\"{number}\"")).collect();
            Some(format!("{{\"relevant\": [{}]}}", numbers.join(", ")))
        }))
    }

    fn trial() -> Trial {
        let trial = Trial::new();
        trial.put(
            "one.md",
            2021,
            "# Rocks 0.9\n\nText.\n\n## Basalt 0.8\n\nText.\n",
            &[],
        );
        trial.put(
            "two.md",
            2021,
            "# Sea 0.7\n\nText.\n\n## Salt 0.6\n\nText.\n",
            &[],
        );
        trial
    }

    #[test]
    fn what_is_said_yes_to_stays_as_it_was() {
        trial().ask("What?", |desk| {
            let found = Vector::new(Layer::Sections, 9).exact().run(desk).unwrap();
            let judge = Judge::new(9);
            let (kept, cost) = judge.run(desk, &word("Sea"), found.clone()).unwrap();
            // Both headings are read with what they stand under.
            assert_eq!(kept, found[2..]);
            assert_eq!(cost.calls, 1);
            let (kept, _) = Judge::new(3)
                .run(desk, &word("Sea"), found.clone())
                .unwrap();
            assert_eq!(kept, found[2..3]);
            let failed = judge.run(desk, &relevance(Recorded::in_order(["{}"])), found);
            let failed = failed.unwrap_err().to_string();
            assert!(failed.contains("`recorded`"), "{failed}");
            let (none, cost) = judge.run(desk, &word("Sea"), Vec::new()).unwrap();
            assert!(none.is_empty() && cost.calls == 0);
        });
    }

    #[test]
    fn each_level_of_a_descent_is_judged() {
        trial().ask("What?", |desk| {
            let relevance = word("Basalt");
            let judge = Judge::new(9);
            let mut calls = 0;
            let mut judged = |items| {
                let (items, cost) = judge.run(desk, &relevance, items)?;
                calls += cost.calls;
                Ok(items)
            };
            let descend = Descend::nearest(9).exact();
            // Nothing of the first level is about basalt by its heading, so nobody gets to it.
            let descent = descend.run_judged(desk, &mut judged).unwrap();
            assert!(descent.items.is_empty());
            let descent = descend.recover(9).run_judged(desk, &mut judged).unwrap();
            assert_eq!(called(desk, &descent.items), ["Basalt 0.8"]);
            assert_eq!(descent.items[0].way[0].by, "recovered");
            assert_eq!((descent.levels[0].cut, descent.levels[1].recovered), (2, 1));
            // The first level once for both, where nothing is left to recover, and the second.
            assert_eq!(calls, 2);
        });
    }
}
