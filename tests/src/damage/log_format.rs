//! Where the records of a RocksDB log begin and end. The manifest has the same format.
//!
//! ```text
//! blocks of 32 KiB; in each: [checksum: 4][length: 2 LE][type: 1][log number: 4, types 5-8][data]
//! type 1 and 5: a whole record; 2-4 and 6-8: its first, middle and last part; less than a header
//! at the end of a block is filler
//! ```
//! A log cut at such an end is a whole log for every recovery mode: only something outside it can
//! know that there was more.

const BLOCK_BYTES: usize = 32 << 10;
const HEADER_BYTES: usize = 7;
const LOG_NUMBER_BYTES: usize = 4;
const FULL: u8 = 1;
const LAST: u8 = 4;
const RECYCLABLE_FULL: u8 = 5;
const RECYCLABLE_LAST: u8 = 8;
/// From here on types are records about the log itself, each whole in one piece.
const FIRST_OF_META: u8 = 9;

/// A piece of a record that lies in one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    start: usize,
    end: usize,
    completes_a_record: bool,
}

/// The offsets at which records end, in order. Whatever is not a log has few or none.
#[must_use]
pub(super) fn record_ends(log: &[u8]) -> Vec<usize> {
    parts(log)
        .iter()
        .filter(|part| part.completes_a_record)
        .map(|part| part.end)
        .collect()
}

/// The offsets of the bytes that say of which type each part is.
#[must_use]
pub(super) fn type_bytes(log: &[u8]) -> Vec<usize> {
    parts(log)
        .iter()
        .map(|part| part.start + HEADER_BYTES - 1)
        .collect()
}

fn parts(log: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut start = 0;
    loop {
        let left_in_block = BLOCK_BYTES - start % BLOCK_BYTES;
        if left_in_block < HEADER_BYTES {
            start += left_in_block;
            continue;
        }
        let Some(&[_, _, _, _, low, high, kind]) = log.get(start..start + HEADER_BYTES) else {
            return parts;
        };
        let recyclable = (RECYCLABLE_FULL..=RECYCLABLE_LAST).contains(&kind);
        let header = if recyclable {
            HEADER_BYTES + LOG_NUMBER_BYTES
        } else {
            HEADER_BYTES
        };
        let end = start + header + usize::from(u16::from_le_bytes([low, high]));
        // A type of zero is space set aside that was never written.
        if kind == 0 || end > log.len() || end - start > left_in_block {
            return parts;
        }
        let completes_a_record = matches!(kind, FULL | LAST | RECYCLABLE_FULL | RECYCLABLE_LAST)
            || kind >= FIRST_OF_META;
        parts.push(Part {
            start,
            end,
            completes_a_record,
        });
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kind: u8, bytes: usize) -> Vec<u8> {
        let length = u16::try_from(bytes)
            .expect("a part fits into a block")
            .to_le_bytes();
        let mut part = vec![0xCC, 0xCC, 0xCC, 0xCC, length[0], length[1], kind];
        part.resize(HEADER_BYTES + bytes, 0xDD);
        part
    }

    #[test]
    fn records_in_one_part_and_over_two_blocks() {
        let mut log = part(FULL, 10);
        let first = BLOCK_BYTES - log.len() - HEADER_BYTES;
        log.extend(part(2, first));
        log.extend(part(LAST, 5));
        assert_eq!(record_ends(&log), [17, BLOCK_BYTES + 12]);
        assert_eq!(type_bytes(&log), [6, 23, BLOCK_BYTES + 6]);
    }

    #[test]
    fn filler_unwritten_space_and_half_a_record() {
        let mut log = part(FULL, BLOCK_BYTES - HEADER_BYTES - 3);
        log.extend([0; 3]);
        log.extend(part(FULL, 0));
        let whole = log.len();
        log.extend(&part(FULL, 9)[..12]);
        assert_eq!(record_ends(&log), [BLOCK_BYTES - 3, whole]);
        assert_eq!(record_ends(&[0; 100]), Vec::<usize>::new());
        assert_eq!(record_ends(&[]), Vec::<usize>::new());
    }
}
