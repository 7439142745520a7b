//! The order of rows: score descending, null last, then id; and a sort that is fast at a million.
//!
//! Scores become numbers whose ascending order is the order of rows, and ids are numbers already,
//! so that one radix sort serves both.

use crate::value::NodeId;

/// A sort key, and what it belongs to.
pub(super) type Keyed = (u64, usize);

const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 6;
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

/// Sorts by key, then by the second part; the second parts must ascend already.
pub(super) fn sort(entries: &mut Vec<Keyed>) {
    if entries.is_sorted() {
        return;
    }
    if entries.len() < FEW {
        entries.sort_unstable();
        return;
    }
    let mut counts = vec![[0_usize; BUCKETS]; DIGITS];
    for (key, _) in entries.iter() {
        let mut rest = *key;
        for count in &mut counts {
            count[low_digit(rest)] += 1;
            rest >>= DIGIT_BITS;
        }
    }
    let mut other = vec![(0, 0); entries.len()];
    let mut shift = 0;
    for count in &mut counts {
        // A digit that is the same in all keys moves nothing: scores made of f32 have two of these.
        if !count.contains(&entries.len()) {
            let mut start = 0;
            for bucket in count.iter_mut() {
                start += std::mem::replace(bucket, start);
            }
            for entry in entries.iter() {
                let slot = &mut count[low_digit(entry.0 >> shift)];
                if let Some(room) = other.get_mut(*slot) {
                    *room = *entry;
                }
                *slot += 1;
            }
            std::mem::swap(entries, &mut other);
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
    let mut entries: Vec<Keyed> = nodes.iter().map(|node| (node.get(), 0)).collect();
    sort(&mut entries);
    nodes.clear();
    nodes.extend(entries.iter().map(|(id, _)| NodeId::new(*id)));
    nodes.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_scores_are_in_the_order_of_rows() {
        let ordered = [
            f64::INFINITY,
            f64::MAX,
            1.5,
            1.0,
            f64::MIN_POSITIVE,
            0.0,
            -f64::MIN_POSITIVE,
            -1.0,
            f64::MIN,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        for pair in ordered.windows(2) {
            assert!(descending(pair[0]) < descending(pair[1]), "{pair:?}");
        }
        assert_eq!(descending(0.0), descending(-0.0));
        assert_eq!(descending(f64::NAN), descending(-f64::NAN));
    }

    #[test]
    fn sorts_like_the_standard_library() {
        for seed in 0..40 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let spread = rng.u32(1..=64);
            let mut entries: Vec<Keyed> = (0..rng.usize(FEW - 10..3 * FEW))
                .map(|at| (rng.u64(..) >> (64 - spread), at))
                .collect();
            let mut expected = entries.clone();
            expected.sort();
            sort(&mut entries);
            assert_eq!(entries, expected, "seed {seed}");
        }
    }
}
