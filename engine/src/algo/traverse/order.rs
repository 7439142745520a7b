//! The order of rows: score descending, null last, then id; and a sort that is fast at a million.
//!
//! Scores become numbers whose ascending order is the order of rows, and ids are numbers already,
//! so that one stable radix sort serves both. What goes in ascending by id comes out with ties by id.

use crate::value::NodeId;

const DIGIT_BITS: u32 = 11;
const BUCKETS: usize = 1 << DIGIT_BITS;
/// Below this a comparison sort is faster than clearing the counters.
const FEW: usize = 4096;

/// A number that ascends as the score descends. Null (NaN) is the last, and both zeros are equal.
#[inline]
pub(super) fn descending(score: f64) -> u64 {
    if score.is_nan() {
        return u64::MAX;
    }
    let bits = (score + 0.0).to_bits();
    // Positive numbers ascend with their bits and negative ones descend.
    if bits >> 63 == 0 {
        !(bits | 1 << 63)
    } else {
        bits
    }
}

/// [`descending`] for a score that is an `f32`, in half the bits.
#[inline]
fn descending_narrow(score: f32) -> u32 {
    if score.is_nan() {
        return u32::MAX;
    }
    let bits = (score + 0.0).to_bits();
    if bits >> 31 == 0 {
        !(bits | 1 << 31)
    } else {
        bits
    }
}

/// The score that [`descending_narrow`] made this key of; a negative zero comes back positive.
#[inline]
fn from_narrow(key: u32) -> f64 {
    if key == u32::MAX {
        return f64::NAN;
    }
    let bits = if key >> 31 == 0 { !key ^ 1 << 31 } else { key };
    f64::from(f32::from_bits(bits))
}

/// The score that [`descending`] made this key of; a negative zero comes back positive.
#[inline]
fn from_wide(key: u64) -> f64 {
    if key == u64::MAX {
        return f64::NAN;
    }
    f64::from_bits(if key >> 63 == 0 { !key ^ 1 << 63 } else { key })
}

/// The scores that come in with places, in the order of the scores; equal ones stay in the order
/// they came in. Negative zeros come out positive.
pub(super) fn by_score(
    scores: impl Iterator<Item = (f64, usize)> + Clone,
    count: usize,
) -> impl Iterator<Item = (f64, usize)> {
    // Kernels give scores that are f32. Then key and place fit one number, and sorting moves half
    // as much.
    let mut narrow: Vec<u64> = Vec::with_capacity(count);
    for (score, place) in scores.clone() {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is looked at right after"
        )]
        let short = score as f32;
        let exact = f64::from(short) == score || score.is_nan();
        let Some(place) = u32::try_from(place).ok().filter(|_| exact) else {
            break;
        };
        narrow.push(u64::from(descending_narrow(short)) << 32 | u64::from(place));
    }
    let mut wide: Vec<(u64, usize)> = Vec::new();
    if narrow.len() == count {
        sort_by_key(&mut narrow, |entry| *entry >> 32);
    } else {
        narrow = Vec::new();
        wide.reserve_exact(count);
        wide.extend(scores.map(|(score, place)| (descending(score), place)));
        sort_by_key(&mut wide, |entry| entry.0);
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lower half is the place"
    )]
    let narrow = (narrow.into_iter())
        .map(|entry| (from_narrow((entry >> 32) as u32), entry as u32 as usize));
    let wide = (wide.into_iter()).map(|(key, place)| (from_wide(key), place));
    narrow.chain(wide)
}

