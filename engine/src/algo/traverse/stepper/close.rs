//! The end of a level: who was admitted, and its rows.
//!
//! What was decided becomes the next frontier, the trail and the columns. It must never ask the
//! graph, a scorer or the clock.

use super::super::arrivals::Group;
use super::super::error::TraverseError;
use super::super::options::Emit;
use super::super::order;
use super::super::scorer::ArrivalView;
use super::super::trail::TrailLevel;
use super::super::verdict::{Status, Verdict};
use super::TraverseStepper;
use crate::value::{NodeId, RelationshipId};

/// A way that is in no row.
const NO_WAY: ArrivalView<'static> = ArrivalView {
    parent: NodeId::new(0),
    via: &[],
    relationship: RelationshipId::new(0),
};

/// Something that becomes a row or a node of the next frontier: a candidate by its place, or behind
/// all candidates a recovered node that is none.
#[derive(Clone, Copy)]
struct Decided<'l> {
    group: &'l Group,
    verdict: &'l Verdict,
}

impl<'l> Decided<'l> {
    /// What was admitted, or with `all` everything, in ascending order of nodes.
    fn places(self, all: bool) -> impl Iterator<Item = usize> + Clone + 'l {
        let Self { group, verdict } = self;
        let count = group.nodes.len();
        let candidates = (verdict.statuses.iter().enumerate())
            .filter(move |(_, status)| all || status.is_admitted())
            .map(|(place, _)| place);
        let (mut candidates, mut others) = (
            candidates.peekable(),
            (0..verdict.recovered.len()).peekable(),
        );
        std::iter::from_fn(move || {
            let Some(other) = others.peek() else {
                return candidates.next();
            };
            let node = candidates.peek().and_then(|place| group.nodes.get(*place));
            let found = verdict.recovered.get(*other).map(|(node, _)| node);
            match (node, found) {
                (Some(node), Some(found)) if node < found => candidates.next(),
                _ => others.next().map(|other| count + other),
            }
        })
    }

    /// How many places there are.
    fn count(self, all: bool) -> usize {
        let statuses = self.verdict.statuses.iter();
        let candidates = statuses.filter(|status| all || status.is_admitted());
        candidates.count() + self.verdict.recovered.len()
    }

    /// Node and status at a place.
    #[inline]
    fn node(self, place: usize) -> Option<(NodeId, Status)> {
        let Self { group, verdict } = self;
        match group.nodes.get(place) {
            Some(node) => Some((*node, *verdict.statuses.get(place)?)),
            None => {
                let (node, _) = verdict.recovered.get(place - group.nodes.len())?;
                Some((*node, Status::Recovered))
            }
        }
    }

    /// The score at a place.
    #[inline]
    fn score(self, place: usize) -> Option<f64> {
        let Self { group, verdict } = self;
        match verdict.scores.get(place) {
            Some(score) => Some(*score),
            None => (verdict.recovered.get(place - group.nodes.len())).map(|(_, score)| *score),
        }
    }

    /// The best way to a place, if it has one.
    fn way(self, place: usize) -> Option<ArrivalView<'l>> {
        let Self { group, verdict } = self;
        let candidate = (place < group.nodes.len()).then_some(place)?;
        group.arrival(verdict.best_entry(group, candidate)?)
    }

    /// The places of these rows, which are what was admitted, among all candidates, from 1 on; nothing if they stand before
    /// all that was refused, as they do where only scores decide.
    fn ranks(self, nodes: &[NodeId], scores: &[f64]) -> Option<Vec<usize>> {
        let Self { group, verdict } = self;
        let last = (order::descending(*scores.last()?), *nodes.last()?);
        let candidates = group.nodes.iter().zip(&verdict.scores);
        let mut refused = candidates
            .zip(&verdict.statuses)
            .filter(|(_, status)| !status.is_admitted())
            .map(|((node, score), _)| (order::descending(*score), *node))
            .filter(|refused| *refused < last)
            .peekable();
        refused.peek()?;
        let keys = scores.iter().map(|score| order::descending(*score));
        let rows: Vec<(u64, NodeId)> = keys.zip(nodes.iter().copied()).collect();
        // How many that were refused stand between each row and the one before it.
        let mut between = vec![0_usize; rows.len()];
        for refused in refused {
            let place = rows.partition_point(|row| *row < refused);
            if let Some(count) = between.get_mut(place) {
                *count += 1;
            }
        }
        let mut before = 0_usize;
        let ranks = between.into_iter().zip(1..).map(|(count, place)| {
            before += count;
            before + place
        });
        Some(ranks.collect())
    }
}

impl<E> TraverseStepper<'_, E> {
    /// Admits what was decided, writes its rows, and moves on to the next level.
    pub(super) fn close_level(&mut self) -> Result<(), TraverseError<E>> {
        let undecided = TraverseError::Undecided { level: self.level };
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let Some(verdict) = open.verdict else {
            self.open = Some(open);
            return Err(undecided);
        };
        let decided = Decided {
            group: &open.group,
            verdict: &verdict,
        };
        let count = decided.count(false);
        let last = Some(self.level) == self.settings.levels.last;
        // After the last level nobody asks who was admitted.
        if !last || self.record.is_some() {
            let admitted = decided
                .places(false)
                .filter_map(|place| decided.node(place));
            self.frontier.reserve_exact(count);
            self.frontier.extend(admitted.map(|(node, _)| node));
            for node in &self.frontier {
                self.admitted.insert(*node);
            }
        }
        if let Some(record) = &mut self.record {
            record.close_level(self.level, &self.frontier);
        }
        if let Some(trail) = &mut self.rows.trail {
            let mut level = TrailLevel::default();
            for place in decided.places(false) {
                if let Some((node, _)) = decided.node(place) {
                    level.push(node, decided.way(place));
                }
            }
            trail.levels.push(level);
        }
        if self.level >= self.settings.levels.first {
            self.write_rows(decided);
        }
        self.summary.levels += 1;
        self.summary.admitted += count as u64;
        match self.level.checked_add(1) {
            Some(next) if !last => self.level = next,
            _ => self.done = true,
        }
        Ok(())
    }

    /// Rows of a level, in the order of rows.
    fn write_rows(&mut self, decided: Decided<'_>) {
        let all = self.settings.emit == Emit::Candidates;
        let count = decided.count(all);
        if count == 0 {
            return;
        }
        let scores = (decided.places(all))
            .filter_map(|place| decided.score(place).map(|score| (score, place)));
        let rows = &mut self.rows;
        let first = rows.nodes.len();
        rows.nodes.reserve(count);
        rows.scores.reserve(count);
        rows.statuses.reserve(count);
        // The score is taken from its key, which spares a walk through memory at random.
        for (score, place) in order::by_score(scores, count) {
            let Some((node, status)) = decided.node(place) else {
                continue;
            };
            rows.nodes.push(node);
            rows.scores.push(score);
            rows.statuses.push(status);
            if let Some(arrivals) = &mut rows.arrivals {
                arrivals.push(decided.way(place).unwrap_or(NO_WAY));
            }
        }
        if !all
            && let Some(nodes) = rows.nodes.get(first..)
            && let Some(scores) = rows.scores.get(first..)
            && let Some(ranks) = decided.ranks(nodes, scores)
        {
            rows.ranks.insert(self.level, ranks);
        }
        rows.levels.push((self.level, rows.nodes.len()));
    }
}
