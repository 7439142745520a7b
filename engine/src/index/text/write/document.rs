//! What is stored of a live document by its owner.
//!
//! ```text
//! [format: 1][document: varint][length: varint][terms: varint]([shared with the one before: varint][rest: bytes])*
//! ```
//! The terms are kept so that a document can be removed without its text, which is gone by then or may be cut into
//! other terms by a later version: each of them must count one document less.

use crate::codec::{CodecError, RecordReader, RecordWriter};
use crate::index::text::analysis::MAX_TERM_BYTES;

const FORMAT: u8 = 1;
const WHAT: &str = "text document";

/// A live document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredDocument {
    /// Its number in the index.
    pub(crate) number: u32,
    /// In units of weight.
    pub(crate) length: u32,
    /// Its terms, rising.
    pub(crate) terms: Vec<Vec<u8>>,
}

impl StoredDocument {
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut record = RecordReader::new(WHAT, FORMAT..=FORMAT, bytes)?;
        let number = record.read_varint_u32()?;
        let length = record.read_varint_u32()?;
        let count = record.read_count(2)?;
        let mut terms: Vec<Vec<u8>> = Vec::with_capacity(count);
        for _ in 0..count {
            let at = record.position();
            let shared = record.read_varint()?;
            let rest = record.read_bytes()?;
            let before = terms.last().map_or(&[][..], |term| term);
            // No term is longer, and few bytes that share long beginnings would fill the memory.
            let is_short = shared.saturating_add(rest.len() as u64) <= MAX_TERM_BYTES as u64;
            let head = usize::try_from(shared)
                .ok()
                .and_then(|shared| before.get(..shared));
            let term = head.filter(|_| is_short).map(|head| [head, rest].concat());
            match term {
                Some(term) if terms.is_empty() || term.as_slice() > before => terms.push(term),
                _ => return Err(CodecError::NotCanonical { what: WHAT, at }),
            }
        }
        record.finish()?;
        Ok(Self {
            number,
            length,
            terms,
        })
    }

    /// Only the number.
    pub(crate) fn decode_number(bytes: &[u8]) -> Result<u32, CodecError> {
        RecordReader::new(WHAT, FORMAT..=FORMAT, bytes)?.read_varint_u32()
    }
}

/// Writes the record of a document, whose terms rise.
pub(super) fn encode<'t>(
    number: u32,
    length: u32,
    terms: impl ExactSizeIterator<Item = &'t [u8]>,
    record: &mut RecordWriter,
) {
    record
        .restart(FORMAT)
        .push_varint(number.into())
        .push_varint(length.into())
        .push_count(terms.len());
    let mut before: &[u8] = &[];
    for term in terms {
        let shared = term
            .iter()
            .zip(before)
            .take_while(|(one, other)| one == other)
            .count();
        record
            .push_count(shared)
            .push_bytes(term.get(shared..).unwrap_or_default());
        before = term;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_the_bytes_of_its_picture() {
        let terms: [&[u8]; 3] = [b"cat", b"cats", b"dog"];
        let mut record = RecordWriter::new(0);
        encode(300, 7, terms.into_iter(), &mut record);
        let bytes = record.finish();
        assert_eq!(
            bytes,
            b"\x01\xAC\x02\x07\x03\x00\x03cat\x03\x01s\x00\x03dog"
        );
        let document = StoredDocument {
            number: 300,
            length: 7,
            terms: terms.map(<[u8]>::to_vec).into(),
        };
        assert_eq!(StoredDocument::decode(&bytes), Ok(document));
        assert_eq!(StoredDocument::decode_number(&bytes), Ok(300));
        for end in 0..bytes.len() {
            assert!(
                StoredDocument::decode(&bytes[..end]).is_err(),
                "{end} bytes"
            );
        }
        assert!(
            StoredDocument::decode(b"\x01\x00\x00\x02\x00\x01b\x00\x01a").is_err(),
            "terms fall"
        );
        assert!(
            StoredDocument::decode(b"\x01\x00\x00\x01\x01\x01b").is_err(),
            "nothing to share with"
        );
        let long = [
            &b"\x01\x00\x00\x01\x00\x81\x01"[..],
            &[b'a'; MAX_TERM_BYTES + 1],
        ]
        .concat();
        assert!(StoredDocument::decode(&long).is_err(), "no term is so long");
    }
}
