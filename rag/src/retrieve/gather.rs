//! Everything that is stated of what the question names.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{NodeId, Read, RelationshipId};

use super::ends::facts_of;
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
        let mut scores: HashMap<Entity, f32> = HashMap::new();
        let mut scale = None;
        let mut named: Vec<(NodeId, &Item)> = Vec::new();
        for item in items {
            match item.entity {
                Entity::Node(node) => named.push((node, item)),
                Entity::Relationship(_) => {
                    scale.get_or_insert(item.score.scale);
                    scores.entry(item.entity).or_insert(item.score.value);
                }
            }
        }
        let scale = scale.unwrap_or(Scale::Named);
        let best = scores.values().copied().reduce(f32::max).unwrap_or(1.0);
        let mut gathered = Vec::with_capacity(named.len());
        for (node, item) in named {
            let facts = facts_of(desk.read(), node)?;
            let found = facts.iter().filter_map(|fact| scores.get(&(*fact).into()));
            let sum: f32 = found.sum();
            gathered.push((item, facts, sum));
        }
        let greatest = gathered.iter().map(|(_, _, sum)| *sum).fold(0.0, f32::max);
        let mut by_fact: BTreeMap<RelationshipId, Item> = BTreeMap::new();
        for (item, facts, sum) in gathered {
            let share = match greatest > 0.0 {
                true => self.weight * best * sum / greatest,
                false => 0.0,
            };
            for fact in facts {
                let own = scores.get(&fact.into()).copied().unwrap_or_default();
                let score = scale.score(own + share);
                let step = || Item {
                    score,
                    ..item.step(FACT, fact)
                };
                let known = by_fact.entry(fact).or_insert_with(step);
                if score.value > known.score.value {
                    *known = step();
                }
            }
        }
        let mut facts: Vec<Item> = by_fact.into_values().collect();
        facts.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        desk.keep_allowed(&mut facts)?;
        facts.truncate(self.k);
        Ok(facts)
    }
}
