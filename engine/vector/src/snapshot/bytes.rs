//! Numbers in bytes, read from bytes that may be anything.

use super::damaged;
use crate::error::IndexError;
use xxhash_rust::xxh3::xxh3_64;

/// How long a checksum is.
pub(super) const CHECKSUM_BYTES: usize = size_of::<u64>();

/// Appends the checksum of all bytes from `start` on.
pub(super) fn seal(bytes: &mut Vec<u8>, start: usize) -> u64 {
    let checksum = xxh3_64(&bytes[start..]);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    checksum
}

/// Takes the checksum off the end, if it is that of the bytes before.
pub(super) fn unseal(bytes: &[u8]) -> Result<(&[u8], u64), IndexError> {
    let (body, checksum) = bytes
        .split_last_chunk()
        .ok_or(damaged("it is shorter than a checksum"))?;
    let checksum = u64::from_le_bytes(*checksum);
    if xxh3_64(body) != checksum {
        return Err(damaged("its checksum is that of other bytes"));
    }
    Ok((body, checksum))
}

/// Reads numbers one after the other.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { left: bytes }
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], IndexError> {
        let (taken, left) = self
            .left
            .split_at_checked(count)
            .ok_or(damaged("it ends too early"))?;
        self.left = left;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], IndexError> {
        let (taken, left) = self
            .left
            .split_first_chunk()
            .ok_or(damaged("it ends too early"))?;
        self.left = left;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, IndexError> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, IndexError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, IndexError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn f32(&mut self) -> Result<f32, IndexError> {
        let number = self.array().map(f32::from_le_bytes)?;
        if number.is_finite() {
            Ok(number)
        } else {
            Err(damaged("it has a number that is not finite"))
        }
    }

    /// A list with its length before it. No more is reserved than the bytes can hold.
    pub(super) fn u32s(&mut self) -> Result<Vec<u32>, IndexError> {
        let count = self.u32()? as usize;
        let bytes = self.take(count.saturating_mul(size_of::<u32>()))?;
        let numbers = bytes.as_chunks().0.iter();
        Ok(numbers.map(|number| u32::from_le_bytes(*number)).collect())
    }

    pub(super) fn u64s(&mut self) -> Result<Vec<u64>, IndexError> {
        let count = self.u32()? as usize;
        let bytes = self.take(count.saturating_mul(size_of::<u64>()))?;
        let numbers = bytes.as_chunks().0.iter();
        Ok(numbers.map(|number| u64::from_le_bytes(*number)).collect())
    }

    pub(super) fn end(&self) -> Result<(), IndexError> {
        if self.left.is_empty() {
            Ok(())
        } else {
            Err(damaged("it goes on behind its end"))
        }
    }
}

/// Appends a list with its length before it.
pub(super) fn put_u32s(bytes: &mut Vec<u8>, numbers: &[u32]) {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "lists of slots, of which there are fewer"
    )]
    bytes.extend_from_slice(&(numbers.len() as u32).to_le_bytes());
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

pub(super) fn put_u64s(bytes: &mut Vec<u8>, numbers: &[u64]) {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "lists of parts, of which there are fewer"
    )]
    bytes.extend_from_slice(&(numbers.len() as u32).to_le_bytes());
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}
