//! From facts that were found to those that go on from them.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{Direction, Read, RelationshipId};

use super::ends::{Ends, facts_of};
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
        let facts = facts.filter(|item| matches!(item.entity, Entity::Relationship(_)));
        let seeds: Vec<&Item> = facts.take(self.seeds).collect();
        let known: HashSet<Entity> = seeds.iter().map(|seed| seed.entity).collect();
        let ends = Ends::of(desk, known.iter().copied())?;
        let all = read.relationship_count(by)?;
        let mut onward: BTreeMap<RelationshipId, (&Item, f32)> = BTreeMap::new();
        for seed in &seeds {
            for end in ends.at(seed.entity) {
                let whole = ends.naming(*end).whole;
                let with = read.degree(*end, Direction::Both, by)?;
                let share = seed.score.value * rarity(all, with) * (1.0 - whole * whole);
                if share <= 0.0 {
                    continue;
                }
                for next in facts_of(read, *end)? {
                    if known.contains(&next.into()) {
                        continue;
                    }
                    let given = onward.entry(next).or_insert((seed, share));
                    if share > given.1 {
                        *given = (seed, share);
                    }
                }
            }
        }
        let own = items.iter().map(|item| (item.entity, item.score.value));
        let own: HashMap<Entity, f32> = own.collect();
        let onward = onward.into_iter().map(|(fact, (seed, share))| {
            let mut item = seed.step(FACT, fact);
            item.score.value = share + own.get(&item.entity).copied().unwrap_or_default();
            item
        });
        let mut onward: Vec<Item> = onward.collect();
        onward.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        onward.truncate(self.k);
        Ok(onward)
    }
}
