//! How good a ranked list is, by what is known to be right.
//!
//! Every measure is a pure function of what was found, best first, and of the gold. Two of them are those of
//! published code and differ from what their names promise: they are here to compare with published numbers, and
//! [`set_recall`] belongs beside them.

use std::collections::HashSet;
use std::hash::Hash;

/// Which share of the gold is among the first `k`.
///
/// ```
/// use stratigraph_rag::evaluate::recall_at;
///
/// assert_eq!(recall_at(&["a", "x", "b"], &["a", "b"], 2), 0.5);
/// ```
#[must_use]
pub fn recall_at<T: Eq + Hash>(found: &[T], gold: &[T], k: usize) -> f64 {
    let first: HashSet<&T> = found.iter().take(k).collect();
    let gold: HashSet<&T> = gold.iter().collect();
    ratio(gold.intersection(&first).count(), gold.len())
}

/// Which share of the gold was found at all. If there is none, whatever was found is too much.
#[must_use]
pub fn set_recall<T: Eq + Hash>(found: &[T], gold: &[T]) -> f64 {
    nothing_at_all(found, gold).unwrap_or_else(|| recall_at(found, gold, usize::MAX))
}

/// 1 if all of the gold is among the first `k`.
#[must_use]
pub fn all_recall_at<T: Eq + Hash>(found: &[T], gold: &[T], k: usize) -> f64 {
    let first: HashSet<&T> = found.iter().take(k).collect();
    f64::from(gold.iter().all(|item| first.contains(item)))
}

/// 1 if anything of the gold is among the first `k`.
#[must_use]
pub fn hit_at<T: Eq + Hash>(found: &[T], gold: &[T], k: usize) -> f64 {
    f64::from(found.iter().take(k).any(|item| gold.contains(item)))
}

/// One over the rank of the first that is right.
#[must_use]
pub fn reciprocal_rank<T: Eq + Hash>(found: &[T], gold: &[T]) -> f64 {
    let first = found.iter().position(|item| gold.contains(item));
    first.map_or(0.0, |place| 1.0 / (place + 1) as f64)
}

/// The precision at each rank that is right, in the mean over those ranks: the context precision of `EmPULIA` and
/// RAGAS. What is missing does not lower it.
#[must_use]
pub fn context_precision<T: Eq + Hash>(found: &[T], gold: &[T]) -> f64 {
    nothing_at_all(found, gold).unwrap_or_else(|| {
        let (hits, sum) = precision_at_hits(found, &gold.iter().collect());
        if hits == 0 { 0.0 } else { sum / hits as f64 }
    })
}

/// The precision at each rank that is right, over the whole gold: what is missing counts as nothing.
#[must_use]
pub fn average_precision<T: Eq + Hash>(found: &[T], gold: &[T]) -> f64 {
    nothing_at_all(found, gold).unwrap_or_else(|| {
        let gold: HashSet<&T> = gold.iter().collect();
        precision_at_hits(found, &gold).1 / gold.len() as f64
    })
}

/// What `EmPULIA`'s code calls context recall: it walks through the gold in its order, and takes the mean of the
/// share that was found so far over what was found. It is no recall, and another order of the gold gives another
/// number.
#[must_use]
pub fn ordered_recall<T: Eq + Hash>(found: &[T], gold: &[T]) -> f64 {
    context_precision(gold, found)
}

