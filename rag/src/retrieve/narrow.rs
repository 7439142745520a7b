//! What is of documents that the question names by their properties.

use serde::{Deserialize, Serialize};
use stratigraph::Read;
use stratigraph::graph::Entity;

use super::{Desk, Item, RetrieveError};

/// What was found, where it counts more if the question names a property of its document by which chunks can be chosen: a
/// year, a company. Nothing is cut, since a word may be meant otherwise; who is sure, chooses with the question.
///
/// A chunk that is surely meant gets all of `weight`, times the best score; others as much less as the words say less that the
/// question has of the property. `narrowed` of [`Vector`](super::Vector) and [`Bm25`](super::Bm25) finds such chunks
/// where others would be before them.
///
/// ```
/// use stratigraph_rag::retrieve::Narrow;
///
/// assert_eq!(Narrow::new(0.5), serde_json::from_str(r#"{"weight": 0.5}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Narrow {
    weight: f32,
}

impl Narrow {
    /// With this weight.
    pub fn new(weight: f32) -> Self {
        Self { weight }
    }

    /// Lifts. Equal ones stay in the order of the list.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        mut items: Vec<Item>,
    ) -> Result<Vec<Item>, RetrieveError> {
        let implied = desk.implied()?;
        let scores = items.iter().map(|item| item.score.value);
        let best = scores.fold(0.0, f32::max);
        // Nothing is named, or there is nothing to lift by: a judge's scores may all be below nought.
        if implied.within().is_none() || best <= 0.0 {
            return Ok(items);
        }
        for item in &mut items {
            if let Entity::Node(node) = item.entity {
                item.score.value += self.weight * best * implied.sure_of(node.get());
            }
        }
        items.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, called};
    use super::super::{Bm25, Layer, Question, Vector};
    use super::*;

    fn trial() -> Trial {
        let trial = Trial::new();
        trial.put("older", 2020, "# A\n\nOlder tide, tide, tide 0.6\n", &[]);
        trial.put(
            "newer",
            2023,
            "# B\n\nNewer than whatever came before a tide 0.5\n",
            &[],
        );
        trial
    }

    #[test]
    fn what_is_of_a_year_that_the_question_names_is_found_and_lifted() {
        let trial = trial();
        let near = Vector::new(Layer::Chunks, 1);
        trial.ask("Which tide was in 2023?", |desk| {
            assert_eq!(called(desk, &near.run(desk).unwrap()), ["Older"]);
            let found = near.clone().narrowed().run(desk).unwrap();
            assert_eq!(called(desk, &found), ["Older", "Newer"]);
            let items = Narrow::new(0.5).run(desk, found).unwrap();
            assert_eq!(called(desk, &items), ["Newer", "Older"]);
            let scores: Vec<f32> = items.iter().map(|item| item.score.value).collect();
            assert!((scores[0] - 0.8).abs() < 1e-3, "{scores:?}");
            assert!((scores[1] - 0.6).abs() < 1e-3, "{scores:?}");

            let words = Bm25::new(1);
            assert_eq!(called(desk, &words.run(desk).unwrap()), ["Older"]);
            let both = called(desk, &words.narrowed().run(desk).unwrap());
            assert_eq!(both, ["Older", "Newer"]);
        });
    }

    #[test]
    fn by_the_best_score_wherever_it_stands_and_not_at_all_if_there_is_none() {
        trial().ask("Which tide was in 2023?", |desk| {
            let mut found = Vector::new(Layer::Chunks, 2).run(desk).unwrap();
            found.reverse();
            let items = Narrow::new(1.0).run(desk, found.clone()).unwrap();
            assert!((items[0].score.value - 1.1).abs() < 1e-3, "{items:?}");
            found.iter_mut().for_each(|item| item.score.value -= 1.0);
            assert_eq!(Narrow::new(1.0).run(desk, found.clone()).unwrap(), found);
        });
    }

    #[test]
    fn nothing_is_narrowed_where_no_property_is_named_or_one_is_chosen() {
        let trial = trial();
        let near = Vector::new(Layer::Chunks, 1).narrowed();
        trial.ask("Which tide was in 1999?", |desk| {
            let found = near.run(desk).unwrap();
            assert_eq!(called(desk, &found), ["Older"]);
            assert_eq!(Narrow::new(0.5).run(desk, found.clone()).unwrap(), found);
        });
        // Whoever chooses a year may still ask about another.
        let question = Question::new("Which tide was before that of 2023?").unwrap();
        trial.ask_for(&question.only("year", 2020), |desk| {
            let found = near.run(desk).unwrap();
            assert_eq!(called(desk, &found), ["Older"]);
            assert_eq!(Narrow::new(0.5).run(desk, found.clone()).unwrap(), found);
        });
    }

    #[test]
    fn chunks_that_are_not_there_for_a_question_are_not_meant_by_it() {
        let near = Vector::new(Layer::Chunks, 1).narrowed();
        trial().ask_without(("Which tide was in 2023?", "Newer"), |desk| {
            assert_eq!(called(desk, &near.run(desk).unwrap()), ["Older"]);
        });
    }
}
