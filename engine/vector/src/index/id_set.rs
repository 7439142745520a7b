//! A set of ids that is asked about each of a million things: bits where the ids lie close together, which those
//! of a level mostly do.

use roaring::RoaringTreemap;

/// Of so many numbers at least one must be an id for bits to be worth it.
const NUMBERS_PER_ID: u64 = 64;
/// So many numbers are worth it always.
const FEW_NUMBERS: u64 = 4096;
const BITS: u64 = 64;

/// Some of the ids that it was made of, quick to ask for one.
///
/// ```
/// use stratigraph_vector::IdSet;
///
/// let set = IdSet::of_set(&[3, 5, 1 << 20].into_iter().collect());
/// assert!(set.contains(5) && !set.contains(4));
/// ```
pub struct IdSet(Ids);

enum Ids {
    /// A bit for each number from the first on.
    Close {
        first: u64,
        words: Vec<u64>,
    },
    Far(RoaringTreemap),
}

impl IdSet {
    /// All of these, which ascend.
    pub(super) fn of(ids: &[u64]) -> Self {
        let ends = ids.first().copied().zip(ids.last().copied());
        let close = Self::close(ends, ids.len() as u64, ids.iter().copied());
        close.unwrap_or_else(|| Self(Ids::Far(ids.iter().copied().collect())))
    }

    /// All of a set.
    #[must_use]
    pub fn of_set(ids: &RoaringTreemap) -> Self {
        let close = Self::close(ids.min().zip(ids.max()), ids.len(), ids.iter());
        close.unwrap_or_else(|| Self(Ids::Far(ids.clone())))
    }

    /// Bits, if so many ids from the first to the last are close enough together for them.
    fn close(ends: Option<(u64, u64)>, count: u64, ids: impl Iterator<Item = u64>) -> Option<Self> {
        let (first, last) = ends?;
        let numbers = last.saturating_sub(first);
        if numbers >= count.saturating_mul(NUMBERS_PER_ID).max(FEW_NUMBERS) {
            return None;
        }
        let words = vec![0; (numbers / BITS) as usize + 1];
        let mut set = Self(Ids::Close { first, words });
        for id in ids {
            set.insert(id);
        }
        Some(set)
    }

    fn insert(&mut self, id: u64) {
        match &mut self.0 {
            Ids::Close { first, words } => {
                if let Some((word, bit)) = place(*first, words, id) {
                    *word |= bit;
                }
            }
            Ids::Far(ids) => {
                ids.insert(id);
            }
        }
    }

    /// Takes an id away. Returns whether it was there.
    #[inline]
    pub(super) fn remove(&mut self, id: u64) -> bool {
        match &mut self.0 {
            Ids::Close { first, words } => match place(*first, words, id) {
                Some((word, bit)) => {
                    let was_there = *word & bit != 0;
                    *word &= !bit;
                    was_there
                }
                None => false,
            },
            Ids::Far(ids) => ids.remove(id),
        }
    }

    /// Whether an id is in it.
    #[inline]
    #[must_use]
    pub fn contains(&self, id: u64) -> bool {
        match &self.0 {
            Ids::Close { first, words } => {
                let number = id.wrapping_sub(*first);
                let word = usize::try_from(number / BITS)
                    .ok()
                    .and_then(|at| words.get(at));
                word.is_some_and(|word| word >> (number % BITS) & 1 == 1)
            }
            Ids::Far(ids) => ids.contains(id),
        }
    }
}

/// The word and the bit of an id, if there is one.
#[inline]
fn place(first: u64, words: &mut [u64], id: u64) -> Option<(&mut u64, u64)> {
    let number = id.wrapping_sub(first);
    let word = words.get_mut(usize::try_from(number / BITS).ok()?)?;
    Some((word, 1 << (number % BITS)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_says_what_a_set_says() {
        let mut random = fastrand::Rng::with_seed(11);
        for (count, span) in [(0, 1), (1, 1), (100, 150), (300, 4000), (50, 1 << 40)] {
            let first = random.u64(..1 << 50);
            let ids: BTreeSet<u64> = (0..count)
                .map(|_| first + random.u64(..span))
                .chain((count > 0).then_some(u64::MAX).filter(|_| span > 1 << 30))
                .collect();
            let ascending: Vec<u64> = ids.iter().copied().collect();
            let mut set = match random.bool() {
                true => IdSet::of(&ascending),
                false => IdSet::of_set(&ids.iter().copied().collect()),
            };
            let mut model = ids.clone();
            for _ in 0..2000 {
                let id = first.wrapping_add(random.u64(..span * 2)).wrapping_sub(5);
                assert_eq!(set.contains(id), model.contains(&id));
                if random.bool() {
                    assert_eq!(set.remove(id), model.remove(&id));
                } else if ids.contains(&id) {
                    set.insert(id);
                    model.insert(id);
                }
            }
        }
    }
}
