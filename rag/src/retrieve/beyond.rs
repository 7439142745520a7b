//! The best of the facts that some things are ends of.
//!
//! Half of a graph may be about one thing, so most of its facts are never looked at: what comes by one end has no more than
//! that end's share unless it was found itself, and what was found is known with its ends.

use std::collections::{BTreeMap, HashSet};

use stratigraph::graph::Entity;
use stratigraph::{Direction, NodeId, Read, RelationshipId};

use super::{Desk, Item, RetrieveError};
use crate::build::FACT;

/// So many facts of one end are looked at.
const MOST_FACTS: usize = 10_000;

/// What leads to the facts of one end, and the score that it gives each of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way<'i> {
    pub(super) end: NodeId,
    pub(super) from: &'i Item,
    pub(super) share: f32,
}

/// A fact at one of the ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtEnd<'i> {
    pub(super) fact: RelationshipId,
    /// What it had itself, and the share of the best way that leads to it.
    pub(super) score: f32,
    pub(super) from: &'i Item,
}

/// The facts that were found, each with its score.
pub(super) fn scores_of(items: &[Item]) -> BTreeMap<RelationshipId, f32> {
    let mut scores = BTreeMap::new();
    for item in items {
        if let Some(fact) = item.entity.relationship() {
            scores.entry(fact).or_insert(item.score.value);
        }
    }
    scores
}

/// The `k` best of the facts to which a way leads, but for some. Of several ways to a fact the best counts, and of equals the
/// first; of equal facts the older one is first.
pub(super) fn best_at<'i, R: Read>(
    desk: &Desk<'_, R>,
    mut ways: Vec<Way<'i>>,
    own: &BTreeMap<RelationshipId, f32>,
    but: &HashSet<RelationshipId>,
    k: usize,
) -> Result<Vec<AtEnd<'i>>, RetrieveError> {
    ways.sort_by(|one, other| other.share.total_cmp(&one.share));
    let mut ends = HashSet::new();
    ways.retain(|way| ends.insert(way.end));
    let ends = desk.ends_of(own.keys().copied().map(Entity::from))?;
    let mut found = Vec::new();
    for (fact, score) in own.iter().filter(|(fact, _)| !but.contains(*fact)) {
        let Some(both) = ends.get(fact) else { continue };
        if let Some(way) = ways.iter().find(|way| both.contains(&way.end)) {
            found.push(AtEnd {
                fact: *fact,
                score: score + way.share,
                from: way.from,
            });
        }
    }
    let mut known: HashSet<RelationshipId> = own.keys().chain(but).copied().collect();
    for way in ways {
        // Nothing by this way or a later one would be among the best.
        if found.iter().filter(|found| found.score > way.share).count() >= k {
            break;
        }
        let facts = desk.read();
        let facts = facts.neighbours(way.end, Direction::Both, Some(FACT))?;
        for fact in facts.take(MOST_FACTS) {
            let fact = fact?.relationship;
            if known.insert(fact) {
                found.push(AtEnd {
                    fact,
                    score: way.share,
                    from: way.from,
                });
            }
        }
    }
    let in_order = |one: &AtEnd<'_>, other: &AtEnd<'_>| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then(one.fact.cmp(&other.fact))
    };
    if k < found.len() {
        found.select_nth_unstable_by(k, in_order);
        found.truncate(k);
    }
    found.sort_unstable_by(in_order);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::Scale;
    use super::super::trial::Trial;
    use super::*;
    use crate::build::Label;
    use fastrand::Rng;
    use stratigraph::graph::Entity;

    /// What [`best_at`] is to find, from all facts.
    fn of_all<R: Read>(
        desk: &Desk<'_, R>,
        ways: &[Way<'_>],
        own: &BTreeMap<RelationshipId, f32>,
        but: &HashSet<RelationshipId>,
        k: usize,
    ) -> Vec<(RelationshipId, f32, Entity)> {
        let facts = desk.read().relationships_of_type(FACT).unwrap();
        let facts = facts.iter().map(RelationshipId::new);
        let scored = facts.filter(|fact| !but.contains(fact)).filter_map(|fact| {
            let read = desk.read().relationship(fact).unwrap().unwrap();
            let ends = [read.source(), read.target()];
            let leads = ways.iter().filter(|way| ends.contains(&way.end));
            let best = leads.reduce(|best, way| if way.share > best.share { way } else { best })?;
            let score = best.share + own.get(&fact).copied().unwrap_or_default();
            Some((fact, score, best.from.entity))
        });
        let mut scored: Vec<_> = scored.collect();
        scored.sort_by(|one, other| other.1.total_cmp(&one.1));
        scored.truncate(k);
        scored
    }

    #[test]
    fn what_is_not_looked_at_is_not_among_the_best() {
        let mut rng = Rng::with_seed(7);
        let trial = Trial::new();
        let name = |rng: &mut Rng| format!("N{}", rng.usize(..12).min(rng.usize(..12)));
        let said: Vec<[String; 3]> = (0..200)
            .map(|number| [name(&mut rng), format!("says {number}"), name(&mut rng)])
            .collect();
        let said: Vec<(&str, &str, &str)> = said
            .iter()
            .map(|[one, by, other]| (&**one, &**by, &**other))
            .collect();
        let names: Vec<String> = (0..12).map(|number| format!("N{number}")).collect();
        trial.put("all", 2020, &format!("# A\n\n{}\n", names.join(" ")), &said);
        trial.ask("what?", |desk| {
            let nodes = desk.read().nodes_with_label(Label::Entity.name()).unwrap();
            let nodes: Vec<NodeId> = nodes.iter().map(NodeId::new).collect();
            let facts = desk.read().relationships_of_type(FACT).unwrap();
            let facts: Vec<RelationshipId> = facts.iter().map(RelationshipId::new).collect();
            assert!(facts.len() > 100, "{} facts", facts.len());
            let items: Vec<Item> = nodes
                .iter()
                .map(|node| Item::found(*node, Scale::Named.score(1.0)))
                .collect();
            let mut found = 0;
            for _ in 0..300 {
                // Few shares, so that many are equal.
                let ways: Vec<Way<'_>> = (0..rng.usize(1..8))
                    .map(|_| Way {
                        end: *rng.choice(&nodes).unwrap(),
                        from: rng.choice(&items).unwrap(),
                        share: f32::from(rng.u8(1..4)),
                    })
                    .collect();
                let mut some = |count: usize| -> Vec<RelationshipId> {
                    (0..count).map(|_| *rng.choice(&facts).unwrap()).collect()
                };
                let but: HashSet<RelationshipId> = some(5).into_iter().collect();
                let own = some(20)
                    .into_iter()
                    .map(|fact| (fact, fact.get() as f32 % 3.0));
                let own: BTreeMap<RelationshipId, f32> = own.collect();
                let k = rng.usize(0..60);
                let best = best_at(desk, ways.clone(), &own, &but, k).unwrap();
                let best = best.iter().map(|at| (at.fact, at.score, at.from.entity));
                let best: Vec<_> = best.collect();
                assert_eq!(best, of_all(desk, &ways, &own, &but, k));
                found += best.len();
            }
            assert!(found > 3000, "{found}");
        });
    }
}
