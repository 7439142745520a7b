//! The random numbers of a search: SplitMix64 from a seed.
//!
//! Written here rather than taken from a crate, so that a seed means the same result whatever
//! version of anything is linked. Never for secrets. Next: `moving.rs`, which shuffles.

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`. The bias of at most `bound / 2^32` cannot matter to a heuristic.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        // The product of two 32-bit numbers, of which the upper half is below `bound`.
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A number from 0 up to, and not including, 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Fills `order` with 0, 1, 2, ... in random order.
    pub(super) fn permutation(&mut self, order: &mut [u32]) {
        // Fisher and Yates, from the inside out: each place is written once.
        for place in 0..order.len() as u32 {
            let other = self.below(place + 1);
            order[place as usize] = order[other as usize];
            order[other as usize] = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_splitmix64() {
        // The first outputs of the published reference for seed 1234567.
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        assert_eq!(random.next(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn permutations_are_even() {
        let mut random = Random::new(7);
        let mut seen = [[0u32; 4]; 4];
        for _ in 0..24_000 {
            let mut order = [0; 4];
            random.permutation(&mut order);
            for (place, &value) in order.iter().enumerate() {
                seen[place][value as usize] += 1;
            }
        }
        // Each value stands at each place a quarter of the time; 6000 within five deviations (67).
        for row in seen {
            assert_eq!(row.iter().sum::<u32>(), 24_000);
            assert!(row.iter().all(|&n| n.abs_diff(6_000) < 340), "{seen:?}");
        }
    }

    #[test]
    fn numbers_stay_in_their_ranges() {
        let mut random = Random::new(3);
        assert!((0..1000).all(|_| random.below(3) < 3));
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.unit())));
    }
}
