//! Lines of JSON: records that say themselves what they are, and plain objects that a mapping explains.
//!
//! ```text
//! {"node":1,"labels":["Person"],"properties":{"name":"Ann","born":{"date":"1984-10-11"}}}
//! {"relationship":1,"type":"KNOWS","from":1,"to":2,"properties":{}}
//! {"member":1,"hierarchy":"parts"}
//! {"index":"by_name","label":"Person","properties":["name"]}
//! ```
//! These are the lines of a dump (docs/dump-format.md) with ids of any kind: numbers, or texts.

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value as Json;
use std::collections::HashSet;
use std::fmt;
use std::io::{BufRead, Read};
use std::sync::Arc;

use super::place::{Place, TransferError};
use crate::failure::Failure;

/// A record that says itself what it is.
#[derive(Debug)]
pub(crate) enum JsonRecord {
    Node(NodeLine),
    Relationship(RelationshipLine),
    Member(MemberLine),
    /// An index, a constraint or a hierarchy: the engine reads it.
    Declaration,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeLine {
    pub(crate) node: JsonId,
    #[serde(default)]
    pub(crate) labels: Vec<String>,
    #[serde(default)]
    pub(crate) properties: Entries,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RelationshipLine {
    /// Its own id is of no use: it gets another.
    #[serde(rename = "relationship")]
    _id: Option<JsonId>,
    #[serde(rename = "type")]
    pub(crate) of: String,
    pub(crate) from: JsonId,
    pub(crate) to: JsonId,
    #[serde(default)]
    pub(crate) properties: Entries,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemberLine {
    pub(crate) member: JsonId,
    pub(crate) hierarchy: String,
}

/// An id: a text, or a number, which is the same as its text.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub(crate) enum JsonId {
    Number(i64),
    Text(String),
}

impl JsonId {
    pub(crate) fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
}

/// The entries of an object, each name once: a second one would win without a word.
#[derive(Debug, Default)]
pub(crate) struct Entries(pub(crate) Vec<(String, Json)>);

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
                        let name = super::place::excerpt(&name);
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
pub(crate) type BadLine = (Option<u64>, String);

/// Reads a line that says what it is.
///
/// # Errors
/// It says nothing that we know.
pub(crate) fn record(text: &str) -> Result<JsonRecord, BadLine> {
    let inside = text.trim_start().strip_prefix('{');
    let key =
        inside.and_then(|inside| Some(inside.trim_start().strip_prefix('"')?.split_once('"')?.0));
    let record = match key {
        Some("node") => JsonRecord::Node(parse(text)?),
        Some("relationship") => JsonRecord::Relationship(parse(text)?),
        Some("member") => JsonRecord::Member(parse(text)?),
        Some("index" | "vector_index" | "text_index" | "constraint" | "hierarchy") => {
            return Ok(JsonRecord::Declaration);
        }
        Some("stratigraph_dump" | "label" | "type" | "property" | "end") => {
            let why = "this is a dump: `stratigraph load` takes it";
            return Err((None, why.to_owned()));
        }
        _ => {
            let why = "a line is a JSON object whose first key is node, relationship, member, or the kind of a \
                       declaration; other objects need a mapping";
            return Err((None, why.to_owned()));
        }
    };
    refuse_large_integers(text).map_err(|why| (None, why))?;
    Ok(record)
}

/// Reads a line that a mapping explains.
///
/// # Errors
/// It is no object.
pub(crate) fn object(text: &str) -> Result<Entries, BadLine> {
    let entries = parse(text)?;
    refuse_large_integers(text).map_err(|why| (None, why))?;
    Ok(entries)
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, BadLine> {
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
pub(crate) fn refuse_large_integers(text: &str) -> Result<(), String> {
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
                        let number = super::place::excerpt(number);
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
pub(crate) struct Lines {
    input: Box<dyn BufRead>,
    pub(crate) file: Arc<str>,
    limit: u64,
    line: Vec<u8>,
    pub(crate) number: u64,
    pub(crate) bytes: u64,
    /// The line that was read is to be read again.
    again: bool,
}

impl Lines {
    pub(crate) fn new(input: Box<dyn BufRead>, file: Arc<str>, limit: u64) -> Self {
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
    pub(crate) fn read(&mut self) -> Result<bool, Failure> {
        if std::mem::take(&mut self.again) {
            return Ok(true);
        }
        loop {
            self.line.clear();
            let mut input = (&mut self.input).take(self.limit + 1);
            let read = input.read_until(b'\n', &mut self.line);
            let read = read.map_err(|source| Failure::Input {
                name: self.file.to_string(),
                source,
            })?;
            if read == 0 {
                return Ok(false);
            }
            self.number += 1;
            self.bytes += read as u64;
            if read as u64 > self.limit {
                return Err(TransferError::Unreadable {
                    place: self.place(None),
                    reason: format!(
                        "a line of more than {} bytes: --record-limit takes longer ones",
                        self.limit
                    ),
                }
                .into());
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// The line that was read; `None` if it is no text.
    pub(crate) fn text(&self) -> Option<&str> {
        let text = std::str::from_utf8(&self.line).ok()?;
        let text = if self.number == 1 {
            text.trim_start_matches('\u{feff}')
        } else {
            text
        };
        Some(text.trim())
    }

    /// The next read gives the same line again.
    pub(crate) fn put_back(&mut self) {
        self.again = true;
    }

    pub(crate) fn place(&self, column: Option<u64>) -> Place {
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
    fn lines_say_what_they_are() {
        assert!(matches!(
            record(r#"{"node":"a","labels":[],"properties":{"a":1}}"#),
            Ok(JsonRecord::Node(_))
        ));
        assert!(matches!(
            record(r#"{"relationship":null,"type":"T","from":1,"to":"b"}"#),
            Ok(JsonRecord::Relationship(_))
        ));
        assert!(matches!(
            record(r#"{"index":"x"}"#),
            Ok(JsonRecord::Declaration)
        ));
        let cases = [
            ("[1]", "first key"),
            (r#"{"name":"Ann"}"#, "need a mapping"),
            (r#"{"stratigraph_dump":1}"#, "`stratigraph load`"),
            (r#"{"node":1,"labels":[],"propertis":{}}"#, "unknown field"),
            (
                r#"{"node":1,"properties":{"a":1,"a":2}}"#,
                "\"a\" is there twice",
            ),
            (r#"{"node":1,"node":2}"#, "duplicate field"),
            (r#"{"node":1.5}"#, ""),
            (r#"{"node":1"#, "EOF"),
            (
                r#"{"node":1,"properties":{"a":99999999999999999999}}"#,
                "64 bits",
            ),
        ];
        for (text, said) in cases {
            let (_, why) = record(text).unwrap_err();
            assert!(why.contains(said), "{text}: {why}");
        }
    }

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
