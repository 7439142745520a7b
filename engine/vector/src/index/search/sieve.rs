//! A scan over codes that leaves out whom [proven bounds](crate::graph::bounds) rule out, and nobody else.
//!
//! ```text
//! slots -> sums of high halves -> sums of all bits -> those that may be in the answer, in no order
//!             |                       |
//!             not in the answer       not in the answer
//! ```
//!
//! Whoever must score at least so much is out if he cannot. Whoever must be among the best so many is out if so
//! many others score more, whatever codes leave out.
//!
//! Next: `sift.rs` and `proven.rs`, which ask for it.

use crate::graph::bounds::Bounds;
use crate::graph::score::{Scorer, Scores};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// So many codes are compared at once; those of the next portion are on their way meanwhile.
pub(super) const PORTION: usize = 64;

/// A number that can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Score(f64);

impl Eq for Score {}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A scan.
pub(super) struct Sieve<'a> {
    scorer: &'a Scorer<'a>,
    bounds: &'a Bounds<'a>,
    /// Who scores less is out.
    border: f64,
    top: Option<usize>,
    /// The best so many of the least that those score who may be in the answer.
    least: BinaryHeap<Reverse<Score>>,
    /// Those who may be, and the most that each scores.
    left: Vec<(f64, u32)>,
    /// What is looked at with both halves.
    slots: Vec<u32>,
    high: Vec<i32>,
    /// How many codes were compared.
    pub(super) scanned: u64,
}

impl<'a> Sieve<'a> {
    /// For all that score at least so much, or for the best so many of them.
    pub(super) fn new(
        scorer: &'a Scorer<'a>,
        bounds: &'a Bounds<'a>,
        border: f64,
        top: Option<usize>,
    ) -> Self {
        Self {
            scorer,
            bounds,
            border,
            top,
            least: BinaryHeap::new(),
            left: Vec::new(),
            slots: Vec::with_capacity(PORTION),
            high: Vec::with_capacity(PORTION),
            scanned: 0,
        }
    }

    /// Looks at some slots, whose codes have been asked for. The query must see all of them: they count.
    pub(super) fn look(&mut self, slots: &[u32], scores: &mut Scores) {
        self.scanned += slots.len() as u64;
        self.slots.clear();
        self.high.clear();
        for (slot, sum) in slots.iter().zip(self.scorer.sums(slots, scores)) {
            if self.bounds.by_half(*slot, *sum).most >= self.border {
                self.slots.push(*slot);
                self.high.push(*sum);
                self.scorer.blocks().prefetch_low_half(*slot);
            }
        }
        let low = self.scorer.low_sums(&self.slots, scores);
        for (place, slot) in self.slots.iter().enumerate() {
            let high = self.high[place];
            // Codes in one piece have no low half, and this is all of them.
            let sum = low.get(place).map_or(high, |low| 16 * high + low);
            let between = self.bounds.by_all_bits(*slot, sum);
            if between.most < self.border {
                continue;
            }
            self.left.push((between.most, *slot));
            if let Some(top) = self.top {
                self.least.push(Reverse(Score(between.least)));
                if self.least.len() > top {
                    self.least.pop();
                }
                if self.least.len() == top
                    && let Some(Reverse(least)) = self.least.peek()
                {
                    self.border = self.border.max(least.0);
                }
            }
        }
    }

    /// Who may be in the answer.
    pub(super) fn left(self) -> impl Iterator<Item = u32> {
        let border = self.border;
        let left = self.left.into_iter();
        left.filter(move |(most, _)| *most >= border)
            .map(|(_, slot)| slot)
    }
}
