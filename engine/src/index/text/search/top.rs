//! The best of what was found: by score, and at equal scores by the lower owner.

use crate::index::text::OwnerId;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Something found.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    score: f64,
    owner: OwnerId,
}

impl Eq for Found {}

impl Ord for Found {
    /// The better one is greater.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then(other.owner.cmp(&self.owner))
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Keeps the best k.
#[derive(Debug)]
pub(crate) struct Top {
    k: usize,
    /// As hits say it: what a hit scored is enough to find it.
    least: f32,
    heap: BinaryHeap<Reverse<Found>>,
}

impl Top {
    /// Room for `k` with at least the score `least`.
    pub(crate) fn new(k: usize, least: f32) -> Self {
        Self {
            k,
            least,
            heap: BinaryHeap::with_capacity(k.min(1024)),
        }
    }

    /// What has a lower score than this cannot come in. What has the same may, by its owner.
    #[inline]
    pub(crate) fn threshold(&self) -> f64 {
        if self.heap.len() < self.k {
            // Half of what lies between this and the next number is rounded up to it.
            return f64::from(self.least.next_down());
        }
        self.heap
            .peek()
            .map_or(f64::INFINITY, |Reverse(worst)| worst.score)
    }

    pub(crate) fn offer(&mut self, score: f64, owner: OwnerId) {
        let new = Found { score, owner };
        if (score as f32) < self.least || self.k == 0 {
            return;
        }
        if self.heap.len() < self.k {
            self.heap.push(Reverse(new));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && worst.0 < new
        {
            *worst = Reverse(new);
        }
    }

    /// The best first.
    pub(crate) fn finish(self) -> impl Iterator<Item = (OwnerId, f64)> {
        let sorted = self.heap.into_sorted_vec();
        sorted
            .into_iter()
            .map(|Reverse(found)| (found.owner, found.score))
    }
}
