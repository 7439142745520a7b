//! How many distinct values an index has, estimated: HyperLogLog with 1,024 registers, which is
//! within about three percent as a rule.
//!
//! ```text
//! meta  [24][index: 4 BE]  ->  [format: 1][registers: 1024]
//! ```
//! A sketch only grows: after many deletes it says too much, and building the index anew counts again.
//! The hash is XXH3-64, whose definition is stable, since sketches are stored.

use crate::codec::{CodecError, RecordReader, RecordWriter};
use xxhash_rust::xxh3::xxh3_64;

const FORMAT: u8 = 1;
const REGISTER_BITS: u32 = 10;
const REGISTERS: usize = 1 << REGISTER_BITS;
/// The most leading zeros that what is left of a hash can have, and one.
const MAX_RANK: u8 = (64 - REGISTER_BITS) as u8 + 1;

/// A sketch of a set of byte strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    registers: Box<[u8]>,
}

impl Default for Sketch {
    fn default() -> Self {
        Self {
            registers: vec![0; REGISTERS].into_boxed_slice(),
        }
    }
}

impl Sketch {
    /// Adds an element; again and again without effect.
    pub fn add(&mut self, element: &[u8]) {
        let hash = xxh3_64(element);
        // The first bits choose the register, the zeros before the next set bit are the rank.
        let register = (hash >> (64 - REGISTER_BITS)) as usize;
        let rest = hash << REGISTER_BITS | 1 << (REGISTER_BITS - 1);
        let rank = rest.leading_zeros() as u8 + 1;
        if let Some(kept) = self.registers.get_mut(register) {
            *kept = rank.max(*kept);
        }
    }

    /// Adds everything that the other has seen.
    pub fn merge(&mut self, other: &Self) {
        for (kept, rank) in self.registers.iter_mut().zip(&other.registers) {
            *kept = (*kept).max(*rank);
        }
    }

    /// About how many distinct elements were added.
    #[must_use]
    pub fn estimate(&self) -> u64 {
        let registers = REGISTERS as f64;
        let sum: f64 = self
            .registers
            .iter()
            .map(|rank| (-f64::from(*rank)).exp2())
            .sum();
        let raw = 0.7213 / (1.0 + 1.079 / registers) * registers * registers / sum;
        let empty = self.registers.iter().filter(|rank| **rank == 0).count();
        let estimate = if raw <= 2.5 * registers && empty > 0 {
            // Few elements: how many registers are still empty says it better.
            registers * (registers / empty as f64).ln()
        } else {
            raw
        };
        estimate.round() as u64
    }

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        RecordWriter::with_capacity(FORMAT, 1 + REGISTERS)
            .push_raw(&self.registers)
            .finish()
    }

    /// The sketch of some bytes.
    ///
    /// # Errors
    /// Bytes that are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        const WHAT: &str = "sketch";
        let mut record = RecordReader::new(WHAT, FORMAT..=FORMAT, bytes)?;
        let registers = record.read_array::<REGISTERS>()?;
        record.finish()?;
        if registers.iter().any(|rank| *rank > MAX_RANK) {
            return Err(CodecError::NotCanonical { what: WHAT, at: 1 });
        }
        Ok(Self {
            registers: registers.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_close_from_none_to_many() {
        for count in [0_u64, 1, 10, 100, 1000, 10_000, 300_000] {
            let mut sketch = Sketch::default();
            for element in 0..count {
                sketch.add(&element.to_be_bytes());
                sketch.add(&element.to_be_bytes());
            }
            let (estimate, count) = (sketch.estimate() as f64, count as f64);
            assert!(
                (estimate - count).abs() <= count * 0.1 + 0.5,
                "{estimate} for {count}"
            );
            assert_eq!(Sketch::decode(&sketch.encode()), Ok(sketch));
        }
    }

    #[test]
    fn merging_is_adding_both() {
        let (mut left, mut right, mut both) =
            (Sketch::default(), Sketch::default(), Sketch::default());
        for element in 0..2000_u32 {
            let half = if element < 1200 {
                &mut left
            } else {
                &mut right
            };
            half.add(&element.to_be_bytes());
            both.add(&element.to_be_bytes());
        }
        left.merge(&right);
        assert_eq!(left, both);
    }
}
