//! The scanner that every `FromStr` here shares: it knows where it is and what it is reading.
//!
//! It must never index the text: what it has not seen it does not take, and a failure names the
//! byte where it stood. The scanner takes no decision about forms; a reader of more of ISO 8601's
//! can be built from the same parts.
//!
//! Next: `date.rs`, the simplest user.

use std::fmt;

use super::error::{TemporalError, TemporalTextError, TextProblem};

/// The unread tail of a text and its offset in the whole.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    what: &'static str,
    at: usize,
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(what: &'static str, text: &'a str) -> Self {
        Self {
            what,
            at: 0,
            rest: text,
        }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Takes `sign` if it comes next.
    pub(super) fn eat(&mut self, sign: char) -> bool {
        let Some(rest) = self.rest.strip_prefix(sign) else {
            return false;
        };
        self.advance(rest);
        true
    }

    /// Takes `sign`, or fails with its description.
    pub(super) fn expect(
        &mut self,
        sign: char,
        description: &'static str,
    ) -> Result<(), TemporalTextError> {
        if self.eat(sign) {
            return Ok(());
        }
        Err(self.expected(description))
    }

    /// Takes `min..=max` ASCII digits, as many as there are.
    pub(super) fn digits(
        &mut self,
        min: usize,
        max: usize,
        description: &'static str,
    ) -> Result<&'a str, TemporalTextError> {
        let count = self
            .rest
            .bytes()
            .take(max)
            .take_while(u8::is_ascii_digit)
            .count();
        match self.rest.split_at_checked(count) {
            Some((digits, rest)) if count >= min => {
                self.advance(rest);
                Ok(digits)
            }
            _ => Err(self.expected(description)),
        }
    }

    /// Takes exactly two digits as a number.
    pub(super) fn two_digits(
        &mut self,
        description: &'static str,
    ) -> Result<u32, TemporalTextError> {
        let digits = self.digits(2, 2, description)?;
        digits.parse().map_err(|_| self.expected(description))
    }

    /// Takes the fraction of a second that follows a point: one to nine digits, as nanoseconds.
    pub(super) fn fraction(&mut self) -> Result<u32, TemporalTextError> {
        let digits = self.digits(1, 9, "one to nine digits")?;
        let mut nanos = 0;
        for digit in digits.bytes().chain(std::iter::repeat(b'0')).take(9) {
            nanos = nanos * 10 + u32::from(digit - b'0');
        }
        Ok(nanos)
    }

    /// Takes everything before `end`, and `end` itself.
    pub(super) fn until(
        &mut self,
        end: char,
        description: &'static str,
    ) -> Result<&'a str, TemporalTextError> {
        match self.rest.split_once(end) {
            Some((taken, rest)) => {
                self.advance(rest);
                Ok(taken)
            }
            None => Err(self.expected(description)),
        }
    }

    /// Ends the reading: nothing may be left, and `value` must be written just like the text.
    ///
    /// One value, one text: text is kept in dumps, and two texts of one value would compare
    /// unequal there.
    pub(super) fn finish<T: fmt::Display>(
        self,
        text: &str,
        value: T,
    ) -> Result<T, TemporalTextError> {
        if !self.is_at_end() {
            return Err(self.expected("the end"));
        }
        let accepted = value.to_string();
        if accepted == text {
            return Ok(value);
        }
        Err(TemporalTextError {
            what: self.what,
            at: 0,
            problem: TextProblem::NotCanonical { accepted },
        })
    }

    /// The error that something described should stand here.
    pub(super) fn expected(&self, description: &'static str) -> TemporalTextError {
        TemporalTextError {
            what: self.what,
            at: self.at,
            problem: TextProblem::Expected(description),
        }
    }

    /// Places an error about numbers at the byte where they start.
    pub(super) fn invalid(&self, at: usize) -> impl FnOnce(TemporalError) -> TemporalTextError {
        let what = self.what;
        move |error| TemporalTextError {
            what,
            at,
            problem: TextProblem::Invalid(error),
        }
    }

    /// `rest` is always a tail of the unread text, so the difference cannot underflow.
    fn advance(&mut self, rest: &'a str) {
        self.at += self.rest.len() - rest.len();
        self.rest = rest;
    }
}
