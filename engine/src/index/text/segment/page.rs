//! A page of terms with their postings.
//!
//! ```text
//! [format: 1][terms: 2 LE]([where it begins: 2 LE])*([length of the term: varint][term][list])*
//! ```
//! Terms rise. A page is read whole and searched by halves, so the places of its terms come first.

use crate::codec::{CodecError, RecordReader, RecordWriter};
use std::cmp::Ordering;

const FORMAT: u8 = 1;
const WHAT: &str = "postings page";
/// A page is finished when it has so many bytes.
pub(crate) const FULL_BYTES: usize = 8 << 10;
/// Places are two bytes.
const MAX_BYTES: usize = 1 << 16;
const HEAD_BYTES: usize = 3;

/// A page that is being filled.
#[derive(Debug, Default)]
pub(crate) struct PageBuilder {
    places: Vec<usize>,
    body: Vec<u8>,
}

impl PageBuilder {
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether another term of so many bytes still belongs here.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.is_empty()
            || HEAD_BYTES + 2 * self.places.len() + self.body.len() + bytes <= FULL_BYTES
    }

    pub(crate) fn push(&mut self, term: &[u8], list: &[u8]) {
        self.places.push(self.body.len());
        let mut head = RecordWriter::part();
        head.push_bytes(term);
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(list);
    }

    /// The page's bytes; the builder is empty after it.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        let head = HEAD_BYTES + 2 * self.places.len();
        let mut bytes = Vec::with_capacity(head + self.body.len());
        bytes.push(FORMAT);
        bytes.extend_from_slice(&(self.places.len() as u16).to_le_bytes());
        for place in &self.places {
            bytes.extend_from_slice(&((head + place) as u16).to_le_bytes());
        }
        bytes.extend_from_slice(&self.body);
        self.places.clear();
        self.body.clear();
        bytes
    }
}

/// A page that was read.
#[derive(Debug)]
pub(crate) struct Page {
    bytes: Box<[u8]>,
    count: usize,
}

impl Page {
    /// The page of some bytes, whose places rise and lie within it.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let wrong = |at| CodecError::NotCanonical { what: WHAT, at };
        let mut record = RecordReader::new(WHAT, FORMAT..=FORMAT, bytes)?;
        let count = usize::from(u16::from_le_bytes(record.read_array()?));
        let places = record.read_raw(2 * count)?;
        if count == 0 || bytes.len() > MAX_BYTES {
            return Err(wrong(1));
        }
        let mut last = None;
        for (at, place) in places.as_chunks::<2>().0.iter().enumerate() {
            let place = usize::from(u16::from_le_bytes(*place));
            let first = at == 0 && place == HEAD_BYTES + 2 * count;
            let later = last.is_some_and(|last| last < place);
            if place >= bytes.len() || !(first || later) {
                return Err(wrong(HEAD_BYTES + 2 * at));
            }
            last = Some(place);
        }
        Ok(Self {
            bytes: bytes.into(),
            count,
        })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// A term, and its list with the place where that begins.
    pub(crate) fn entry(&self, at: usize) -> Result<(&[u8], RecordReader<'_>, usize), CodecError> {
        let begin = self.place(at);
        let end = if at + 1 < self.count {
            self.place(at + 1)
        } else {
            self.bytes.len()
        };
        let mut record =
            RecordReader::part(WHAT, FORMAT, self.bytes.get(begin..end).unwrap_or_default());
        let term = record.read_bytes()?;
        let list = begin + record.position();
        let rest = self.bytes.get(list..end).unwrap_or_default();
        Ok((term, RecordReader::part(WHAT, FORMAT, rest), list))
    }

    /// Where the first term is that is not smaller, and whether it is the one.
    pub(crate) fn find(&self, wanted: &[u8]) -> Result<(usize, bool), CodecError> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            let (term, ..) = self.entry(middle)?;
            match term.cmp(wanted) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok((middle, true)),
                Ordering::Greater => high = middle,
            }
        }
        Ok((low, false))
    }

    fn place(&self, at: usize) -> usize {
        let place = self
            .bytes
            .get(HEAD_BYTES + 2 * at..)
            .and_then(|rest| rest.first_chunk::<2>());
        place.map_or(self.bytes.len(), |place| {
            usize::from(u16::from_le_bytes(*place))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_page_has_the_bytes_of_its_picture() {
        let mut builder = PageBuilder::default();
        builder.push(b"cat", &[9, 8]);
        builder.push(b"dog", &[7]);
        let bytes = builder.finish();
        assert_eq!(
            bytes,
            b"\x01\x02\x00\x07\x00\x0D\x00\x03cat\x09\x08\x03dog\x07"
        );
        let page = Page::decode(&bytes).unwrap();
        assert_eq!(page.find(b"cat"), Ok((0, true)));
        assert_eq!(page.find(b"cow"), Ok((1, false)));
        assert_eq!(page.find(b"dog"), Ok((1, true)));
        assert_eq!(page.find(b"eel"), Ok((2, false)));
        let (term, mut list, begin) = page.entry(0).unwrap();
        assert_eq!(
            (term, begin, list.read_rest()),
            (&b"cat"[..], 11, &[9, 8][..])
        );
        assert!(Page::decode(b"\x01\x00\x00").is_err() && Page::decode(b"").is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..100), terms in 1..9_u8) {
            let bytes = [&[1, terms, 0][..], &bytes].concat();
            if let Ok(page) = Page::decode(&bytes) {
                let _ = page.find(b"m");
                (0..page.count()).for_each(|at| drop(page.entry(at)));
            }
        }
    }
}
