//! What the texts that something rests on say of the question.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use stratigraph::Read;
use stratigraph::graph::Entity;

use super::grounds::{Grounds, TOGETHER};
use super::{Desk, Item, RetrieveError, Scale};

/// What was found, where it counts more if it rests on texts that were found, too: a summary is short, and names little of
/// what was summed up.
///
/// What rests on the best of the texts gets all of `weight`; others the share of the best score that their best text has.
///
/// ```
/// use stratigraph_rag::retrieve::Attest;
///
/// assert_eq!(Attest::new(1.0), serde_json::from_str(r#"{"weight": 1.0}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Attest {
    weight: f32,
}

impl Attest {
    /// With this weight.
    pub fn new(weight: f32) -> Self {
        Self { weight }
    }

    /// Lifts items by texts. What rests on none of these stays as it is; equal ones stay in the order of the list.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        mut items: Vec<Item>,
        texts: &[Item],
    ) -> Result<Vec<Item>, RetrieveError> {
        let scores = texts.iter().map(|text| (text.entity, text.score.value));
        let scores: HashMap<Entity, f32> = scores.collect();
        let best = scores.values().copied().fold(0.0, f32::max);
        if best <= 0.0 {
            return Ok(items);
        }
        let mut grounds = Grounds::new(desk.read());
        for items in items.chunks_mut(TOGETHER) {
            grounds.read_items(items)?;
            for item in items {
                let (_, under) = grounds.under(item.entity)?;
                let said = under
                    .into_iter()
                    .filter_map(|text| scores.get(&text.into()));
                let said = said.copied().fold(0.0, f32::max);
                item.score = Scale::Weighted.score(item.score.value + self.weight * said / best);
            }
        }
        items.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, called};
    use super::super::{Bm25, Layer, Vector};
    use super::*;

    #[test]
    fn what_rests_on_a_text_that_was_found_is_lifted_by_its_share() {
        let trial = Trial::new();
        trial.put("a", 2020, "# Rivers 0.6\n\nAll water flows.\n", &[]);
        trial.put("b", 2020, "# Rocks 0.5\n\nBasalt and lava.\n", &[]);
        trial.put(
            "c",
            2020,
            "# Sand 0.4\n\nBasalt, much of it under much else.\n",
            &[],
        );
        trial.ask("basalt lava", |desk| {
            let near = Vector::new(Layer::Sections, 10).run(desk).unwrap();
            assert_eq!(called(desk, &near), ["Rivers 0.6", "Rocks 0.5", "Sand 0.4"]);
            let texts = Bm25::new(10).run(desk).unwrap();
            let share = texts[1].score.value / texts[0].score.value;
            let lifted = Attest::new(0.5).run(desk, near.clone(), &texts).unwrap();
            assert_eq!(called(desk, &lifted)[0], "Rocks 0.5");
            let sand = lifted.iter().find(|item| item.entity == near[2].entity);
            for (item, wanted) in [(&lifted[0], 1.0), (sand.unwrap(), 0.4 + 0.5 * share)] {
                assert!((item.score.value - wanted).abs() < 1e-3, "{lifted:?}");
                assert_eq!(item.score.scale, Scale::Weighted);
            }
            let none = Attest::new(0.5).run(desk, near.clone(), &[]).unwrap();
            assert_eq!(none, near);
        });
    }
}
