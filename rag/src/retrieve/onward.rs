//! From facts that were found to those that go on from them.

use serde::{Deserialize, Serialize};
use stratigraph::{Direction, Read};

use super::beyond::{Way, best_at, scores_of};
use super::ends::Ends;
use super::titles::rarity;
use super::{Desk, Item, RetrieveError};
use crate::build::FACT;

/// The facts that go on from the best that were found: those at the ends that the question does not name, for of what
/// it names it was found already what there is to say. Who asks where the maker of something was born asks for two facts, and only
/// the first has the words of the question.
///
/// A fact is given a share of the score of the one that leads to it: less the more of the end between them the question
/// names, and the more facts that end has. Several ways give no more than the best, and what the fact had
/// itself is added. Those that it goes on from are not given again.
///
/// ```
/// use stratigraph_rag::retrieve::Onward;
///
/// assert_eq!(Onward::new(10, 20), serde_json::from_str(r#"{"seeds": 10, "k": 20}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Onward {
    /// On from so many of the best.
    seeds: usize,
    /// So many are given.
    k: usize,
}

impl Onward {
    /// The `k` best that go on from the `seeds` best.
    pub fn new(seeds: usize, k: usize) -> Self {
        Self { seeds, k }
    }

    /// Goes on. Of equals the older fact is first.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        items: &[Item],
    ) -> Result<Vec<Item>, RetrieveError> {
        let (read, by) = (desk.read(), Some(FACT));
        let facts = items.iter();
        let facts = facts.filter(|item| item.entity.relationship().is_some());
        let seeds: Vec<&Item> = facts.take(self.seeds).collect();
        let ends = Ends::of(desk, seeds.iter().map(|seed| seed.entity))?;
        let all = read.relationship_count(by)?;
        let mut ways = Vec::new();
        for seed in &seeds {
            for end in ends.at(seed.entity) {
                let whole = ends.naming(*end).whole;
                let with = read.degree(*end, Direction::Both, by)?;
                let share = seed.score.value * rarity(all, with) * (1.0 - whole * whole);
                if share > 0.0 {
                    ways.push(Way {
                        end: *end,
                        from: seed,
                        share,
                    });
                }
            }
        }
        let known = seeds.iter().filter_map(|seed| seed.entity.relationship());
        let onward = best_at(desk, ways, &scores_of(items), &known.collect(), self.k)?;
        let onward = onward.into_iter().map(|next| {
            let mut item = next.from.step(FACT, next.fact);
            item.score.value = next.score;
            item
        });
        Ok(onward.collect())
    }
}
