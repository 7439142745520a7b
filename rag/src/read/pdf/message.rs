//! What goes between a program and the child that parses for it.
//!
//! ```text
//! request  [mark: 8][memory: 8][seconds: 8][reply: 8][length: 8][the PDF]
//! reply    [mark: 8][length: 8][checksum: 8][postcard: Result<Parsed, Refused>]
//! ```
//! Numbers are big-endian. Neither end trusts the other: lengths are bounded before anything is reserved, and
//! a reply is whole, or none.

use std::io::{self, Read, Write};

use xxhash_rust::xxh3::xxh3_64;

use super::{Parsed, PdfLimits, Refused};

const REQUEST: &[u8; 8] = b"SGPDFRQ1";
const REPLY: &[u8; 8] = b"SGPDFRP1";

/// What the child is told before the PDF.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) memory_bytes: u64,
    pub(super) cpu_seconds: u64,
    pub(super) reply_bytes: u64,
    pub(super) pdf_bytes: u64,
}

impl Request {
    pub(super) const BYTES: usize = 40;

    pub(super) fn new(limits: &PdfLimits, pdf: &[u8]) -> Self {
        Self {
            memory_bytes: limits.memory_bytes,
            cpu_seconds: limits.cpu_seconds,
            reply_bytes: limits.reply_bytes,
            pdf_bytes: pdf.len() as u64,
        }
    }

    pub(super) fn write(&self, pdf: &[u8], to: &mut impl Write) -> io::Result<()> {
        let mut head = Vec::with_capacity(Self::BYTES);
        head.extend(REQUEST);
        for number in [
            self.memory_bytes,
            self.cpu_seconds,
            self.reply_bytes,
            self.pdf_bytes,
        ] {
            head.extend(number.to_be_bytes());
        }
        to.write_all(&head)?;
        to.write_all(pdf)
    }

    /// Reads it; nothing if it is none.
    pub(super) fn read(from: &mut impl Read) -> Option<Self> {
        let mut head = [0; Self::BYTES];
        from.read_exact(&mut head).ok()?;
        let rest = head.strip_prefix(REQUEST)?;
        let (numbers, _) = rest.as_chunks::<8>();
        let [memory_bytes, cpu_seconds, reply_bytes, pdf_bytes] = <[[u8; 8]; 4]>::try_from(numbers)
            .ok()?
            .map(u64::from_be_bytes);
        Some(Self {
            memory_bytes,
            cpu_seconds,
            reply_bytes,
            pdf_bytes,
        })
    }
}

/// The bytes of a reply; nothing if they are more than the limit.
pub(super) fn encode(reply: &Result<Parsed, Refused>, limit: u64) -> Option<Vec<u8>> {
    let inner = postcard::to_stdvec(reply).ok()?;
    if (inner.len() + HEAD) as u64 > limit {
        return None;
    }
    let mut bytes = Vec::with_capacity(HEAD + inner.len());
    bytes.extend(REPLY);
    bytes.extend((inner.len() as u64).to_be_bytes());
    bytes.extend(xxh3_64(&inner).to_be_bytes());
    bytes.extend(inner);
    Some(bytes)
}

const HEAD: usize = 24;

/// The reply that these bytes are, if they are a whole one.
pub(super) fn decode(bytes: &[u8]) -> Option<Result<Parsed, Refused>> {
    let rest = bytes.strip_prefix(REPLY)?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (sum, inner) = rest.split_first_chunk::<8>()?;
    let whole = u64::from_be_bytes(*length) == inner.len() as u64;
    if !whole || u64::from_be_bytes(*sum) != xxh3_64(inner) {
        return None;
    }
    postcard::from_bytes(inner).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_reply_is_whole_or_none() {
        let parsed = Parsed {
            text: "text".to_owned(),
            headings: vec![(1, "a".to_owned(), 0, 1)],
            ..Parsed::default()
        };
        let reply = Ok(parsed);
        let bytes = encode(&reply, 1000).unwrap();
        assert_eq!(decode(&bytes), Some(reply));
        for cut in 0..bytes.len() {
            assert_eq!(decode(&bytes[..cut]), None);
        }
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 1;
            assert_eq!(decode(&broken), None, "{at}");
        }
        assert_eq!(encode(&Ok(Parsed::default()), 10), None);
    }

    #[test]
    fn a_request_comes_back() {
        let mut bytes = Vec::new();
        let request = Request::new(&PdfLimits::default(), b"pdf");
        request.write(b"pdf", &mut bytes).unwrap();
        assert_eq!(Request::read(&mut bytes.as_slice()), Some(request));
        assert_eq!(Request::read(&mut b"hello".as_slice()), None);
    }

    proptest! {
        /// A child that was taken over answers what it wants.
        #[test]
        fn any_reply_with_a_right_sum_does_no_harm(inner in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut bytes = REPLY.to_vec();
            bytes.extend((inner.len() as u64).to_be_bytes());
            bytes.extend(xxh3_64(&inner).to_be_bytes());
            bytes.extend(inner);
            if let Some(Ok(parsed)) = decode(&bytes) {
                let _ = parsed.document("x");
            }
        }

        #[test]
        fn any_places_do_no_harm(text in ".{0,40}", places in proptest::collection::vec((0_usize..60, 0_usize..60), 0..8)) {
            let parsed = Parsed {
                text,
                headings: places.iter().map(|(start, end)| (*start, "h".to_owned(), *start, *end)).collect(),
                paragraphs: places.clone(),
                pages: places.iter().map(|(start, _)| *start).collect(),
                ..Parsed::default()
            };
            let document = parsed.document("x");
            for section in document.sections() {
                let _ = document.text_of(section.body.clone());
                let _ = document.pages_of(&section.span);
            }
        }
    }
}