/// Sorts by a number; equal ones stay in their order.
pub(super) fn sort_by_key<T: Copy>(items: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    if items.is_sorted_by_key(&key) {
        return;
    }
    let (Some(first), true) = (items.first().copied(), items.len() >= FEW) else {
        items.sort_by_key(&key);
        return;
    };
    let largest = items.iter().map(&key).max().unwrap_or(0);
    let digits = (u64::BITS - largest.leading_zeros()).div_ceil(DIGIT_BITS);
    let mut counts = vec![[0_usize; BUCKETS]; digits as usize];
    for item in items.iter() {
        let mut rest = key(item);
        for count in &mut counts {
            count[low_digit(rest)] += 1;
            rest >>= DIGIT_BITS;
        }
    }
    let mut other = vec![first; items.len()];
    let mut shift = 0;
    for count in &mut counts {
        // A digit that is the same in all keys moves nothing: scores made of f32 have two of these.
        if !count.contains(&items.len()) {
            let mut start = 0;
            for bucket in count.iter_mut() {
                start += std::mem::replace(bucket, start);
            }
            for item in items.iter() {
                let slot = &mut count[low_digit(key(item) >> shift)];
                if let Some(room) = other.get_mut(*slot) {
                    *room = *item;
                }
                *slot += 1;
            }
            std::mem::swap(items, &mut other);
        }
        shift += DIGIT_BITS;
    }
}

/// The lowest digit, which is below the number of buckets.
#[inline]
fn low_digit(key: u64) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "eleven bits")]
    let digit = (key & (BUCKETS as u64 - 1)) as usize;
    digit
}

/// Sorts nodes and drops what is there twice.
pub(super) fn sort_distinct(nodes: &mut Vec<NodeId>) {
    if nodes.is_sorted_by(|left, right| left < right) {
        return;
    }
    sort_by_key(nodes, |node| node.get());
    nodes.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERED: [f64; 11] = [
        f64::INFINITY,
        f32::MAX as f64,
        1.5,
        1.0,
        f32::MIN_POSITIVE as f64,
        0.0,
        -(f32::MIN_POSITIVE as f64),
        -1.0,
        f32::MIN as f64,
        f64::NEG_INFINITY,
        f64::NAN,
    ];

    #[test]
    fn keys_of_scores_are_in_the_order_of_rows() {
        for pair in ORDERED.windows(2) {
            assert!(descending(pair[0]) < descending(pair[1]), "{pair:?}");
            let narrow = |at: usize| descending_narrow(pair[at] as f32);
            assert!(narrow(0) < narrow(1), "{pair:?}");
        }
        assert_eq!(descending(0.0), descending(-0.0));
        assert_eq!(descending(f64::NAN), descending(-f64::NAN));
        assert_eq!(descending_narrow(0.0), descending_narrow(-0.0));
    }

    #[test]
    fn sorts_like_the_standard_library() {
        for seed in 0..60 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let spread = rng.u32(1..=64);
            let mut entries: Vec<(u64, usize)> = (0..rng.usize(FEW - 10..3 * FEW))
                .map(|at| (rng.u64(..) >> (64 - spread), at))
                .collect();
            let mut expected = entries.clone();
            expected.sort();
            sort_by_key(&mut entries, |entry| entry.0);
            assert_eq!(entries, expected, "seed {seed}");
        }
    }

    #[test]
    fn ranks_narrow_and_wide_scores_alike() {
        for seed in 0..60 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let wide = rng.bool();
            let scores: Vec<f64> = (0..rng.usize(0..3 * FEW))
                .map(|_| match rng.usize(..40) {
                    at if at < ORDERED.len() => ORDERED[at],
                    20 => -0.0,
                    _ if wide => rng.f64() - 0.5,
                    _ => f64::from(rng.f32() - 0.5),
                })
                .collect();
            let mut expected: Vec<usize> = (0..scores.len()).collect();
            expected.sort_by(|left, right| {
                let (left, right) = (scores[*left], scores[*right]);
                let nulls = left.is_nan().cmp(&right.is_nan());
                nulls.then(
                    right
                        .partial_cmp(&left)
                        .unwrap_or(std::cmp::Ordering::Equal),
                )
            });
            let ranked = by_score(scores.iter().copied().zip(0..), scores.len());
            let (values, seen): (Vec<f64>, Vec<usize>) = ranked.unzip();
            assert_eq!(seen, expected, "seed {seed}");
            for (value, at) in values.iter().zip(&seen) {
                let same = *value == scores[*at] || value.is_nan() && scores[*at].is_nan();
                assert!(same, "seed {seed}");
            }
        }
    }
}
