//! The framing that RocksDB's logs and its manifest share.
//!
//! ```text
//! block of 32 KiB: [part] [part] ... [zeros where no header fits]
//! part:            [masked crc32c of type and data: 4 LE] [length: 2 LE] [type: 1] [data]
//! type:            1 a whole record, 2 its first part, 3 a middle part, 4 its last part
//! ```
//! This only reads. What a bad part means is for the callers to say: in a log it may be where a
//! crash cut it off, in a manifest as well, and it may be damage.

const BLOCK_BYTES: usize = 32 << 10;
const HEADER_BYTES: usize = 7;
/// The part is a whole record.
pub(super) const WHOLE: u8 = 1;
/// The part begins a record.
pub(super) const FIRST: u8 = 2;
/// The part goes on with a record.
pub(super) const MIDDLE: u8 = 3;
/// The part ends a record.
pub(super) const LAST: u8 = 4;

/// What stands at a place of the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A part whose checksum is right.
    Good {
        /// Its type.
        kind: u8,
        /// Its data.
        data: &'a [u8],
        /// Where it ends.
        end: usize,
    },
    /// Zeros instead of a header, as unwritten space has them; the block holds nothing more.
    Unwritten {
        /// Where the next block begins.
        next_block: usize,
    },
    /// A header of this type whose part is not whole.
    Bad {
        /// The type in its header.
        kind: u8,
    },
    /// The file ends before the next part does.
    End,
}

/// The part at or after `place`.
pub(super) fn part_at(bytes: &[u8], place: usize) -> Part<'_> {
    let left_in_block = BLOCK_BYTES - place % BLOCK_BYTES;
    let start = if left_in_block < HEADER_BYTES {
        place + left_in_block
    } else {
        place
    };
    let header = bytes
        .get(start..)
        .and_then(|rest| rest.split_first_chunk::<HEADER_BYTES>());
    let Some((&[c0, c1, c2, c3, l0, l1, kind], rest)) = header else {
        return Part::End;
    };
    let length = usize::from(u16::from_le_bytes([l0, l1]));
    let next_block = (start / BLOCK_BYTES + 1) * BLOCK_BYTES;
    if kind == 0 && length == 0 {
        return Part::Unwritten { next_block };
    }
    let end = start + HEADER_BYTES + length;
    if end > next_block {
        return Part::Bad { kind };
    }
    let Some(data) = rest.get(..length) else {
        return Part::End;
    };
    let computed = crc32c::crc32c_append(crc32c::crc32c(&[kind]), data);
    if masked(computed) == u32::from_le_bytes([c0, c1, c2, c3]) {
        Part::Good { kind, data, end }
    } else {
        Part::Bad { kind }
    }
}

/// RocksDB stores its checksums turned and moved, so that data with checksums in it can be summed.
fn masked(checksum: u32) -> u32 {
    checksum.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// A part as RocksDB writes it, for tests.
#[cfg(test)]
pub(super) fn part(kind: u8, data: &[u8]) -> Vec<u8> {
    let checksum = masked(crc32c::crc32c_append(crc32c::crc32c(&[kind]), data));
    let mut bytes = checksum.to_le_bytes().to_vec();
    bytes.extend(u16::try_from(data.len()).unwrap().to_le_bytes());
    bytes.push(kind);
    bytes.extend(data);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other_over_blocks() {
        let mut bytes = part(WHOLE, &vec![1; BLOCK_BYTES - HEADER_BYTES - 5]);
        // No header fits into the last bytes of the block.
        bytes.extend([0; 5]);
        bytes.extend(part(WHOLE, b"next block"));
        let Part::Good { end, .. } = part_at(&bytes, 0) else {
            panic!()
        };
        let Part::Good { kind, data, end } = part_at(&bytes, end) else {
            panic!()
        };
        assert_eq!((kind, data, end), (WHOLE, &b"next block"[..], bytes.len()));
        assert_eq!(part_at(&bytes, end), Part::End);
    }

    #[test]
    fn what_is_not_a_part_is_told_apart() {
        let good = part(WHOLE, b"some data");
        let mut flipped = good.clone();
        flipped[9] ^= 1;
        assert_eq!(part_at(&flipped, 0), Part::Bad { kind: WHOLE });
        assert_eq!(part_at(&good[..good.len() - 1], 0), Part::End);
        assert_eq!(
            part_at(&[0; 40], 0),
            Part::Unwritten {
                next_block: BLOCK_BYTES
            }
        );
        let mut long = part(WHOLE, &[]);
        [long[4], long[5]] = [0xFF, 0xFF];
        assert_eq!(
            part_at(&long, 0),
            Part::Bad { kind: WHOLE },
            "no part leaves its block"
        );
    }
}
