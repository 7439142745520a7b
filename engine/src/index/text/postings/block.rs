//! Up to 128 postings of a term.
//!
//! ```text
//! [width of gaps: 1][width of frequencies: 1][gaps, packed][frequencies - 1, packed][norm: 1]*
//! ```
//! A gap is how many documents lie between two; the first is counted from the block before. How many postings
//! there are is known from outside.

use super::{Posting, bits};
use crate::codec::{CodecError, RecordReader, RecordWriter};

/// How many postings a full block has.
pub(crate) const BLOCK: usize = 128;

/// The postings of a block, unpacked, column by column.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) documents: [u32; BLOCK],
    pub(crate) frequencies: [u32; BLOCK],
    pub(crate) norms: [u8; BLOCK],
    pub(crate) count: usize,
}

impl Default for Block {
    fn default() -> Self {
        Self {
            documents: [0; BLOCK],
            frequencies: [0; BLOCK],
            norms: [0; BLOCK],
            count: 0,
        }
    }
}

/// Appends a block whose first document follows `before`, the last of the block before.
pub(crate) fn encode(postings: &[Posting], before: Option<u32>, record: &mut RecordWriter) {
    let mut last = before;
    let gaps: Vec<u32> = postings
        .iter()
        .map(|posting| {
            let next = last.map_or(0, |last| last + 1);
            last = Some(posting.document);
            posting.document - next
        })
        .collect();
    let frequencies = || postings.iter().map(|posting| posting.frequency - 1);
    let gap_width = bits::width(gaps.iter().copied());
    let frequency_width = bits::width(frequencies());
    let mut packed = Vec::with_capacity(2 + 4 * postings.len());
    bits::pack(gaps.into_iter(), gap_width, &mut packed);
    bits::pack(frequencies(), frequency_width, &mut packed);
    packed.extend(postings.iter().map(|posting| posting.norm));
    record
        .push_u8(gap_width)
        .push_u8(frequency_width)
        .push_raw(&packed);
}

impl Block {
    /// Reads a block of `count` postings, whose documents rise and stay below `span`.
    pub(crate) fn decode(
        &mut self,
        record: &mut RecordReader<'_>,
        count: usize,
        before: Option<u32>,
        span: u32,
    ) -> Result<(), CodecError> {
        let (what, at) = (record.what(), record.position());
        let wrong = CodecError::NotCanonical { what, at };
        self.count = 0;
        let (gap_width, frequency_width) = (record.read_u8()?, record.read_u8()?);
        if count == 0 || count > BLOCK || gap_width > 32 || frequency_width > 31 {
            return Err(wrong);
        }
        let gaps = record.read_raw(bits::packed_bytes(count, gap_width))?;
        let frequencies = record.read_raw(bits::packed_bytes(count, frequency_width))?;
        let norms = record.read_raw(count)?;
        bits::unpack(gaps, gap_width, &mut self.documents[..count]);
        bits::unpack(frequencies, frequency_width, &mut self.frequencies[..count]);
        self.norms[..count].copy_from_slice(norms);
        let mut next = before.map_or(0, |before| u64::from(before) + 1);
        for document in &mut self.documents[..count] {
            let here = next + u64::from(*document);
            // One that does not fit makes the last one too large, which is looked at once.
            *document = here as u32;
            next = here + 1;
        }
        if next > u64::from(span) {
            return Err(wrong);
        }
        for frequency in &mut self.frequencies[..count] {
            *frequency += 1;
        }
        self.count = count;
        Ok(())
    }

    pub(crate) fn postings(&self) -> impl Iterator<Item = Posting> {
        (0..self.count.min(BLOCK)).map(|at| Posting {
            document: self.documents[at],
            frequency: self.frequencies[at],
            norm: self.norms[at],
        })
    }
}
