//! Choosing links: the nearest candidates, but none that a chosen one is nearer to than the node itself.
//! A link into each direction is worth more than many into one.

use super::blocks::Blocks;
use super::score::{Scorer, Scores};
use crate::coding::Code;
use crate::metric::Metric;

/// A candidate for a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) far: f32,
    pub(crate) node: u32,
    pub(crate) slot: u32,
    /// Whether the link must stay, whatever it is near to.
    pub(crate) kept: bool,
}

/// How links are chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) metric: Metric,
}

/// Room to choose in; one for many choices.
#[derive(Debug, Default)]
pub(crate) struct Chooser {
    code: Code,
    chosen_slots: Vec<u32>,
    scores: Scores,
}

impl Chooser {
    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let slots = self.chosen_slots.capacity() * size_of::<u32>();
        self.code.bytes() + slots + self.scores.bytes()
    }
}

/// So many chosen links are compared with a candidate at once: most that are left out are so by one of
/// the first.
const PORTION: usize = 8;

impl Chooser {
    /// Chooses at most `limit` of the candidates, which are sorted, the nearest first. No more than
    /// `limit` of them must stay. `square` is what their distances leave out for the node itself.
    pub(crate) fn choose(
        &mut self,
        blocks: &Blocks,
        choice: Choice,
        square: f32,
        candidates: &[Candidate],
        limit: usize,
        chosen: &mut Vec<Candidate>,
    ) {
        chosen.clear();
        self.chosen_slots.clear();
        let mut kept_left = candidates.iter().filter(|candidate| candidate.kept).count();
        for candidate in candidates {
            if candidate.kept {
                kept_left -= 1;
            } else if chosen.len() + kept_left >= limit
                || self.is_covered(blocks, choice, square, candidate)
            {
                continue;
            }
            chosen.push(*candidate);
            self.chosen_slots.push(candidate.slot);
        }
    }

    /// Adds so many of the candidates, which are sorted, to those that are chosen already: first such as no
    /// chosen one is nearer to, then any.
    pub(crate) fn add(
        &mut self,
        blocks: &Blocks,
        choice: Choice,
        square: f32,
        candidates: &[Candidate],
        mut room: usize,
        chosen: &mut Vec<Candidate>,
    ) {
        self.chosen_slots.clear();
        self.chosen_slots
            .extend(chosen.iter().map(|chosen| chosen.slot));
        let mut covered = Vec::new();
        for candidate in candidates {
            if room == 0 {
                return;
            }
            if self.is_covered(blocks, choice, square, candidate) {
                covered.push(*candidate);
            } else {
                chosen.push(*candidate);
                self.chosen_slots.push(candidate.slot);
                room -= 1;
            }
        }
        chosen.extend(covered.into_iter().take(room));
    }

    fn is_covered(
        &mut self,
        blocks: &Blocks,
        choice: Choice,
        square: f32,
        candidate: &Candidate,
    ) -> bool {
        blocks.load(candidate.slot, true, &mut self.code);
        let scorer = Scorer::new(blocks, &self.code);
        let own = choice.apart(candidate.far, square);
        for slots in self.chosen_slots.chunks(PORTION) {
            scorer.far(slots, &mut self.scores);
            let square = self.code.square;
            let mut apart = self.scores.far.iter().map(|far| choice.apart(*far, square));
            if apart.any(|apart| apart < own) {
                return true;
            }
        }
        false
    }
}

impl Choice {
    /// From how far a scorer says a slot is to a distance that can be multiplied. `square` is what
    /// the scorer has left out for the query.
    fn apart(self, far: f32, square: f32) -> f32 {
        match self.metric {
            Metric::Cosine => far + 1.0,
            Metric::Dot => far,
            Metric::Euclidean => far + square,
        }
    }
}
