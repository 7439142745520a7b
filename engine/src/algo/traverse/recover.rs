//! RECOVER: looks at the members of a level that the traversal does not have.
//!
//! A member that was a candidate of the level has its score already, if the same scorer would give
//! it again: nothing is scored twice. What is found starts anew, without a parent.

use super::arrivals::Group;
use super::node_set::NodeSet;
use super::options::{Considered, Recover};
use super::order::{self, Keyed};
use super::scorer::{Candidates, Scorer};
use super::verdict::{Status, Verdict, best, nullable};
use crate::value::NodeId;

/// What RECOVER found on one level, and what it cost.
#[derive(Debug, Default)]
pub(super) struct Recovered {
    /// The nodes, ascending, with their scores.
    pub(super) found: Vec<(NodeId, f64)>,
    /// How many members were looked at.
    pub(super) scanned: u64,
    /// How many of them had to be scored.
    pub(super) scored: u64,
}

/// The members of a level that are neither admitted nor about to be.
struct Missing {
    nodes: Vec<NodeId>,
    /// The scores where they are known from the candidates; all of them if `known`.
    scores: Vec<f64>,
    unknown: Vec<usize>,
}

impl Missing {
    /// Walks members and candidates side by side; both ascend.
    fn among(members: &[NodeId], group: &Group, verdict: &Verdict, admitted: &NodeSet) -> Self {
        let mut missing = Self {
            nodes: Vec::with_capacity(members.len()),
            scores: Vec::with_capacity(members.len()),
            unknown: Vec::new(),
        };
        let mut candidates = (group.nodes.iter())
            .zip(verdict.scores.iter().zip(&verdict.statuses))
            .peekable();
        for member in members {
            while candidates.next_if(|(node, _)| *node < member).is_some() {}
            let candidate = candidates.next_if(|(node, _)| *node == member);
            match candidate {
                // A candidate is never admitted yet.
                Some((_, (_, Status::Kept))) => {}
                Some((_, (score, _))) => {
                    missing.nodes.push(*member);
                    missing.scores.push(*score);
                }
                None if admitted.contains(*member) => {}
                None => {
                    missing.unknown.push(missing.nodes.len());
                    missing.nodes.push(*member);
                    missing.scores.push(f64::NAN);
                }
            }
        }
        missing
    }

    /// Scores those without a score.
    fn score_unknown<E>(&mut self, level: u32, scorer: &mut dyn Scorer<E>) -> Result<u64, E> {
        let nodes: Vec<NodeId> = (self.unknown.iter())
            .filter_map(|at| self.nodes.get(*at).copied())
            .collect();
        if nodes.is_empty() {
            return Ok(0);
        }
        let mut scores = vec![f64::NAN; nodes.len()];
        let candidates = Candidates {
            nodes: &nodes,
            arrivals: None,
        };
        scorer.score(level, candidates, &mut scores)?;
        for (at, score) in self.unknown.iter().zip(scores) {
            if let Some(slot) = self.scores.get_mut(*at) {
                *slot = score;
            }
        }
        Ok(nodes.len() as u64)
    }

    /// Forgets the scores of the candidates, because another scorer would not give them.
    fn forget_scores(&mut self) {
        self.scores.fill(f64::NAN);
        self.unknown = (0..self.nodes.len()).collect();
    }
}

impl<E> Recover<'_, E> {
    /// Looks at a level; `scorer` is the one of the traversal.
    pub(super) fn look(
        &mut self,
        level: u32,
        group: &Group,
        verdict: &Verdict,
        admitted: &NodeSet,
        scorer: Option<&mut (dyn Scorer<E> + '_)>,
    ) -> Result<Recovered, E> {
        let mut members = Vec::new();
        self.members.members(level, &mut members)?;
        order::sort_distinct(&mut members);
        let mut missing = Missing::among(&members, group, verdict, admitted);
        drop(members);
        let mut recovered = Recovered {
            scanned: missing.nodes.len() as u64,
            ..Recovered::default()
        };
        recovered.scored = match (&mut self.scorer, scorer) {
            (Some(own), _) => {
                missing.forget_scores();
                missing.score_unknown(level, own.as_mut())?
            }
            (None, Some(scorer)) => {
                if scorer.scores_arrivals() {
                    missing.forget_scores();
                }
                missing.score_unknown(level, scorer)?
            }
            (None, None) => 0,
        };
        let mut entries: Vec<Keyed> = Vec::new();
        for (at, (node, score)) in missing.nodes.iter().zip(&missing.scores).enumerate() {
            let considered = Considered {
                node: *node,
                score: nullable(*score),
                level,
                arrival: None,
            };
            if self.keep.condition.passes(&considered)? && !score.is_nan() {
                entries.push((order::descending(*score), at));
            }
        }
        if let Some(top) = self.keep.top {
            best(&mut entries, top);
            entries.sort_unstable_by_key(|(_, at)| *at);
        }
        recovered.found = (entries.iter())
            .filter_map(|(_, at)| Some((*missing.nodes.get(*at)?, *missing.scores.get(*at)?)))
            .collect();
        Ok(recovered)
    }
}
