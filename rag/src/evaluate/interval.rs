//! How far a mean can be trusted: the bootstrap.

use std::ops::RangeInclusive;

/// So many means are drawn.
const DRAWS: usize = 2000;

/// The mean of some values, and the range that holds 95 of 100 means of as many values drawn from them.
///
/// Draws are the same for the same number of values: two runs over one set of questions can be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Mean {
    /// Their mean.
    pub mean: f64,
    /// Where it would be with other questions of the kind.
    pub interval: RangeInclusive<f64>,
    /// How many there are.
    pub count: usize,
}

impl Mean {
    /// Of these values; none if there are none.
    ///
    /// ```
    /// use stratigraph_rag::evaluate::Mean;
    ///
    /// let mean = Mean::of(&[0.0, 1.0, 1.0, 1.0]).unwrap();
    /// assert_eq!(mean.mean, 0.75);
    /// assert!(*mean.interval.start() < 0.75 && *mean.interval.end() <= 1.0);
    /// ```
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mean = mean(values.iter().copied(), values.len())?;
        Some(Self {
            mean,
            interval: interval(values),
            count: values.len(),
        })
    }

    /// Of the differences between two measurements of the same questions. The range holds 0 where the two may be
    /// alike.
    #[must_use]
    pub fn of_differences(one: &[f64], other: &[f64]) -> Option<Self> {
        let both = one.iter().zip(other);
        let differences: Vec<f64> = both.map(|(one, other)| one - other).collect();
        Self::of(&differences)
    }
}

fn interval(values: &[f64]) -> RangeInclusive<f64> {
    let mut random = fastrand::Rng::with_seed(values.len() as u64);
    let mut means: Vec<f64> = (0..DRAWS)
        .filter_map(|_| {
            let drawn = (0..values.len()).map(|_| values[random.usize(..values.len())]);
            mean(drawn, values.len())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |of_thousand: usize| means[(DRAWS - 1) * of_thousand / 1000];
    at(25)..=at(975)
}

fn mean(values: impl Iterator<Item = f64>, count: usize) -> Option<f64> {
    (count > 0).then(|| values.sum::<f64>() / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_narrows_with_more_values() {
        let coin = |count: usize| -> Vec<f64> { (0..count).map(|n| (n % 2) as f64).collect() };
        let width = |count: usize| {
            let interval = Mean::of(&coin(count)).unwrap().interval;
            interval.end() - interval.start()
        };
        // Twice 1.96 standard errors: 0.98 / sqrt(n).
        assert!((width(100) - 0.196).abs() < 0.03, "{}", width(100));
        assert!((width(2500) - 0.0392).abs() < 0.006, "{}", width(2500));
        assert_eq!(Mean::of(&[]), None);
    }

    #[test]
    fn differences_are_of_the_same_questions() {
        let one: Vec<f64> = (0..50).map(|n| f64::from(n % 10)).collect();
        let better: Vec<f64> = one.iter().map(|value| value + 0.1).collect();
        let gain = Mean::of_differences(&better, &one).unwrap();
        // The values scatter by far more than they differ, and yet the difference is sure.
        assert!(*gain.interval.start() > 0.09 && *gain.interval.end() < 0.11);
    }
}
