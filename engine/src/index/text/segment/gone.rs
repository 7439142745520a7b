//! Which documents of a segment are gone: removed, or replaced by a later version.
//!
//! ```text
//! [format: 1][roaring, of numbers counted from the segment's first]
//! ```
//! Searches ask about single documents, so what is read is spread out to one bit each, unless that were much for
//! few.

use crate::codec::{CodecError, RecordReader};
use roaring::RoaringBitmap;

const FORMAT: u8 = 1;
const WHAT: &str = "gone documents";

/// A set that is spread out takes at most so many bytes for each document in it; one with fewer stays packed.
const BYTES_PER_DOCUMENT: u64 = 64;
/// So many bytes are no matter.
const FEW_BYTES: u64 = 4096;

/// A set of documents that are gone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Gone {
    /// One bit for each document.
    Spread(Vec<u64>),
    /// Few in a wide range.
    Packed(RoaringBitmap),
}

impl Gone {
    pub(crate) fn of(set: RoaringBitmap) -> Self {
        let bytes = set.max().map_or(0, |max| u64::from(max) / 8 + 8);
        if bytes > FEW_BYTES.max(BYTES_PER_DOCUMENT * set.len()) {
            return Self::Packed(set);
        }
        let mut words = vec![0; bytes as usize / 8];
        for number in set {
            if let Some(word) = words.get_mut(number as usize / 64) {
                *word |= 1_u64 << (number % 64);
            }
        }
        Self::Spread(words)
    }

    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        match self {
            Self::Spread(words) => {
                let word = words.get(number as usize / 64).copied();
                word.unwrap_or_default() >> (number % 64) & 1 == 1
            }
            Self::Packed(set) => set.contains(number),
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        match self {
            Self::Spread(words) => size_of_val(&words[..]),
            Self::Packed(set) => set.serialized_size(),
        }
    }
}

pub(crate) fn encode(set: &mut RoaringBitmap) -> Vec<u8> {
    set.optimize();
    let mut bytes = Vec::with_capacity(1 + set.serialized_size());
    bytes.push(FORMAT);
    // Writing into memory cannot fail.
    let _ = set.serialize_into(&mut bytes);
    bytes
}

/// The set of some bytes: not empty, and within the segment.
pub(crate) fn decode(bytes: &[u8], span: u32) -> Result<RoaringBitmap, CodecError> {
    let mut record = RecordReader::new(WHAT, FORMAT..=FORMAT, bytes)?;
    let mut rest = record.read_rest();
    let wrong = CodecError::NotCanonical { what: WHAT, at: 1 };
    let set = RoaringBitmap::deserialize_from(&mut rest).map_err(|_| wrong.clone())?;
    if !rest.is_empty() || set.max().is_none_or(|max| max >= span) {
        return Err(wrong);
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_comes_back_and_is_asked_by_number() {
        let mut set: RoaringBitmap = [0, 63, 64, 1000].into_iter().collect();
        let bytes = encode(&mut set);
        assert_eq!(decode(&bytes, 1001), Ok(set.clone()));
        assert!(decode(&bytes, 1000).is_err());
        assert!(decode(&bytes[..3], 1001).is_err());
        assert!(
            decode(&encode(&mut RoaringBitmap::new()), 1001).is_err(),
            "nothing is not stored"
        );
        let gone = Gone::of(set.clone());
        let found: Vec<u32> = (0..2000).filter(|number| gone.contains(*number)).collect();
        assert_eq!(found, [0, 63, 64, 1000]);
        let wide = Gone::of([7, u32::MAX].into_iter().collect());
        assert!(wide.contains(7) && wide.contains(u32::MAX) && !wide.contains(8));
        assert!(wide.memory_bytes() < 100, "{} bytes", wide.memory_bytes());
    }
}
