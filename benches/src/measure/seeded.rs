//! Chance that a text decides.

use fastrand::Rng;

/// The same numbers for the same text on every machine: the seed is its FNV-1a.
pub(crate) fn rng_of(text: &str) -> Rng {
    let seed = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Rng::with_seed(seed)
}
