//! KEEP: from the scores of a level to what happens to each of its candidates.
//!
//! A plain threshold, a WHERE with TOP, and TOP PER PARENT all end in one status per candidate.
//! Nothing here reads the graph or remembers an earlier level.

use super::arrivals::Group;
use super::options::{Considered, Keep, Where};
use super::order;
use crate::value::NodeId;
use std::fmt;

/// What happened to a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Admitted by KEEP.
    Kept,
    /// Admitted by RECOVER.
    Recovered,
    /// Its WHERE was not true.
    Rejected,
    /// It passed the WHERE and was not among the TOP.
    Cut,
    /// Its WHERE was not true, and its score was null.
    Unscored,
}

impl Status {
    /// The status as a query sees it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Recovered => "recovered",
            Self::Rejected => "rejected",
            Self::Cut => "cut",
            Self::Unscored => "unscored",
        }
    }

    /// Whether it was admitted.
    #[must_use]
    pub fn is_admitted(self) -> bool {
        matches!(self, Self::Kept | Self::Recovered)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The decision about one level, candidate by candidate.
#[derive(Debug)]
pub(super) struct Verdict {
    /// The score of the best arrival; NaN is null.
    pub(super) scores: Vec<f64>,
    /// The best arrival's entry, where it is not simply the first.
    best: Option<Vec<usize>>,
    pub(super) statuses: Vec<Status>,
    /// What RECOVER admitted of nodes that are no candidates, ascending.
    pub(super) recovered: Vec<(NodeId, f64)>,
}

/// The score as a condition sees it.
#[inline]
pub(super) fn nullable(score: f64) -> Option<f64> {
    (!score.is_nan()).then_some(score)
}

impl Verdict {
    /// A decision made elsewhere: null scores, and these nodes (ascending) kept.
    pub(super) fn by_nodes(group: &Group, kept: &[NodeId]) -> Self {
        let statuses = group.nodes.iter().map(|node| {
            if kept.binary_search(node).is_ok() {
                Status::Kept
            } else {
                Status::Rejected
            }
        });
        Self {
            scores: vec![f64::NAN; group.nodes.len()],
            best: None,
            statuses: statuses.collect(),
            recovered: Vec::new(),
        }
    }

    /// Applies KEEP to scores, one per node, or one per way if `per_arrival`. With `free`, which is
    /// UNFILTERED at level 0, everything is kept.
    pub(super) fn by_scores<E>(
        group: &Group,
        level: u32,
        scores: Vec<f64>,
        per_arrival: bool,
        keep: &mut Keep<'_, E>,
        free: bool,
    ) -> Result<Self, E> {
        // Roots have no ways: then there is one score per node in any case.
        let (mut verdict, way_scores) = if per_arrival && group.has_arrivals() {
            (Self::best_of(group, &scores), Some(scores))
        } else {
            let verdict = Self {
                scores,
                best: None,
                statuses: Vec::new(),
                recovered: Vec::new(),
            };
            (verdict, None)
        };
        if free {
            verdict.statuses = vec![Status::Kept; group.nodes.len()];
            return Ok(verdict);
        }
        verdict.statuses = verdict.conditions(group, level, &mut keep.condition)?;
        if let Some(top) = keep.top {
            if keep.per_parent && group.has_arrivals() {
                verdict.top_per_parent(group, top, way_scores.as_deref());
            } else {
                verdict.top_of_level(top);
            }
        }
        Ok(verdict)
    }

    /// The best way to each node: score descending, null last, then the order they stand in.
    fn best_of(group: &Group, way_scores: &[f64]) -> Self {
        let mut scores = Vec::with_capacity(group.nodes.len());
        let mut best = Vec::with_capacity(group.nodes.len());
        for candidate in 0..group.nodes.len() {
            let score = |entry: &usize| way_scores.get(*entry).copied().unwrap_or(f64::NAN);
            let entries = group.entries(candidate);
            let first = entries.start;
            let entry = entries
                .min_by_key(|entry| order::descending(score(entry)))
                .unwrap_or(first);
            best.push(entry);
            scores.push(score(&entry));
        }
        Self {
            scores,
            best: Some(best),
            statuses: Vec::new(),
            recovered: Vec::new(),
        }
    }

    /// The entry of a candidate's best way; a recovered one has none. Where the score is the node's, that is the first one,
    /// because ways are in the order of parents and relationships.
    #[inline]
    pub(super) fn best_entry(&self, group: &Group, candidate: usize) -> Option<usize> {
        match &self.best {
            _ if self.statuses.get(candidate) == Some(&Status::Recovered) => None,
            Some(best) => best.get(candidate).copied(),
            None => {
                let entries = group.entries(candidate);
                (!entries.is_empty()).then_some(entries.start)
            }
        }
    }

    /// WHERE, candidate by candidate.
    fn conditions<E>(
        &self,
        group: &Group,
        level: u32,
        condition: &mut Where<'_, E>,
    ) -> Result<Vec<Status>, E> {
        let decided = |score: &f64, passes: bool| {
            if passes {
                Status::Kept
            } else if score.is_nan() {
                Status::Unscored
            } else {
                Status::Rejected
            }
        };
        // Comparisons with NaN are false, which is what null should do to a threshold.
        Ok(match condition {
            Where::Always => vec![Status::Kept; self.scores.len()],
            Where::Above(threshold) => (self.scores.iter())
                .map(|score| decided(score, *score > *threshold))
                .collect(),
            Where::AtLeast(threshold) => (self.scores.iter())
                .map(|score| decided(score, *score >= *threshold))
                .collect(),
            Where::Node(_) | Where::Arrival(_) => {
                let sees_arrivals = condition.sees_arrivals();
                let mut statuses = Vec::with_capacity(self.scores.len());
                for (candidate, (node, score)) in group.nodes.iter().zip(&self.scores).enumerate() {
                    let best = sees_arrivals.then(|| self.best_entry(group, candidate));
                    let considered = Considered {
                        node: *node,
                        score: nullable(*score),
                        level,
                        arrival: best.flatten().and_then(|entry| group.arrival(entry)),
                    };
                    statuses.push(decided(score, condition.passes(&considered)?));
                }
                statuses
            }
        })
    }

    /// Candidates that passed the WHERE and have a score.
    fn eligible(&self) -> impl Iterator<Item = usize> {
        (self.statuses.iter().zip(&self.scores).enumerate())
            .filter(|(_, (status, score))| **status == Status::Kept && !score.is_nan())
            .map(|(candidate, _)| candidate)
    }

    /// TOP: the best of the level stay kept, the others are cut, and null scores with them.
    fn top_of_level(&mut self, top: usize) {
        let mut entries: Vec<(u64, usize)> = self
            .eligible()
            .map(|candidate| (self.key(candidate), candidate))
            .collect();
        if top < entries.len() {
            entries.select_nth_unstable(top);
            entries.truncate(top);
        }
        self.cut_all_but(entries.iter().map(|(_, candidate)| *candidate));
    }

    /// TOP PER PARENT: each parent ranks its candidates by their best way from it, also one whose
    /// way has a null score, if another way gave it one.
    fn top_per_parent(&mut self, group: &Group, top: usize, way_scores: Option<&[f64]>) {
        let mut entries: Vec<(NodeId, u64, usize)> = Vec::new();
        for candidate in self.eligible() {
            for entry in group.entries(candidate) {
                let Some(way) = group.arrival(entry) else {
                    continue;
                };
                let key = match way_scores {
                    Some(scores) => {
                        order::descending(scores.get(entry).copied().unwrap_or(f64::NAN))
                    }
                    None => self.key(candidate),
                };
                // Ways are grouped by parent: a second one from the same parent only betters it.
                match entries.last_mut() {
                    Some(last) if last.0 == way.parent && last.2 == candidate => {
                        last.1 = last.1.min(key);
                    }
                    _ => entries.push((way.parent, key, candidate)),
                }
            }
        }
        entries.sort_unstable();
        let winners: Vec<usize> = entries
            .chunk_by(|left, right| left.0 == right.0)
            .flat_map(|of_parent| of_parent.iter().take(top))
            .map(|(_, _, candidate)| *candidate)
            .collect();
        self.cut_all_but(winners.into_iter());
    }

    fn key(&self, candidate: usize) -> u64 {
        order::descending(self.scores.get(candidate).copied().unwrap_or(f64::NAN))
    }

    fn cut_all_but(&mut self, winners: impl Iterator<Item = usize>) {
        for status in &mut self.statuses {
            if *status == Status::Kept {
                *status = Status::Cut;
            }
        }
        for winner in winners {
            if let Some(status) = self.statuses.get_mut(winner) {
                *status = Status::Kept;
            }
        }
    }
}
