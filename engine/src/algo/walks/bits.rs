//! A set of places, a bit each.
//!
//! Next: `rows.rs`.

/// A set of places below a bound that was said when it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// An empty set of places below `bound`.
    pub(crate) fn new(bound: usize) -> Self {
        Self(vec![0; bound.div_ceil(64)])
    }

    /// All places below `bound`.
    pub(crate) fn all(bound: usize) -> Self {
        let mut all = Self(vec![u64::MAX; bound.div_ceil(64)]);
        if let Some(last) = all.0.last_mut()
            && !bound.is_multiple_of(64)
        {
            *last = (1 << (bound % 64)) - 1;
        }
        all
    }

    /// Whether a place is in it. One that is not below the bound never is.
    #[inline]
    pub(crate) fn has(&self, place: u32) -> bool {
        let word = self.0.get(place as usize / 64).copied().unwrap_or_default();
        word >> (place % 64) & 1 == 1
    }

    /// Puts a place in.
    #[inline]
    pub(crate) fn put(&mut self, place: u32) {
        if let Some(word) = self.0.get_mut(place as usize / 64) {
            *word |= 1 << (place % 64);
        }
    }

    /// Takes a place out.
    #[inline]
    pub(crate) fn take(&mut self, place: u32) {
        if let Some(word) = self.0.get_mut(place as usize / 64) {
            *word &= !(1 << (place % 64));
        }
    }

    /// All that are in it, ascending.
    pub(crate) fn places(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().zip(0_u32..).flat_map(|(word, at)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| at * 64 + bit)
        })
    }

    /// Puts in what is in another set of the same bound.
    pub(crate) fn unite(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// How many bytes a set of places below `bound` takes.
    pub(crate) fn bytes(bound: usize) -> usize {
        bound.div_ceil(64) * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_in() {
        let mut bits = Bits::new(130);
        for place in [0, 63, 64, 129, 500] {
            bits.put(place);
        }
        assert_eq!(bits.places().collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert!(bits.has(129) && !bits.has(128) && !bits.has(500));
        let mut others = Bits::new(130);
        others.put(7);
        others.unite(&bits);
        assert_eq!(others.places().count(), 5);
        others.take(7);
        others.take(500);
        assert_eq!(others, bits);
        for bound in [0, 1, 63, 64, 65, 130] {
            assert_eq!(Bits::all(bound).places().count(), bound);
        }
    }
}
