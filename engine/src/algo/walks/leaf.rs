//! A node on which nothing else hangs: how often it can be found from each place.
//!
//! Next: `pairs.rs`, for two of them that depend on each other.

use super::bits::Bits;
use super::figure::Figure;
use super::rows::Rows;
use crate::algo::Direction;

/// A node at the end of one link.
#[derive(Clone, Copy)]
pub(super) struct Leaf<'a> {
    pub(super) direction: Direction,
    /// Out of each place, and into it.
    pub(super) rows: [Rows<'a>; 2],
    /// Where it may be.
    pub(super) allowed: Option<&'a Bits>,
    /// How often it counts where.
    pub(super) weights: Option<&'a [u64]>,
}

impl<'a> Leaf<'a> {
    /// How often it counts at a place.
    #[inline]
    pub(super) fn weight(&self, far: u32) -> u64 {
        if self.allowed.is_some_and(|allowed| !allowed.has(far)) {
            return 0;
        }
        match self.weights {
            Some(weights) => weights.get(far as usize).copied().unwrap_or_default(),
            None => 1,
        }
    }

    /// Whether it counts once everywhere, so that rows need not be looked at to know how often.
    pub(super) fn is_plain(&self) -> bool {
        self.allowed.is_none() && self.weights.is_none()
    }

    /// How many entries its rows have at a place.
    pub(super) fn entries(&self, near: u32) -> usize {
        let ways = Figure::ways(self.direction).iter();
        ways.map(|(out, _)| self.rows[usize::from(!out)].degree(near))
            .sum()
    }

    /// How many of them are looked at to know how often it can be found from a place.
    pub(super) fn looked_at(&self, near: u32) -> usize {
        match self.is_plain() && self.direction != Direction::Both {
            true => 0,
            false => self.entries(near),
        }
    }

    /// The end of every relationship from a place, and how often it counts there.
    #[inline]
    pub(super) fn each(&self, near: u32, mut each: impl FnMut(u32, u64)) {
        for (out, loops) in Figure::ways(self.direction) {
            for far in self.rows[usize::from(!out)].row(near).iter().copied() {
                if *loops || far != near {
                    let weight = self.weight(far);
                    if weight > 0 {
                        each(far, weight);
                    }
                }
            }
        }
    }

    /// How often it can be found from a place.
    #[inline]
    pub(super) fn all(&self, near: u32) -> u64 {
        let mut all = 0_u64;
        if self.is_plain() {
            for (out, loops) in Figure::ways(self.direction) {
                let rows = self.rows[usize::from(!out)];
                let loops = if *loops { 0 } else { rows.loops(near) };
                all += (rows.degree(near) as u64).saturating_sub(loops);
            }
        } else {
            self.each(near, |_, weight| all = all.saturating_add(weight));
        }
        all
    }
}
