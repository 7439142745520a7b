//! Which scenarios of many are run: one in so many, or those that a word selects.
//!
//! The choice depends on the seed and the id alone, so that a run can be repeated and so that other
//! scenarios are chosen with another seed. It must never be used for the full result.
//!
//! Next: `report.rs`.

use anyhow::{Context, Result, ensure};
use std::str::FromStr;

/// One scenario in so many, by a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// One in how many.
    pub one_in: u64,
    /// Which ones.
    pub seed: u64,
}

impl FromStr for Sample {
    type Err = anyhow::Error;

    /// `N/SEED`
    fn from_str(text: &str) -> Result<Self> {
        let (one_in, seed) = text.split_once('/').unwrap_or((text, "0"));
        let sample = Self {
            one_in: one_in.parse().context("N of N/SEED")?,
            seed: seed.parse().context("SEED of N/SEED")?,
        };
        ensure!(sample.one_in > 0, "one in 0 is none");
        Ok(sample)
    }
}

impl Sample {
    /// Whether the scenario of this id is among them.
    pub fn holds(self, id: &str) -> bool {
        // FNV-1a: short, and the same on every machine.
        let seeded = self.seed.to_le_bytes();
        let hash = seeded
            .iter()
            .chain(id.as_bytes())
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
            });
        // The low bits of this hash are poor for ids that differ in their last letter only.
        (hash >> 20).is_multiple_of(self.one_in)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_one_in_so_many_and_others_with_another_seed() {
        let chosen = |sample: Sample| -> Vec<usize> {
            (0..5_000)
                .filter(|number| sample.holds(&format!("a/B#{number}")))
                .collect()
        };
        let first = chosen("10/1".parse().unwrap());
        let second = chosen("10/2".parse().unwrap());
        assert!((350..650).contains(&first.len()), "{}", first.len());
        assert_eq!(first, chosen("10/1".parse().unwrap()));
        assert_ne!(first, second);
        assert_eq!(chosen("1/7".parse().unwrap()).len(), 5_000);
        assert!("0/1".parse::<Sample>().is_err() && "x/1".parse::<Sample>().is_err());
    }
}
