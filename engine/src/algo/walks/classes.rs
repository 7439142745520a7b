//! Who is like whom: places in classes, for nodes of a figure that must differ.
//!
//! Next: `figure.rs`.

/// The class of those that are like nobody, not even themselves.
const LIKE_NOBODY: u32 = 0;
/// The class of those of which nobody knows.
const UNKNOWN: u32 = 1;
/// Classes from here on have members that are all alike.
const FIRST: u32 = 2;

/// What is known of one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// It is like all others with this number.
    Number(u32),
    /// It is like nobody, not even itself.
    LikeNobody,
    /// Nobody knows: it neither differs from anybody nor is like him, and is never where something must differ.
    Unknown,
}

/// The classes of all places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    of: Vec<u32>,
    /// Where the members of each class end, and the members one class after the other.
    ends: Vec<u32>,
    members: Vec<u32>,
}

impl Classes {
    /// Those of places, in their order. Numbers are below the number of places.
    pub(crate) fn new(each: impl Iterator<Item = Class>) -> Self {
        let of = each.map(|class| match class {
            Class::Number(number) => number.saturating_add(FIRST),
            Class::LikeNobody => LIKE_NOBODY,
            Class::Unknown => UNKNOWN,
        });
        let of: Vec<u32> = of.collect();
        let count = of.iter().max().map_or(0, |most| *most as usize + 1);
        let mut ends = vec![0_u32; count];
        for class in &of {
            ends[*class as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            let begin = sum;
            sum += *end;
            *end = begin;
        }
        let mut members = vec![0_u32; of.len()];
        for (place, class) in (0_u32..).zip(&of) {
            let end = &mut ends[*class as usize];
            members[*end as usize] = place;
            *end += 1;
        }
        Self { of, ends, members }
    }

    /// How many bytes the classes of so many places take.
    pub(crate) fn bytes(places: usize) -> usize {
        3 * (places + FIRST as usize) * size_of::<u32>()
    }

    fn class(&self, place: u32) -> u32 {
        self.of.get(place as usize).copied().unwrap_or(UNKNOWN)
    }

    /// Whether a place may differ from others at all.
    pub(super) fn is_known(&self, place: u32) -> bool {
        self.class(place) != UNKNOWN
    }

    /// A number that two places have in common if they are alike; none of a place that is like nobody.
    #[inline]
    pub(super) fn number(&self, place: u32) -> Option<usize> {
        let class = self.class(place);
        (class >= FIRST).then_some(class as usize)
    }

    /// Above all numbers.
    pub(super) fn bound(&self) -> usize {
        self.ends.len()
    }

    /// Whether two places are alike.
    #[inline]
    pub(super) fn are_alike(&self, one: u32, other: u32) -> bool {
        let number = self.number(one);
        number.is_some() && number == self.number(other)
    }

    /// Whoever is like a place, ascending.
    pub(super) fn like(&self, place: u32) -> &[u32] {
        let Some(number) = self.number(place) else {
            return &[];
        };
        let begin = number
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        let (begin, end) = (begin.copied().unwrap_or(0), self.ends.get(number).copied());
        let run = begin as usize..end.unwrap_or(begin) as usize;
        self.members.get(run).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_is_who_has_the_same_number() {
        use Class::{LikeNobody, Number, Unknown};
        let each = [
            Number(0),
            Unknown,
            Number(3),
            LikeNobody,
            Number(0),
            LikeNobody,
        ];
        let classes = Classes::new(each.into_iter());
        assert_eq!(classes.like(0), [0, 4]);
        assert_eq!(classes.like(2), [2]);
        for place in [1, 3, 5, 9] {
            assert!(classes.like(place).is_empty() && !classes.are_alike(place, place));
        }
        assert!(classes.are_alike(4, 0) && !classes.are_alike(4, 2) && !classes.are_alike(3, 5));
        let known: Vec<bool> = (0..7).map(|place| classes.is_known(place)).collect();
        assert_eq!(known, [true, false, true, true, true, true, false]);
        assert!((0..6).all(|place| classes.number(place).is_none_or(|it| it < classes.bound())));
    }
}
