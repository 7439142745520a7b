//! Numbers of equal width, packed without gaps.
//!
//! ```text
//! width 5:  |aaaaabbb|bbcccccd|...     lowest bits first
//! ```

/// How many bits the largest of some numbers has.
pub(crate) fn width(numbers: impl Iterator<Item = u32>) -> u8 {
    (32 - numbers.fold(0, |all, number| all | number).leading_zeros()) as u8
}

/// How many bytes so many numbers take.
pub(crate) fn packed_bytes(count: usize, width: u8) -> usize {
    (count * usize::from(width)).div_ceil(8)
}

/// Appends numbers, none of which may have more bits than `width`.
pub(crate) fn pack(numbers: impl Iterator<Item = u32>, width: u8, out: &mut Vec<u8>) {
    let (mut pending, mut bits) = (0_u64, 0_u32);
    for number in numbers {
        pending |= u64::from(number) << bits;
        bits += u32::from(width);
        while bits >= 8 {
            out.push((pending & 0xFF) as u8);
            pending >>= 8;
            bits -= 8;
        }
    }
    if bits > 0 {
        out.push((pending & 0xFF) as u8);
    }
}

/// Reads as many numbers as `numbers` holds. Bytes that are missing read as zeros; callers look at the length.
pub(crate) fn unpack(bytes: &[u8], width: u8, numbers: &mut [u32]) {
    let width = usize::from(width.min(32));
    if width == 0 {
        return numbers.fill(0);
    }
    let mask = u64::MAX >> (64 - width);
    // So many can be read as whole words; at most 39 bits are used of one.
    let whole = (bytes.len().saturating_sub(7) * 8) / width;
    let (fast, slow) = numbers.split_at_mut(whole.min(numbers.len()));
    let mut bit = 0;
    for number in fast {
        let word = bytes
            .get(bit >> 3..)
            .and_then(|rest| rest.first_chunk::<8>());
        let word = word.map_or(0, |word| u64::from_le_bytes(*word));
        *number = (word >> (bit & 7) & mask) as u32;
        bit += width;
    }
    for number in slow {
        let mut word = [0; 8];
        let rest = bytes.get(bit >> 3..).unwrap_or_default();
        for (to, from) in word.iter_mut().zip(rest) {
            *to = *from;
        }
        *number = (u64::from_le_bytes(word) >> (bit & 7) & mask) as u32;
        bit += width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn packed_numbers_have_the_bytes_of_the_picture() {
        let mut bytes = Vec::new();
        pack([1, 2, 31, 0].into_iter(), 5, &mut bytes);
        assert_eq!(bytes, [0x41, 0x7C, 0]);
    }

    proptest! {
        #[test]
        fn packing_comes_back(numbers in prop::collection::vec(any::<u32>(), 0..200), shift in 0..32_u32) {
            let numbers: Vec<u32> = numbers.into_iter().map(|number| number >> shift).collect();
            let width = width(numbers.iter().copied());
            let mut bytes = Vec::new();
            pack(numbers.iter().copied(), width, &mut bytes);
            prop_assert_eq!(bytes.len(), packed_bytes(numbers.len(), width));
            let mut read = vec![0; numbers.len()];
            unpack(&bytes, width, &mut read);
            prop_assert_eq!(read, numbers);
        }
    }
}
