//! What an index knows of itself: how many documents there are, how long they are together, and its segments.
//!
//! ```text
//! [format: 1][live documents: varint][length of all: varint][next document: varint][next segment: varint]
//! [segments: varint]([segment: varint][first document: varint][documents: varint][present: varint][gone: varint]
//!                    [pages: varint][position pages: varint][bytes: varint][print: 8 LE][gone print: 8 LE])*
//! ```
//! It is read by every search and written by every commit that changes text, so it stays small. Live documents and
//! their length are exact: what is gone counts for neither from the commit on in which it went.
//!
//! A segment holds a range of document numbers; ranges rise and do not overlap. Prints are hashes of what was
//! written: whoever keeps something of a segment in memory keeps its print with it and compares it with this
//! record, so that nothing kept of a transaction that was rolled back is taken for what is stored.

use super::keys::SegmentId;
use crate::codec::{CodecError, RecordReader, RecordWriter};

const FORMAT: u8 = 1;
const WHAT: &str = "text statistics";

/// What is known of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SegmentRecord {
    pub(super) id: SegmentId,
    /// The number of its first document.
    pub(super) first: u32,
    /// How many numbers it covers; some may be gone for good.
    pub(super) span: u32,
    /// How many documents its postings have.
    pub(super) present: u32,
    /// How many of those are gone.
    pub(super) gone: u32,
    pub(super) pages: u32,
    pub(super) position_pages: u32,
    /// Of all pages together, which says in what tier it is.
    pub(super) bytes: u64,
    /// Of its pages, directory and columns.
    pub(super) print: u64,
    /// Of what is gone of it; 0 if nothing is.
    pub(super) gone_print: u64,
}

/// What is known of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Statistics {
    pub(super) live: u64,
    /// The sum of the lengths of live documents, in units of weight.
    pub(super) length: u64,
    pub(super) next_document: u32,
    pub(super) next_segment: u32,
    /// In the order of their documents.
    pub(super) segments: Vec<SegmentRecord>,
}

impl Statistics {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut record = RecordWriter::with_capacity(FORMAT, 16 + 40 * self.segments.len());
        record
            .push_varint(self.live)
            .push_varint(self.length)
            .push_varint(self.next_document.into())
            .push_varint(self.next_segment.into())
            .push_count(self.segments.len());
        for segment in &self.segments {
            record
                .push_varint(segment.id.0.into())
                .push_varint(segment.first.into())
                .push_varint(segment.span.into())
                .push_varint(segment.present.into())
                .push_varint(segment.gone.into())
                .push_varint(segment.pages.into())
                .push_varint(segment.position_pages.into())
                .push_varint(segment.bytes)
                .push_fixed_u64(segment.print)
                .push_fixed_u64(segment.gone_print);
        }
        record.finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut record = RecordReader::new(WHAT, FORMAT..=FORMAT, bytes)?;
        let mut statistics = Self {
            live: record.read_varint()?,
            length: record.read_varint()?,
            next_document: record.read_varint_u32()?,
            next_segment: record.read_varint_u32()?,
            segments: Vec::new(),
        };
        let count = record.read_count(24)?;
        statistics.segments.reserve(count);
        let (mut beyond, mut live) = (0_u32, 0_u64);
        for _ in 0..count {
            let at = record.position();
            let wrong = CodecError::NotCanonical { what: WHAT, at };
            let segment = SegmentRecord {
                id: SegmentId(record.read_varint_u32()?),
                first: record.read_varint_u32()?,
                span: record.read_varint_u32()?,
                present: record.read_varint_u32()?,
                gone: record.read_varint_u32()?,
                pages: record.read_varint_u32()?,
                position_pages: record.read_varint_u32()?,
                bytes: record.read_varint()?,
                print: record.read_fixed_u64()?,
                gone_print: record.read_fixed_u64()?,
            };
            let end = segment
                .first
                .checked_add(segment.span)
                .ok_or_else(|| wrong.clone())?;
            let fits = segment.first >= beyond
                && end <= statistics.next_document
                && segment.id.0 < statistics.next_segment
                && segment.present <= segment.span
                && segment.gone <= segment.present;
            if !fits {
                return Err(wrong);
            }
            beyond = end;
            live += u64::from(segment.present - segment.gone);
            statistics.segments.push(segment);
        }
        if live != statistics.live {
            return Err(CodecError::NotCanonical { what: WHAT, at: 1 });
        }
        record.finish()?;
        Ok(statistics)
    }

    /// The place in the list of the segment that a document lies in.
    pub(super) fn segment_of(&self, document: u32) -> Option<usize> {
        let after = self
            .segments
            .partition_point(|segment| segment.first <= document);
        let before = self.segments[..after].iter().enumerate().rev();
        let mut holds = before.filter(|(_, segment)| document - segment.first < segment.span);
        holds.next().map(|(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn example() -> Statistics {
        Statistics {
            live: 3,
            length: 300,
            next_document: 5,
            next_segment: 2,
            segments: vec![
                SegmentRecord {
                    id: SegmentId(0),
                    first: 0,
                    span: 4,
                    present: 3,
                    gone: 1,
                    pages: 2,
                    position_pages: 1,
                    bytes: 600,
                    print: 0x0807_0605_0403_0201,
                    gone_print: 7,
                },
                SegmentRecord {
                    id: SegmentId(1),
                    first: 4,
                    span: 1,
                    present: 1,
                    gone: 0,
                    pages: 1,
                    position_pages: 1,
                    bytes: 5,
                    print: 9,
                    gone_print: 0,
                },
            ],
        }
    }

    #[test]
    fn the_record_has_the_bytes_of_its_picture() {
        let bytes = example().encode();
        let golden = [
            1, 3, 0xAC, 2, 5, 2, 2, // the index
            0, 0, 4, 3, 1, 2, 1, 0xD8, 4, 1, 2, 3, 4, 5, 6, 7, 8, 7, 0, 0, 0, 0, 0, 0,
            0, // a segment
            1, 4, 1, 1, 0, 1, 1, 5, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // another
        ];
        assert_eq!(bytes, golden);
        assert_eq!(Statistics::decode(&bytes), Ok(example()));
        for end in 0..bytes.len() {
            assert!(Statistics::decode(&bytes[..end]).is_err(), "{end} bytes");
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        type Change = fn(&mut Statistics);
        let changes: [Change; 5] = [
            |of| of.live = 4,
            |of| of.segments[1].first = 3,
            |of| of.segments[1].span = 2,
            |of| of.next_segment = 1,
            |of| of.segments[0].gone = 4,
        ];
        for (at, change) in changes.iter().enumerate() {
            let mut wrong = example();
            change(&mut wrong);
            assert!(Statistics::decode(&wrong.encode()).is_err(), "change {at}");
        }
    }

    #[test]
    fn a_document_is_in_the_segment_whose_range_holds_it() {
        let places = (0..6).map(|document| example().segment_of(document));
        assert_eq!(
            places.collect::<Vec<_>>(),
            [Some(0), Some(0), Some(0), Some(0), Some(1), None]
        );
    }
}
