//! Lines of JSON: objects whose names are there once, and numbers that are what is written.
//!
//! Memory is one line, and a line has a limit.

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value as Json;
use std::collections::HashSet;
use std::fmt;
use std::io::{BufRead, Read};
use std::sync::Arc;

use crate::place::{Place, TableError, excerpt};

/// The entries of an object, each name once: a second one would win without a word.
#[derive(Debug, Default)]
pub struct Entries(pub Vec<(String, Json)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;

        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries: Vec<(String, Json)> = Vec::new();
                let mut names = HashSet::new();
                while let Some((name, value)) = map.next_entry::<String, Json>()? {
                    if !names.insert(name.clone()) {
                        let name = excerpt(&name);
                        return Err(A::Error::custom(format_args!("{name:?} is there twice")));
                    }
                    entries.push((name, value));
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(EntriesVisitor)
    }
}

/// Why a line is no record: the column, if it is about one, and the words.
pub type BadLine = (Option<u64>, String);

/// Reads a line that a mapping explains.
///
/// # Errors
/// It is no object.
pub fn object(text: &str) -> Result<Entries, BadLine> {
    let entries = parse(text)?;
    refuse_large_integers(text).map_err(|why| (None, why))?;
    Ok(entries)
}

/// Reads a line as what is wanted.
///
/// # Errors
/// It is no JSON, or something else.
pub fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, BadLine> {
    serde_json::from_str(text).map_err(|error| {
        let column = error.column();
        let said = error.to_string();
        // serde_json counts lines in what it was given, which is one.
        let place = format!(" at line {} column {column}", error.line());
        let said = said.strip_suffix(&place).unwrap_or(&said).to_owned();
        ((column > 0).then_some(column as u64), said)
    })
}

/// A whole number beyond 64 bits would be read as one with a point that is close to it.
///
/// # Errors
/// The text has one.
pub fn refuse_large_integers(text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    let (mut at, mut in_text) = (0, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if in_text => at += 1,
            b'"' => in_text = !in_text,
            b'0'..=b'9' if !in_text => {
                let rest = &bytes[at..];
                let digits = rest.iter().take_while(|one| one.is_ascii_digit()).count();
                let next = rest.get(digits);
                let whole = !matches!(next, Some(b'.' | b'e' | b'E'));
                if whole && digits >= 19 {
                    let signed = at > 0 && bytes.get(at - 1) == Some(&b'-');
                    let start = if signed { at - 1 } else { at };
                    let number = text.get(start..at + digits).unwrap_or_default();
                    if number.parse::<i64>().is_err() {
                        let number = excerpt(number);
                        return Err(format!("the integer {number} does not fit into 64 bits"));
                    }
                }
                // What follows a point or an exponent belongs to the same number.
                let rest = rest.iter();
                let number = rest.take_while(|one| {
                    one.is_ascii_digit() || matches!(one, b'.' | b'e' | b'E' | b'+' | b'-')
                });
                at += number.count().max(1);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// Lines of a file, with their numbers.
pub struct Lines {
    input: Box<dyn BufRead>,
    /// Its name, for messages.
    pub file: Arc<str>,
    limit: u64,
    line: Vec<u8>,
    /// The line that was read, from 1.
    pub number: u64,
    /// How many bytes were read.
    pub bytes: u64,
    /// The line that was read is to be read again.
    again: bool,
}

impl Lines {
    /// Reads lines from here; `limit` is the most bytes of one.
    #[must_use]
    pub fn new(input: Box<dyn BufRead>, file: Arc<str>, limit: u64) -> Self {
        Self {
            input,
            file,
            limit,
            line: Vec::new(),
            number: 0,
            bytes: 0,
            again: false,
        }
    }

    /// Reads the next line that is not blank; whether there is one.
    ///
    /// # Errors
    /// The file cannot be read on.
    pub fn read(&mut self) -> Result<bool, TableError> {
        if std::mem::take(&mut self.again) {
            return Ok(true);
        }
        loop {
            self.line.clear();
            let mut input = (&mut self.input).take(self.limit + 1);
            let read = input.read_until(b'\n', &mut self.line);
            let read = read.map_err(|source| TableError::Input {
                name: self.file.to_string(),
                source,
            })?;
            if read == 0 {
                return Ok(false);
            }
            self.number += 1;
            self.bytes += read as u64;
            if read as u64 > self.limit {
                return Err(TableError::TooLong {
                    place: self.place(None),
                    what: "a line",
                    limit: self.limit,
                });
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// The line that was read; `None` if it is no text.
    pub fn text(&self) -> Option<&str> {
        let text = std::str::from_utf8(&self.line).ok()?;
        let text = if self.number == 1 {
            text.trim_start_matches('\u{feff}')
        } else {
            text
        };
        Some(text.trim())
    }

    /// The next read gives the same line again.
    pub fn put_back(&mut self) {
        self.again = true;
    }

    /// A place in the line that was read.
    #[must_use]
    pub fn place(&self, column: Option<u64>) -> Place {
        Place {
            file: Arc::clone(&self.file),
            line: self.number,
            column,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_beyond_64_bits_are_seen_and_nothing_else() {
        for fine in [
            "9223372036854775807",
            "-9223372036854775808",
            "1e300",
            "12345678901234567890.5",
            "\"99999999999999999999\"",
            r#""\"99999999999999999999""#,
            "[0.12345678901234567890]",
            "1.5e-0012345678901234567890",
        ] {
            assert_eq!(refuse_large_integers(fine), Ok(()), "{fine}");
        }
        for large in ["9223372036854775808", "[1,-9223372036854775809]"] {
            assert!(refuse_large_integers(large).is_err(), "{large}");
        }
    }
}
