//! Two leaves of one node that must not be alike, or must not be reached over the same relationship: all pairs, less
//! those that are not allowed. Pairs are not looked at.
//!
//! ```text
//! (a)<--(m)-->(b)                 degrees multiplied, less the pairs of a relationship with itself
//! (a)<--(m)-->(b), a and b alike  for each class: how many of one, times how many of the other
//! ```
//!
//! Next: `fold.rs`.

use super::classes::Classes;
use super::leaf::Leaf;
use crate::algo::Direction;

/// Two leaves of one node, and what they must not have in common.
pub(super) struct Pair<'a> {
    pub(super) leaves: (Leaf<'a>, Leaf<'a>),
    /// Whether they must be reached over different relationships, of the same types.
    pub(super) apart: bool,
    /// Whether they must differ: by classes, or in being two.
    pub(super) differ: Option<Option<&'a Classes>>,
    /// By number, how often the first leaf is found among those who are alike; all zero between two places.
    together: Vec<u64>,
}

impl<'a> Pair<'a> {
    pub(super) fn new(
        leaves: (Leaf<'a>, Leaf<'a>),
        apart: bool,
        differ: Option<Option<&'a Classes>>,
        places: usize,
    ) -> Self {
        let numbers = match differ {
            None => 0,
            Some(None) => places,
            Some(Some(classes)) => classes.bound(),
        };
        Self {
            leaves,
            apart,
            differ,
            together: vec![0; numbers],
        }
    }

    /// How many pairs there are from a place.
    pub(super) fn count(&mut self, near: u32) -> u64 {
        let (one, other) = (self.leaves.0.all(near), self.leaves.1.all(near));
        if one == 0 || other == 0 {
            return 0;
        }
        // What is too large to be known stays too large.
        if one == u64::MAX || other == u64::MAX {
            return u64::MAX;
        }
        let barred = match self.differ {
            None => self.shared(near, |_| true),
            Some(_) => self.alike(near),
        };
        let pairs = (u128::from(one) * u128::from(other)).saturating_sub(barred);
        u64::try_from(pairs).unwrap_or(u64::MAX)
    }

    /// By which number others are like a place.
    #[inline]
    fn number(differ: Option<Option<&Classes>>, place: u32) -> Option<usize> {
        match differ {
            Some(Some(classes)) => classes.number(place),
            Some(None) => Some(place as usize),
            None => None,
        }
    }

    /// The pairs of those who are alike, and of a relationship with itself.
    fn alike(&mut self, near: u32) -> u128 {
        let (differ, (one, other)) = (self.differ, self.leaves);
        let together = &mut self.together;
        one.each(near, |far, weight| {
            let number = Self::number(differ, far);
            if let Some(sum) = number.and_then(|number| together.get_mut(number)) {
                *sum = sum.saturating_add(weight);
            }
        });
        let mut pairs = 0_u128;
        other.each(near, |far, weight| {
            let number = Self::number(differ, far);
            let sum = number.and_then(|number| together.get(number)).copied();
            pairs += u128::from(sum.unwrap_or_default()) * u128::from(weight);
        });
        one.each(near, |far, _| {
            let number = Self::number(differ, far);
            if let Some(sum) = number.and_then(|number| together.get_mut(number)) {
                *sum = 0;
            }
        });
        // Whoever is like himself was counted with his own relationships already.
        if self.apart && matches!(differ, Some(Some(_))) {
            pairs += self.shared(near, |far| Self::number(differ, far).is_none());
        }
        pairs
    }

    /// The pairs of a relationship with itself, at places that count.
    fn shared(&self, near: u32, counts: impl Fn(u32) -> bool) -> u128 {
        if !self.apart {
            return 0;
        }
        let (one, other) = self.leaves;
        let goes =
            |leaf: &Leaf<'_>, way| leaf.direction == way || leaf.direction == Direction::Both;
        let both_out = goes(&one, Direction::Outgoing) && goes(&other, Direction::Outgoing);
        let both_in = goes(&one, Direction::Incoming) && goes(&other, Direction::Incoming);
        let weight = |far: u32| match counts(far) {
            true => u128::from(one.weight(far)) * u128::from(other.weight(far)),
            false => 0,
        };
        let is_plain = one.is_plain() && other.is_plain() && self.differ.is_none();
        let mut pairs = 0;
        // A relationship of a node with itself comes once, whichever way it is walked.
        let out = both_out.then_some((0, true));
        let into = both_in.then_some((1, !both_out));
        for (way, loops) in out.into_iter().chain(into) {
            let rows = one.rows[way];
            if is_plain {
                let loops = if loops { 0 } else { rows.loops(near) };
                pairs += u128::from((rows.degree(near) as u64).saturating_sub(loops));
                continue;
            }
            for far in rows.row(near).iter().copied() {
                if loops || far != near {
                    pairs += weight(far);
                }
            }
        }
        if !both_out && !both_in {
            let way = usize::from(one.direction == Direction::Incoming);
            pairs += u128::from(one.rows[way].loops(near)) * weight(near);
        }
        pairs
    }
}
