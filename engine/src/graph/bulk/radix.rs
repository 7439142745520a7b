//! Sorting by one number first: a few passes over the buffer instead of comparing.
//!
//! Most of what a load sorts differs in the low bits of one id. Passes from the lowest digit to the
//! highest put the buffer in the order of that id, and what has the same id is sorted by comparing,
//! which is little. Ids that are spread too far are left to the ordinary sort.

/// A pass looks at so many bits: its counts stay in the nearest cache.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
/// More passes than this cost as much as comparing.
const MAX_PASSES: u32 = 3;
/// Fewer items than this are not worth the counting.
const MIN_ITEMS: usize = 1 << 12;

/// Sorts `items`, in whose order `first` comes first.
pub(super) fn sort<T: Copy + Ord>(items: &mut Vec<T>, first: impl Fn(&T) -> u64) {
    let ids = items.iter().map(&first);
    let Some((least, most)) = ids.fold(None, |bounds, id| match bounds {
        None => Some((id, id)),
        Some((least, most)) => Some((id.min(least), id.max(most))),
    }) else {
        return;
    };
    let passes = (u64::BITS - (most - least).leading_zeros()).div_ceil(DIGIT_BITS);
    if passes > MAX_PASSES || items.len() < MIN_ITEMS {
        items.sort_unstable();
        return;
    }
    let mut other = items.clone();
    for pass in 0..passes {
        let digit = |item: &T| {
            // Masked, so that it is always within the counts.
            ((first(item) - least) >> (pass * DIGIT_BITS)) as usize % DIGITS
        };
        let mut places = vec![0_usize; DIGITS];
        for item in &*items {
            places[digit(item)] += 1;
        }
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        for item in &*items {
            let place = &mut places[digit(item)];
            other[*place] = *item;
            *place += 1;
        }
        std::mem::swap(items, &mut other);
    }
    for same in items.chunk_by_mut(|left, right| first(left) == first(right)) {
        same.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_sorts_as_the_standard_library_does() {
        let mut random = fastrand::Rng::with_seed(4);
        for spread in [1, 2, 1000, 1 << 20, 1 << 33, 1 << 34, u64::MAX] {
            for count in [0, 1, 100, 10_000] {
                let begin = random.u64(..=u64::MAX - spread);
                let mut items: Vec<(u64, u32)> =
                    std::iter::repeat_with(|| (begin + random.u64(..=spread), random.u32(..)))
                        .take(count)
                        .collect();
                let mut expected = items.clone();
                expected.sort_unstable();
                super::sort(&mut items, |item| item.0);
                assert!(items == expected, "{count} items over {spread}");
            }
        }
    }
}
