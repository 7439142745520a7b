//! The keys of text indexes, next to pictures of their bytes.
//!
//! ```text
//! postings        [index: 4 BE][segment: 4 BE][part: 1][page: 4 BE]  part 0: terms with postings, 1: positions
//! text_documents  [index: 4 BE][0]                                   statistics and the list of segments
//! text_documents  [index: 4 BE][1][segment: 4 BE]                    directory of its pages
//! text_documents  [index: 4 BE][2][segment: 4 BE]                    columns: whose document, how long
//! text_documents  [index: 4 BE][3][segment: 4 BE]                    documents of it that are gone
//! text_documents  [index: 4 BE][4][owner: 8 BE]                      the document of a node or relationship
//! ```
//! None of these bytes may ever change.

use super::OwnerId;
use crate::catalog::SchemaId;
use crate::codec::{CodecError, KeyReader, KeyWriter};
use crate::storage::range::KeyRange;
use std::fmt;

const STATISTICS: u8 = 0;
const DIRECTORY: u8 = 1;
const COLUMNS: u8 = 2;
const GONE: u8 = 3;
const DOCUMENT: u8 = 4;

/// A segment's number in its index; never given twice in what is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SegmentId(pub(super) u32);

impl fmt::Display for SegmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A page's place among those of its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PageNo(pub(super) u32);

/// What a page of the family `postings` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Part {
    /// Terms with their postings.
    Terms,
    /// Where in the texts the terms are; only phrases read them.
    Positions,
}

/// The key of a page in `postings`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PageKey {
    pub(super) index: SchemaId,
    pub(super) segment: SegmentId,
    pub(super) part: Part,
    pub(super) page: PageNo,
}

impl PageKey {
    pub(super) fn encode(self) -> Vec<u8> {
        KeyWriter::with_capacity(13)
            .push_u32(self.index.get())
            .push_u32(self.segment.0)
            .push_u8(match self.part {
                Part::Terms => 0,
                Part::Positions => 1,
            })
            .push_u32(self.page.0)
            .finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        const WHAT: &str = "postings key";
        let mut reader = KeyReader::new(WHAT, bytes);
        let index = SchemaId(reader.read_u32()?);
        let segment = SegmentId(reader.read_u32()?);
        let part = match reader.read_u8()? {
            0 => Part::Terms,
            1 => Part::Positions,
            found => {
                return Err(CodecError::BadTag {
                    what: WHAT,
                    at: 8,
                    found,
                });
            }
        };
        let page = PageNo(reader.read_u32()?);
        reader.finish()?;
        Ok(Self {
            index,
            segment,
            part,
            page,
        })
    }
}

/// A key in `text_documents`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum DocumentsKey {
    Statistics,
    Directory(SegmentId),
    Columns(SegmentId),
    Gone(SegmentId),
    Document(OwnerId),
}

impl DocumentsKey {
    pub(super) fn encode(self, index: SchemaId) -> Vec<u8> {
        let mut key = KeyWriter::with_capacity(13);
        key.push_u32(index.get());
        match self {
            Self::Statistics => key.push_u8(STATISTICS),
            Self::Directory(segment) => key.push_u8(DIRECTORY).push_u32(segment.0),
            Self::Columns(segment) => key.push_u8(COLUMNS).push_u32(segment.0),
            Self::Gone(segment) => key.push_u8(GONE).push_u32(segment.0),
            Self::Document(owner) => key.push_u8(DOCUMENT).push_u64(owner.get()),
        };
        key.finish()
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<(SchemaId, Self), CodecError> {
        const WHAT: &str = "text documents key";
        let mut reader = KeyReader::new(WHAT, bytes);
        let index = SchemaId(reader.read_u32()?);
        let key = match reader.read_u8()? {
            STATISTICS => Self::Statistics,
            DIRECTORY => Self::Directory(SegmentId(reader.read_u32()?)),
            COLUMNS => Self::Columns(SegmentId(reader.read_u32()?)),
            GONE => Self::Gone(SegmentId(reader.read_u32()?)),
            DOCUMENT => Self::Document(OwnerId::new(reader.read_u64()?)),
            found => {
                return Err(CodecError::BadTag {
                    what: WHAT,
                    at: 4,
                    found,
                });
            }
        };
        reader.finish()?;
        Ok((index, key))
    }

    /// All documents of an index, in the order of their owners.
    pub(super) fn documents(index: SchemaId) -> KeyRange {
        let mut key = KeyWriter::with_capacity(5);
        key.push_u32(index.get()).push_u8(DOCUMENT);
        KeyRange::prefix(key.as_bytes())
    }
}

/// All keys of an index, in either family.
pub(super) fn of_index(index: SchemaId) -> KeyRange {
    KeyRange::prefix(&index.get().to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_bytes_of_their_pictures() {
        let index = SchemaId(7);
        let page = PageKey {
            index,
            segment: SegmentId(0x0102_0304),
            part: Part::Positions,
            page: PageNo(9),
        };
        assert_eq!(page.encode(), [0, 0, 0, 7, 1, 2, 3, 4, 1, 0, 0, 0, 9]);
        assert_eq!(PageKey::decode(&page.encode()), Ok(page));
        let golden: [(DocumentsKey, &[u8]); 5] = [
            (DocumentsKey::Statistics, &[0, 0, 0, 7, 0]),
            (
                DocumentsKey::Directory(SegmentId(1)),
                &[0, 0, 0, 7, 1, 0, 0, 0, 1],
            ),
            (
                DocumentsKey::Columns(SegmentId(2)),
                &[0, 0, 0, 7, 2, 0, 0, 0, 2],
            ),
            (
                DocumentsKey::Gone(SegmentId(3)),
                &[0, 0, 0, 7, 3, 0, 0, 0, 3],
            ),
            (
                DocumentsKey::Document(OwnerId::new(258)),
                &[0, 0, 0, 7, 4, 0, 0, 0, 0, 0, 0, 1, 2],
            ),
        ];
        for (key, bytes) in golden {
            assert_eq!(key.encode(index), bytes);
            assert_eq!(DocumentsKey::decode(bytes), Ok((index, key)));
            assert!(of_index(index).contains(bytes));
        }
        assert!(DocumentsKey::documents(index).contains(golden[4].1));
        assert!(!DocumentsKey::documents(index).contains(golden[3].1));
        assert!(DocumentsKey::decode(&[0, 0, 0, 7, 5]).is_err());
        assert!(PageKey::decode(&[0, 0, 0, 7, 1, 2, 3, 4, 2, 0, 0, 0, 9]).is_err());
    }
}
