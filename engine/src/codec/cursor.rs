//! A bounded reader over bytes from outside, shared by [`KeyReader`](super::KeyReader),
//! [`RecordReader`](super::RecordReader), varints and frames.
//!
//! It knows where it is and what it is reading, so that errors can say so. It must never hand out
//! a byte it does not have: [`Cursor::take`] is the one place that splits the slice, and everything
//! else goes through it. A failed read moves nothing.
//!
//! The small methods are inlined by request: node records are decoded value by value, and a result
//! that is handed over in memory costs more there than the reading itself.
//!
//! Next: `ordered.rs` and `record.rs`, which give the bytes their meaning.

use super::CodecError;

/// What is being read, the bytes still unread, and how many were read before them.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    what: &'static str,
    at: usize,
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(what: &'static str, bytes: &'a [u8]) -> Self {
        Self {
            what,
            at: 0,
            rest: bytes,
        }
    }

    #[inline]
    pub(super) fn what(&self) -> &'static str {
        self.what
    }

    /// Offset of the next unread byte.
    #[inline]
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The unread bytes, without reading them.
    #[inline]
    pub(super) fn peek(&self) -> &'a [u8] {
        self.rest
    }

    /// Reads `count` bytes.
    #[inline]
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], CodecError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| self.truncated(count))?;
        self.advance(rest);
        Ok(taken)
    }

    /// Reads `N` bytes as an array, ready for `from_be_bytes` and its kin.
    #[inline]
    pub(super) fn take_array<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        let (taken, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or_else(|| self.truncated(N))?;
        self.advance(rest);
        Ok(*taken)
    }

    /// Reads one byte.
    #[inline]
    pub(super) fn take_u8(&mut self) -> Result<u8, CodecError> {
        let [byte] = self.take_array()?;
        Ok(byte)
    }

    /// Reads one byte as a bool; only 0 and 1 are bools.
    pub(super) fn take_bool(&mut self) -> Result<bool, CodecError> {
        let at = self.at;
        match self.rest.first() {
            Some(&found @ (0 | 1)) => {
                self.take(1)?;
                Ok(found == 1)
            }
            Some(&found) => Err(CodecError::BadTag {
                what: self.what,
                at,
                found,
            }),
            None => Err(self.truncated(1)),
        }
    }

    /// Reads everything that is left.
    pub(super) fn take_rest(&mut self) -> &'a [u8] {
        let taken = self.rest;
        self.advance(&[]);
        taken
    }

    /// Ends the reading; unread bytes are an error.
    pub(super) fn finish(self) -> Result<(), CodecError> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(CodecError::Trailing {
            what: self.what,
            at: self.at,
            bytes: self.rest.len(),
        })
    }

    /// The error for a field of `needed` bytes that starts here and does not fit.
    pub(super) fn truncated(&self, needed: usize) -> CodecError {
        CodecError::Truncated {
            what: self.what,
            at: self.at,
            needed,
            available: self.rest.len(),
        }
    }

    /// `rest` is always a tail of the unread bytes, so the difference cannot underflow.
    #[inline]
    fn advance(&mut self, rest: &'a [u8]) {
        self.at += self.rest.len() - rest.len();
        self.rest = rest;
    }
}
