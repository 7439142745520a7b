//! The length of a document as one byte: exact up to 16, then in sixteen steps for each doubling.
//!
//! A length is stored as up to 1/17 less than it is, which is 5.9 percent of one part of the score. From 507,904
//! units of length on all documents are as long: more words than a long book has.

/// Sixteen lengths are exact, and sixteen follow for each power of two.
const STEPS: u32 = 16;

/// The byte of a length. It never stands for more than the length.
pub(crate) fn encode(length: u32) -> u8 {
    if length < STEPS {
        return length as u8;
    }
    let exponent = length.ilog2() - 4;
    let mantissa = (length >> exponent) & (STEPS - 1);
    u8::try_from(STEPS * (exponent + 1) + mantissa).unwrap_or(u8::MAX)
}

/// The length that a byte stands for.
pub(crate) fn decode(norm: u8) -> u32 {
    let norm = u32::from(norm);
    if norm < STEPS {
        return norm;
    }
    let exponent = norm / STEPS - 1;
    (STEPS + norm % STEPS) << exponent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back_and_lengths_keep_their_order() {
        for norm in 0..=u8::MAX {
            assert_eq!(encode(decode(norm)), norm);
        }
        for length in 1..200_000 {
            let stands_for = decode(encode(length));
            assert!(
                stands_for <= length && length - stands_for <= length / 16,
                "{length} as {stands_for}"
            );
            assert!(encode(length) >= encode(length - 1), "{length}");
        }
        assert_eq!(encode(u32::MAX), u8::MAX);
        assert_eq!(decode(u8::MAX), 507_904);
    }
}
