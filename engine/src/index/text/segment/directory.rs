//! With which term each page of a segment begins.
//!
//! ```text
//! [format: 1][pages: varint]([shared with the term before: varint][rest of the term: bytes][document: varint])*
//! ```
//! The document is the first one of the page's first list: a long list goes on over pages that begin with the
//! same term, and whoever looks for a document in it skips to the page.

use crate::codec::{CodecError, RecordReader, RecordWriter};
use crate::index::text::analysis::MAX_TERM_BYTES;

const FORMAT: u8 = 1;
const WHAT: &str = "text directory";

/// The pages of a segment by their first terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Directory {
    /// All terms one after the other.
    terms: Vec<u8>,
    /// Where each page's term ends, and its first document.
    pages: Vec<(u32, u32)>,
}

impl Directory {
    pub(crate) fn push(&mut self, term: &[u8], document: u32) {
        self.terms.extend_from_slice(term);
        self.pages.push((self.terms.len() as u32, document));
    }

    pub(crate) fn len(&self) -> usize {
        self.pages.len()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.terms.len() + size_of_val(&self.pages[..])
    }

    pub(crate) fn term(&self, page: usize) -> &[u8] {
        let end = self
            .pages
            .get(page)
            .map_or(self.terms.len(), |page| page.0 as usize);
        let begin = page
            .checked_sub(1)
            .and_then(|before| self.pages.get(before));
        self.terms
            .get(begin.map_or(0, |before| before.0 as usize)..end)
            .unwrap_or_default()
    }

    /// The page in which a term is, if it is in any: that where its list begins.
    pub(crate) fn page_of(&self, term: &[u8]) -> Option<usize> {
        let first = self.first_not_below(term);
        if first < self.len() && self.term(first) == term {
            return Some(first);
        }
        first.checked_sub(1)
    }

    /// Of the pages from `from` on that begin with the same term, the last whose first document is not beyond
    /// `document`.
    pub(crate) fn page_with(&self, from: usize, document: u32) -> usize {
        let term = self.term(from);
        let mut page = from;
        while self
            .pages
            .get(page + 1)
            .is_some_and(|next| next.1 <= document)
            && self.term(page + 1) == term
        {
            page += 1;
        }
        page
    }

    fn first_not_below(&self, term: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.term(middle) < term {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut record = RecordWriter::new(FORMAT);
        record.push_count(self.len());
        let mut before: &[u8] = &[];
        for (page, (_, document)) in self.pages.iter().enumerate() {
            let term = self.term(page);
            let shared = term
                .iter()
                .zip(before)
                .take_while(|(one, other)| one == other)
                .count();
            record
                .push_count(shared)
                .push_bytes(term.get(shared..).unwrap_or_default())
                .push_varint((*document).into());
            before = term;
        }
        record.finish()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut record = RecordReader::new(WHAT, FORMAT..=FORMAT, bytes)?;
        let mut directory = Self::default();
        let mut term: Vec<u8> = Vec::new();
        for at in 0..record.read_count(3)? {
            let wrong = CodecError::NotCanonical {
                what: WHAT,
                at: record.position(),
            };
            let shared = record.read_varint()?;
            let rest = record.read_bytes()?;
            let document = record.read_varint_u32()?;
            // No term is longer, and few bytes that share long beginnings would fill the memory.
            let is_long = shared.saturating_add(rest.len() as u64) > MAX_TERM_BYTES as u64;
            if is_long || shared > term.len() as u64 {
                return Err(wrong);
            }
            let before = directory.pages.last().map_or(0, |page| page.1);
            let last = term.clone();
            term.truncate(shared as usize);
            term.extend_from_slice(rest);
            if at > 0 && (term < last || term == last && document <= before) {
                return Err(wrong);
            }
            directory.push(&term, document);
        }
        record.finish()?;
        Ok(directory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Directory {
        let mut directory = Directory::default();
        for (term, document) in [
            ("alpha", 0),
            ("the", 0),
            ("the", 400),
            ("the", 900),
            ("them", 3),
        ] {
            directory.push(term.as_bytes(), document);
        }
        directory
    }

    #[test]
    fn a_term_is_in_the_page_that_begins_with_it_or_before_it() {
        let page = |term: &str| example().page_of(term.as_bytes());
        assert_eq!(page("a"), None);
        assert_eq!(page("alpha"), Some(0));
        assert_eq!(page("beta"), Some(0));
        assert_eq!(page("the"), Some(1));
        assert_eq!(page("thea"), Some(3));
        assert_eq!(page("zeta"), Some(4));
        assert_eq!(
            [0, 399, 400, 2000].map(|document| example().page_with(1, document)),
            [1, 1, 2, 3]
        );
    }

    #[test]
    fn a_directory_has_the_bytes_of_its_picture() {
        let bytes = example().encode();
        let golden = b"\x01\x05\x00\x05alpha\x00\x00\x03the\x00\x03\x00\x90\x03\x03\x00\x84\x07\x03\x01m\x03";
        assert_eq!(bytes, golden);
        assert_eq!(Directory::decode(&bytes), Ok(example()));
        for end in 0..bytes.len() {
            assert!(Directory::decode(&bytes[..end]).is_err(), "{end} bytes");
        }
        assert!(
            Directory::decode(b"\x01\x02\x00\x01b\x00\x00\x01a\x00").is_err(),
            "terms fall"
        );
        assert!(
            Directory::decode(b"\x01\x02\x00\x01b\x02\x01\x00\x02").is_err(),
            "documents stay"
        );
        let long = [
            &b"\x01\x01\x00\x81\x01"[..],
            &[b'a'; MAX_TERM_BYTES + 1],
            b"\x00",
        ]
        .concat();
        assert!(Directory::decode(&long).is_err(), "no term is so long");
    }
}
