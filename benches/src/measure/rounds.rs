//! Interleaved rounds: ours, raw, raw, ours, ... so that a busy minute hits both sides alike.
//!
//! The ratio is the median of the rounds' own ratios, never the ratio of two medians: each round
//! compares two measurements that were made one right after the other.

use anyhow::Result;
use std::time::Duration;

/// The measurements of both sides, round by round.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    ours: Vec<f64>,
    raw: Vec<f64>,
}

impl Rounds {
    /// Runs one round that does not count and then `count` that do. Which side goes first
    /// alternates, since the second may find warmer caches or a busier disk.
    pub(crate) fn run<D>(
        count: usize,
        mut prepare: impl FnMut(usize) -> Result<D>,
        mut ours: impl FnMut(&D) -> Result<Duration>,
        mut raw: impl FnMut(&D) -> Result<Duration>,
    ) -> Result<Self> {
        let mut rounds = Self::default();
        for round in 0..=count {
            let data = prepare(round)?;
            let (our_time, raw_time) = if round % 2 == 0 {
                let first = ours(&data)?;
                (first, raw(&data)?)
            } else {
                let first = raw(&data)?;
                (ours(&data)?, first)
            };
            if round > 0 {
                rounds.push(our_time.as_secs_f64(), raw_time.as_secs_f64());
            }
        }
        Ok(rounds)
    }

    pub(crate) fn push(&mut self, ours: f64, raw: f64) {
        self.ours.push(ours);
        self.raw.push(raw);
    }

    /// The same rounds in another unit.
    pub(crate) fn map(&self, unit: impl Fn(f64) -> f64) -> Self {
        let ours = self.ours.iter().map(|&value| unit(value)).collect();
        let raw = self.raw.iter().map(|&value| unit(value)).collect();
        Self { ours, raw }
    }

    pub(crate) fn ours(&self) -> f64 {
        median(&self.ours)
    }

    pub(crate) fn raw(&self) -> f64 {
        median(&self.raw)
    }

    /// Median of ours / raw.
    pub(crate) fn ratio(&self) -> f64 {
        median(&self.ratios())
    }

    /// The ratios that nine and one in ten rounds exceed: the extremes of many short rounds only
    /// tell how busy the machine was.
    pub(crate) fn spread(&self) -> (f64, f64) {
        let mut ratios = self.ratios();
        ratios.sort_by(f64::total_cmp);
        let at = |tenths: usize| {
            let last = ratios.len().saturating_sub(1);
            ratios
                .get((last * tenths + 5) / 10)
                .copied()
                .unwrap_or(f64::NAN)
        };
        (at(1), at(9))
    }

    fn ratios(&self) -> Vec<f64> {
        self.ours
            .iter()
            .zip(&self.raw)
            .map(|(ours, raw)| ours / raw)
            .collect()
    }
}

/// The middle value; the mean of the two middle ones of an even number.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => sorted[count / 2],
        count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_the_median_of_the_rounds() {
        let mut rounds = Rounds::default();
        // A busy moment doubles both sides of a round: the ratio does not notice.
        for busy in [1.0, 2.0, 1.0, 5.0, 1.0] {
            rounds.push(3.0 * busy, 2.0 * busy);
        }
        assert!((rounds.ratio() - 1.5).abs() < 1e-9);
        assert!((median(&[4.0, 1.0, 3.0, 2.0]) - 2.5).abs() < 1e-9);
    }
}