/// How much is gained, each the less the later it comes, beside the best order there is. Gains are the grades.
#[must_use]
pub fn ndcg_at<T: Eq + Hash>(found: &[T], grades: &[(T, f64)], k: usize) -> f64 {
    let discounted = |gains: &mut dyn Iterator<Item = f64>| -> f64 {
        let ranked = gains.take(k).enumerate();
        ranked
            .map(|(place, gain)| gain / ((place + 2) as f64).log2())
            .sum()
    };
    let mut seen = HashSet::new();
    let mut gains = found.iter().map(|item| {
        let grade = grades.iter().find(|(graded, _)| graded == item);
        // Told twice is gained once.
        grade.map_or(
            0.0,
            |(_, grade)| if seen.insert(item) { *grade } else { 0.0 },
        )
    });
    let gained = discounted(&mut gains);
    let mut best: Vec<f64> = grades.iter().map(|(_, grade)| *grade).collect();
    best.sort_by(|one, other| other.total_cmp(one));
    let best = discounted(&mut best.into_iter());
    if best > 0.0 { gained / best } else { 0.0 }
}

/// How many ranks are right, and the sum of the precisions at them.
fn precision_at_hits<T: Eq + Hash>(found: &[T], gold: &HashSet<&T>) -> (usize, f64) {
    let (mut hits, mut sum) = (0, 0.0);
    for (place, item) in found.iter().enumerate() {
        if gold.contains(item) {
            hits += 1;
            sum += f64::from(hits) / (place + 1) as f64;
        }
    }
    (hits as usize, sum)
}

/// Finding nothing where there is nothing is right; where only one of both is nothing, it is wrong.
fn nothing_at_all<T>(found: &[T], gold: &[T]) -> Option<f64> {
    match (found.is_empty(), gold.is_empty()) {
        (true, true) => Some(1.0),
        (false, false) => None,
        _ => Some(0.0),
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSE: f64 = 1e-12;

    fn assert_close(value: f64, expected: f64) {
        assert!((value - expected).abs() < CLOSE, "{value}, not {expected}");
    }

    #[test]
    fn a_list_worked_out_by_hand() {
        let (found, gold) = (["a", "x", "b", "y", "c"], ["b", "a", "c", "d"]);
        assert_close(recall_at(&found, &gold, 3), 0.5);
        assert_close(set_recall(&found, &gold), 0.75);
        assert_close(all_recall_at(&found, &gold, 5), 0.0);
        assert_close(all_recall_at(&found, &gold[..3], 5), 1.0);
        assert_close(hit_at(&found[1..], &gold, 1), 0.0);
        assert_close(hit_at(&found[1..], &gold, 2), 1.0);
        assert_close(reciprocal_rank(&found[1..], &gold), 0.5);
        let precisions = 1.0 + 2.0 / 3.0 + 3.0 / 5.0;
        assert_close(context_precision(&found, &gold), precisions / 3.0);
        assert_close(average_precision(&found, &gold), precisions / 4.0);
        // In the order of the gold: b, a and c were found, d was not.
        assert_close(ordered_recall(&found, &gold), 1.0);
        assert_close(ordered_recall(&["c"], &gold), 1.0 / 3.0);
    }

    #[test]
    fn grades_are_discounted_by_rank() {
        let grades = [("a", 3.0), ("b", 1.0), ("c", 2.0)];
        assert_close(ndcg_at(&["a", "c", "b"], &grades, 10), 1.0);
        let best = 3.0 + 2.0 / 3f64.log2() + 0.5;
        assert_close(ndcg_at(&["x", "a"], &grades, 10), 3.0 / 3f64.log2() / best);
        assert_close(ndcg_at(&["a", "a", "a"], &grades, 10), 3.0 / best);
        assert_close(ndcg_at(&["b", "a"], &grades, 1), 1.0 / 3.0);
    }

    #[test]
    fn nothing_is_right_where_nothing_is() {
        let nothing: [&str; 0] = [];
        for measure in [
            set_recall,
            context_precision,
            average_precision,
            ordered_recall,
        ] {
            assert_close(measure(&nothing, &nothing), 1.0);
            assert_close(measure(&["a"], &nothing), 0.0);
            assert_close(measure(&nothing, &["a"]), 0.0);
            assert_close(measure(&["b"], &["a"]), 0.0);
        }
        assert_close(ndcg_at(&["a"], &[], 10), 0.0);
    }
}
