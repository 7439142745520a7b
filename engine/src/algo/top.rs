//! The best of many scores.

use std::cmp::Ordering;

/// The `k` highest scores with their places: highest first, equal ones by place.
///
/// The order is that of `ORDER BY score DESC` in the language, and of
/// [`Value::order`](crate::value::Value::order): NaN comes before all numbers, and any NaN is any
/// other, as 0 is -0. No algorithm here gives NaN as a score.
///
/// It looks at every score once and sorts only those it returns.
///
/// ```
/// use stratigraph::algo::top_k;
/// assert_eq!(top_k(&[0.1, 0.4, 0.1, 0.2], 3), [(1, 0.4), (3, 0.2), (0, 0.1)]);
/// ```
#[must_use]
pub fn top_k(scores: &[f64], k: usize) -> Vec<(u32, f64)> {
    let descending = |a: f64, b: f64| -> Ordering {
        // Without an order at least one is NaN, which is the higher one.
        (b.partial_cmp(&a)).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
    };
    let better =
        |a: &(u32, f64), b: &(u32, f64)| -> Ordering { descending(a.1, b.1).then(a.0.cmp(&b.0)) };
    if k == 0 {
        return Vec::new();
    }
    let room = k.saturating_mul(2).min(scores.len());
    let mut best: Vec<(u32, f64)> = Vec::with_capacity(room);
    // Twice as many as wanted are collected, then the worse half goes: constant work per score.
    let mut floor: Option<(u32, f64)> = None;
    for candidate in (0_u32..).zip(scores.iter().copied()) {
        if floor.is_some_and(|floor| better(&candidate, &floor).is_gt()) {
            continue;
        }
        best.push(candidate);
        if best.len() >= k.saturating_mul(2) {
            let (_, &mut worst, _) = best.select_nth_unstable_by(k - 1, better);
            floor = Some(worst);
            best.truncate(k);
        }
    }
    best.sort_unstable_by(better);
    best.truncate(k);
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn the_best_are_those_of_a_full_sort() {
        for seed in 0..500 {
            let mut random = fastrand::Rng::with_seed(seed);
            let scores: Vec<f64> = (0..random.usize(0..300))
                .map(|_| f64::from(random.u32(0..40)))
                .collect();
            let mut sorted: Vec<_> = (0_u32..).zip(scores.iter().copied()).collect();
            sorted.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap());
            for k in [0, 1, 2, 7, 50, 299, 300, usize::MAX] {
                let expected = &sorted[..k.min(sorted.len())];
                assert_eq!(top_k(&scores, k), expected, "seed {seed}, k {k}");
            }
        }
    }

    #[test]
    fn the_order_is_that_of_the_language() {
        let scores = [
            0.5,
            -0.0,
            0.0,
            -f64::NAN,
            0.7,
            f64::NAN,
            f64::INFINITY,
            -0.0,
        ];
        let mut sorted: Vec<_> = (0_u32..).zip(scores).collect();
        sorted.sort_by(|a, b| Value::from(b.1).order(&Value::from(a.1)));
        let places = |best: &[(u32, f64)]| best.iter().map(|(place, _)| *place).collect::<Vec<_>>();
        for k in 0..=scores.len() {
            assert_eq!(places(&top_k(&scores, k)), places(&sorted[..k]), "k {k}");
        }
    }
}
