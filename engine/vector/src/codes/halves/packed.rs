//! How halves lie in memory: see the picture in [`super`].

use super::{GROUP, GROUP_BYTES};

/// The dimensions of a query for vectors of so many: the next multiple of [`GROUP`].
#[must_use]
pub const fn padded(dimensions: usize) -> usize {
    dimensions.next_multiple_of(GROUP)
}

/// How many bytes the half codes of a vector take.
#[must_use]
pub const fn packed_bytes(dimensions: usize) -> usize {
    padded(dimensions) / GROUP * GROUP_BYTES
}

/// Packs nibbles, one per dimension: what is above four bits is left out, and what `out` has more
/// becomes zero.
///
/// # Panics
///
/// If there are more values than `out` has room for.
///
/// ```
/// use stratigraph_vector::halves;
///
/// let mut out = vec![0; halves::packed_bytes(65)];
/// halves::pack((0..65).map(|i| i % 16), &mut out);
/// assert_eq!(out[..3], [0x00, 0x01, 0x02]);
/// let mut back = vec![0; 65];
/// halves::unpack(&out, &mut back);
/// assert_eq!(back[64], 0);
/// ```
pub fn pack(values: impl Iterator<Item = u8>, out: &mut [u8]) {
    out.fill(0);
    for (dimension, value) in values.enumerate() {
        let (byte, shift) = place(dimension);
        out[byte] |= (value & 15) << shift;
    }
}

/// The nibbles of the first `out.len()` dimensions.
///
/// # Panics
///
/// If there are fewer.
pub fn unpack(packed: &[u8], out: &mut [u8]) {
    for (dimension, value) in out.iter_mut().enumerate() {
        let (byte, shift) = place(dimension);
        *value = packed[byte] >> shift & 15;
    }
}

/// The numbers that halved bits stand for, as a query has them. Where the low half is not read, it is
/// taken for its middle.
pub(crate) fn numbers(high: &[u8], low: Option<&[u8]>, numbers: &mut Vec<i8>) {
    numbers.clear();
    numbers.resize(2 * high.len(), 0);
    let number = |high: u8, low: u8| (high << 4 | low).wrapping_add(128).cast_signed().max(-127);
    let groups = numbers.as_chunks_mut::<GROUP>().0.iter_mut();
    let highs = high.as_chunks::<GROUP_BYTES>().0;
    if let Some(low) = low {
        for ((group, high), low) in groups.zip(highs).zip(low.as_chunks::<GROUP_BYTES>().0) {
            for at in 0..GROUP_BYTES {
                group[at] = number(high[at] & 15, low[at] & 15);
                group[GROUP_BYTES + at] = number(high[at] >> 4, low[at] >> 4);
            }
        }
    } else {
        for (group, high) in groups.zip(highs) {
            for at in 0..GROUP_BYTES {
                group[at] = number(high[at] & 15, 8);
                group[GROUP_BYTES + at] = number(high[at] >> 4, 8);
            }
        }
    }
}

/// The byte of a dimension, and by how much its nibble is shifted there.
const fn place(dimension: usize) -> (usize, usize) {
    let within = dimension % GROUP;
    let byte = dimension / GROUP * GROUP_BYTES + within % GROUP_BYTES;
    (byte, within / GROUP_BYTES * 4)
}
