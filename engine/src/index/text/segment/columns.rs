//! Whose the documents of a segment are, and how long.
//!
//! ```text
//! [format: 1][documents: varint]([numbers left out: varint][owner, less the one before: zigzag][length: varint])*
//! ```
//! Documents that a merge has dropped leave their numbers out.

use super::super::OwnerId;
use crate::codec::{CodecError, RecordReader, RecordWriter};

const FORMAT: u8 = 1;
const WHAT: &str = "text columns";

/// One document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    /// Its number, counted from the segment's first.
    pub(crate) number: u32,
    pub(crate) owner: OwnerId,
    /// In units of weight.
    pub(crate) length: u32,
}

/// The documents of a segment by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    documents: Vec<Document>,
}

impl Columns {
    /// Adds a document after all others.
    pub(crate) fn push(&mut self, document: Document) {
        self.documents.push(document);
    }

    pub(crate) fn documents(&self) -> &[Document] {
        &self.documents
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&self.documents[..])
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Document> {
        // Without gaps it is where its number says.
        let there = self
            .documents
            .get(number as usize)
            .filter(|document| document.number == number);
        there.or_else(|| {
            let at = self
                .documents
                .binary_search_by_key(&number, |document| document.number)
                .ok()?;
            self.documents.get(at)
        })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut record = RecordWriter::with_capacity(FORMAT, 4 + 5 * self.documents.len());
        record.push_count(self.documents.len());
        let (mut next, mut before) = (0, 0_u64);
        for document in &self.documents {
            let owner = document.owner.get();
            record
                .push_varint(u64::from(document.number - next))
                .push_zigzag(owner.wrapping_sub(before).cast_signed())
                .push_varint(document.length.into());
            next = document.number + 1;
            before = owner;
        }
        record.finish()
    }

    pub(crate) fn decode(bytes: &[u8], span: u32) -> Result<Self, CodecError> {
        let mut record = RecordReader::new(WHAT, FORMAT..=FORMAT, bytes)?;
        let count = record.read_count(3)?;
        let mut documents = Vec::with_capacity(count);
        let (mut next, mut before) = (0_u64, 0_u64);
        for _ in 0..count {
            let at = record.position();
            let number = next + u64::from(record.read_varint_u32()?);
            before = before.wrapping_add(record.read_zigzag()?.cast_unsigned());
            let length = record.read_varint_u32()?;
            if number >= u64::from(span) {
                return Err(CodecError::NotCanonical { what: WHAT, at });
            }
            documents.push(Document {
                number: number as u32,
                owner: OwnerId::new(before),
                length,
            });
            next = number + 1;
        }
        record.finish()?;
        Ok(Self { documents })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_bytes_of_their_picture() {
        let mut columns = Columns::default();
        for (number, owner, length) in [(0, 10, 300), (1, 9, 1), (4, u64::MAX, 0)] {
            columns.push(Document {
                number,
                owner: OwnerId::new(owner),
                length,
            });
        }
        let bytes = columns.encode();
        assert_eq!(bytes, [1, 3, 0, 20, 0xAC, 2, 0, 1, 1, 2, 19, 0]);
        assert_eq!(Columns::decode(&bytes, 5), Ok(columns.clone()));
        assert!(
            Columns::decode(&bytes, 4).is_err(),
            "a number beyond the segment"
        );
        for end in 0..bytes.len() {
            assert!(Columns::decode(&bytes[..end], 5).is_err(), "{end} bytes");
        }
        assert_eq!(columns.get(1).map(|document| document.owner.get()), Some(9));
        assert_eq!(columns.get(4).map(|document| document.length), Some(0));
        assert_eq!(columns.get(2), None);
    }
}
