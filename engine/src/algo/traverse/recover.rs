//! RECOVER: looks at the members of a level that the traversal does not have.
//!
//! A member that was a candidate of the level has its score already, if the same scorer would give
//! it again: nothing is scored twice. What is found starts anew, without a parent.

use super::arrivals::Group;
use super::node_set::NodeSet;
use super::options::{Considered, Keep, Recover, Where};
use super::order;
use super::scorer::{Candidates, Scorer, Wanted};
use super::steps::Ascending;
use super::verdict::{Status, Verdict, nullable};
use crate::value::NodeId;

/// What looking for members cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Looked {
    /// How many members were neither admitted nor about to be.
    pub(super) scanned: u64,
    /// How many of them had to be scored.
    pub(super) scored: u64,
}

/// A member that passed the WHERE.
type Found = (NodeId, f64);

impl Verdict {
    /// Admits nodes (ascending) that KEEP did not: candidates change their status and forget their
    /// way, the others are put beside the candidates.
    pub(super) fn recover(&mut self, group: &Group, found: &[Found]) {
        let mut candidates = Ascending::new(&group.nodes);
        for (node, score) in found {
            match candidates.find(*node) {
                None => self.recovered.push((*node, *score)),
                Some(at) => {
                    if let (Some(status), Some(known)) =
                        (self.statuses.get_mut(at), self.scores.get_mut(at))
                    {
                        *status = Status::Recovered;
                        *known = *score;
                    }
                }
            }
        }
    }
}

/// The better `top` of them, in ascending order of nodes.
fn best(mut found: Vec<Found>, top: Option<usize>) -> Vec<Found> {
    if let Some(top) = top.filter(|top| *top < found.len()) {
        found.select_nth_unstable_by_key(top, |(node, score)| (order::descending(*score), *node));
        found.truncate(top);
    }
    found.sort_unstable_by_key(|(node, _)| *node);
    found
}

/// Whom a KEEP can admit by the score alone, if that is all that it looks at.
fn wanted<E>(keep: &Keep<'_, E>) -> Option<Wanted> {
    let at_least = match keep.condition {
        Where::Always => None,
        // No score is as good as what is no number.
        Where::Above(bound) | Where::AtLeast(bound) if bound.is_nan() => return None,
        Where::Above(bound) | Where::AtLeast(bound) => Some(bound),
        Where::Node(_) | Where::Arrival(_) => return None,
    };
    let top = keep.top;
    (at_least.is_some() || top.is_some()).then_some(Wanted { at_least, top })
}

impl<E> Recover<'_, E> {
    /// Looks at a level and admits what it finds; `scorer` is the one of the traversal.
    pub(super) fn look(
        &mut self,
        level: u32,
        group: &Group,
        verdict: &mut Verdict,
        admitted: &NodeSet,
        scorer: Option<&mut (dyn Scorer<E> + '_)>,
    ) -> Result<Looked, E> {
        let Self {
            members: source,
            scorer: own,
            keep,
        } = self;
        let mut members = Vec::new();
        source.members(level, &mut members)?;
        order::sort_distinct(&mut members);
        // Without any scorer all scores are null, and a null score is never recovered.
        let reusable =
            own.is_none() && (scorer.as_ref()).is_none_or(|scorer| !scorer.scores_arrivals());
        let wanted = wanted(keep);
        let mut looked = Looked::default();
        let mut found: Vec<Found> = Vec::new();
        let mut passes = |node: NodeId, score: f64| {
            let considered = Considered {
                node,
                score: nullable(score),
                level,
                arrival: None,
            };
            Ok(keep.condition.passes(&considered)? && !score.is_nan())
        };

        // Members and candidates are walked side by side; both ascend.
        let mut unknown: Vec<NodeId> = Vec::new();
        let mut at = 0;
        for member in members {
            while group.nodes.get(at).is_some_and(|node| *node < member) {
                at += 1;
            }
            let candidate = group.nodes.get(at).is_some_and(|node| *node == member);
            if !candidate {
                if !admitted.contains(member) {
                    unknown.push(member);
                }
                continue;
            }
            // A candidate is not admitted yet, so only its status counts.
            let (Some(status), Some(score)) =
                (verdict.statuses.get_mut(at), verdict.scores.get(at))
            else {
                continue;
            };
            if *status == Status::Kept {
                continue;
            }
            if !reusable {
                unknown.push(member);
                continue;
            }
            looked.scanned += 1;
            if passes(member, *score)? {
                if keep.top.is_some() {
                    found.push((member, *score));
                } else {
                    *status = Status::Recovered;
                }
            }
        }

        looked.scanned += unknown.len() as u64;
        if !unknown.is_empty() {
            let mut scores = vec![f64::NAN; unknown.len()];
            let candidates = Candidates::of(&unknown);
            let scorer = match own {
                Some(own) => Some(&mut **own as &mut dyn Scorer<E>),
                None => scorer.map(|scorer| scorer as &mut dyn Scorer<E>),
            };
            if let Some(scorer) = scorer {
                // Who is not wanted counts as scored: it is known that his score is too low.
                match wanted {
                    Some(wanted) => scorer.score_wanted(level, candidates, wanted, &mut scores)?,
                    None => scorer.score(level, candidates, &mut scores)?,
                }
                looked.scored = unknown.len() as u64;
            }
            for (node, score) in unknown.iter().zip(scores) {
                if passes(*node, score)? {
                    found.push((*node, score));
                }
            }
        }
        verdict.recover(group, &best(found, keep.top));
        Ok(looked)
    }
}
