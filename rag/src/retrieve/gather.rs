//! Everything that is stated of what the question names.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{NodeId, Read};

use super::beyond::{Way, best_at, scores_of};
use super::{Desk, Item, RetrieveError, Scale};
use crate::build::FACT;

/// All facts of the entities that it is given, in the order in which the facts that it is given speak of them: who asks what a
/// ministry has to do asks for all of it, and most of that has no other word of the question.
///
/// An entity counts by the sum of the scores of its facts that were found: of several that a question names, it is
/// mostly about the one of which the most was found. The one with the greatest sum gives all of `weight`, times the best score, to each
/// of its facts; others what their sums are beside that. What a fact had itself is added. Facts that are of none of the entities
/// are left out.
///
/// ```
/// use stratigraph_rag::retrieve::Gather;
///
/// assert_eq!(Gather::new(700), serde_json::from_str(r#"{"k": 700}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Gather {
    /// So many are given.
    k: usize,
    /// The share of the best score that the facts of the entity get of which the most was found.
    #[serde(default = "weight")]
    weight: f32,
}

fn weight() -> f32 {
    1.0
}

impl Gather {
    /// At most `k`.
    pub fn new(k: usize) -> Self {
        let weight = weight();
        Self { k, weight }
    }

    /// Gathers. Of equals the older fact is first.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        items: &[Item],
    ) -> Result<Vec<Item>, RetrieveError> {
        let scores = scores_of(items);
        let is_fact = |item: &&Item| item.entity.relationship().is_some();
        let scale = items.iter().find(is_fact).map(|item| item.score.scale);
        let scale = scale.unwrap_or(Scale::Named);
        let best = scores.values().copied().reduce(f32::max).unwrap_or(1.0);
        let ends = desk.ends_of(scores.keys().copied().map(Entity::from))?;
        let named = items
            .iter()
            .filter_map(|item| Some((item.entity.node()?, item)));
        let named = named.map(|(end, from)| {
            let found = scores
                .iter()
                .filter(|(fact, _)| ends.get(*fact).is_some_and(|both| both.contains(&end)));
            let sum: f32 = found.map(|(_, score)| score).sum();
            (end, from, sum)
        });
        let named: Vec<(NodeId, &Item, f32)> = named.collect();
        let greatest = named.iter().map(|(_, _, sum)| *sum).fold(0.0, f32::max);
        let ways = named.into_iter().map(|(end, from, sum)| Way {
            end,
            from,
            share: match greatest > 0.0 {
                true => self.weight * best * sum / greatest,
                false => 0.0,
            },
        });
        // Who chooses documents may choose few of them.
        let enough = match desk.chosen()? {
            Some(_) => usize::MAX,
            None => self.k,
        };
        let facts = best_at(desk, ways.collect(), &scores, &HashSet::new(), enough)?;
        let facts = facts.into_iter().map(|next| Item {
            score: scale.score(next.score),
            ..next.from.step(FACT, next.fact)
        });
        let mut facts: Vec<Item> = facts.collect();
        desk.keep_allowed(&mut facts)?;
        facts.truncate(self.k);
        Ok(facts)
    }
}
