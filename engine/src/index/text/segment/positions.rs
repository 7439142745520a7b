//! Where in its documents a term is.
//!
//! ```text
//! page     [format: 1][block]*
//! block    a posting each: [positions: varint]([gap: varint])*
//! ```
//! The positions of a block of postings lie in one page of their own part, so that only phrases read them. A gap is
//! counted from the position after the last one.

use crate::codec::{CodecError, RecordReader, varint};

pub(crate) const FORMAT: u8 = 1;
const WHAT: &str = "positions";
/// A page is finished when it has so many bytes; a block is never divided.
pub(crate) const FULL_BYTES: usize = 16 << 10;

/// Appends the positions of one posting.
pub(crate) fn encode(positions: &[u32], out: &mut Vec<u8>) {
    varint::write_u64(out, positions.len() as u64);
    let mut next = 0;
    for position in positions {
        varint::write_u64(out, u64::from(position - next));
        next = position + 1;
    }
}

/// A page of positions, or what follows an offset in it.
pub(crate) fn block(page: &[u8], offset: u32) -> Result<RecordReader<'_>, CodecError> {
    RecordReader::new(WHAT, FORMAT..=FORMAT, page)?;
    let rest = page.get(offset as usize..).filter(|_| offset > 0);
    let rest = rest.ok_or(CodecError::NotCanonical {
        what: WHAT,
        at: offset as usize,
    })?;
    Ok(RecordReader::part(WHAT, FORMAT, rest))
}

/// Reads the positions of one posting.
pub(crate) fn decode(record: &mut RecordReader<'_>, into: &mut Vec<u32>) -> Result<(), CodecError> {
    into.clear();
    let count = record.read_count(1)?;
    let mut next = 0_u64;
    for _ in 0..count {
        let at = record.position();
        let position = next + u64::from(record.read_varint_u32()?);
        into.push(
            u32::try_from(position).map_err(|_| CodecError::NotCanonical { what: WHAT, at })?,
        );
        next = position + 1;
    }
    Ok(())
}

/// Passes over the positions of one posting.
pub(crate) fn skip(record: &mut RecordReader<'_>) -> Result<(), CodecError> {
    for _ in 0..record.read_count(1)? {
        record.read_varint_u32()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_have_the_bytes_of_their_picture() {
        let mut page = vec![FORMAT];
        encode(&[0, 1, 300], &mut page);
        encode(&[7], &mut page);
        assert_eq!(page, [1, 3, 0, 0, 0xAA, 2, 1, 7]);
        let mut record = block(&page, 1).unwrap();
        let mut read = Vec::new();
        decode(&mut record, &mut read).unwrap();
        assert_eq!(read, [0, 1, 300]);
        skip(&mut record).unwrap();
        record.finish().unwrap();
        assert!(block(&page, 0).is_err() && block(&page, 9).is_err() && block(&[], 1).is_err());
        assert!(
            decode(&mut block(&[1, 9, 0], 1).unwrap(), &mut read).is_err(),
            "more than there are bytes for"
        );
    }
}
