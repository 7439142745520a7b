//! Records of a CSV file, one after the other, with their places.
//!
//! Not the crate `csv`: that cannot tell an empty field from an empty text in quotes, which are null and `""` here,
//! and does not say in which column a field stands. What is read is RFC 4180 with any one-byte delimiter: a field in
//! quotes may hold delimiters, ends of lines, and quotes that are doubled. A quote elsewhere is a character like others.
//!
//! Memory is one record, and a record has a limit. Bytes that are no text make one record bad; a quote that is
//! never closed ends the file, since nobody knows where the next record would begin.

use crate::place::{BadRecord, Place, Problem, TableError};
use std::io::{BufRead, Read};
use std::sync::Arc;

/// The signs of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signs {
    /// Between two fields.
    pub delimiter: u8,
    /// Around a field.
    pub quote: u8,
    /// Between the elements of a list.
    pub array: char,
}

impl Default for Signs {
    fn default() -> Self {
        Self {
            delimiter: b',',
            quote: b'"',
            array: ';',
        }
    }
}

/// A field of the record that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its text, without quotes.
    pub text: &'a str,
    /// Whether it stood in quotes: an empty field that does is a text, one that does not is null.
    pub quoted: bool,
    /// The line it begins in, from 1.
    pub line: u64,
    /// The character of the line it begins at, from 1.
    pub column: u64,
}

#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
    quoted: bool,
    line: u64,
    /// Where it begins in the raw bytes of its line.
    at: usize,
    line_start: usize,
}

/// Reads records.
pub struct CsvReader<R> {
    input: R,
    signs: Signs,
    file: Arc<str>,
    /// The most bytes of a record.
    limit: u64,
    /// The bytes of the record.
    raw: Vec<u8>,
    /// The fields without quotes, one after the other.
    text: Vec<u8>,
    spans: Vec<Span>,
    /// The last line that was read.
    line: u64,
    /// How many bytes were read.
    pub bytes: u64,
}

/// What came of reading on.
pub enum Next {
    /// A record.
    Record,
    /// A record that cannot be taken apart; the next may be read.
    Bad(BadRecord),
    /// There are no more.
    End,
}

impl<R: BufRead> CsvReader<R> {
    /// Reads records from here; `file` is for messages, `limit` the most bytes of a record.
    pub fn new(input: R, file: Arc<str>, signs: Signs, limit: u64) -> Self {
        Self {
            input,
            signs,
            file,
            limit,
            raw: Vec::new(),
            text: Vec::new(),
            spans: Vec::new(),
            line: 0,
            bytes: 0,
        }
    }

    /// Reads the next record; lines with nothing in them are none.
    ///
    /// # Errors
    /// The file cannot be read on.
    pub fn read(&mut self) -> Result<Next, TableError> {
        loop {
            self.raw.clear();
            self.text.clear();
            self.spans.clear();
            if !self.more()? {
                return Ok(Next::End);
            }
            if self.line == 1 && self.raw.starts_with(b"\xEF\xBB\xBF") {
                self.raw.drain(..3);
            }
            if !matches!(self.raw.as_slice(), b"\n" | b"\r\n" | b"\r") {
                break;
            }
        }
        let began = self.line;
        if let Some(problem) = self.split()? {
            let place = self.place(began, None);
            return Ok(Next::Bad(BadRecord::new(place, problem)));
        }
        // Each field by itself: two halves of a character in two fields would be a whole one.
        let is_text = |span: &&Span| {
            let bytes = self.text.get(span.start..span.end).unwrap_or_default();
            std::str::from_utf8(bytes).is_ok()
        };
        if let Some(span) = self.spans.iter().find(|span| !is_text(span)) {
            let place = self.place(span.line, Some(self.column(span)));
            let problem = Problem::NotText;
            return Ok(Next::Bad(BadRecord::new(place, problem)));
        }
        Ok(Next::Record)
    }

    /// How many fields the record has.
    pub fn width(&self) -> usize {
        self.spans.len()
    }

    /// A field of the record that was read.
    pub fn field(&self, number: usize) -> Option<Field<'_>> {
        let span = self.spans.get(number)?;
        let text = std::str::from_utf8(self.text.get(span.start..span.end)?).ok()?;
        Some(Field {
            text,
            quoted: span.quoted,
            line: span.line,
            column: self.column(span),
        })
    }

    /// A place in this file.
    pub fn place(&self, line: u64, column: Option<u64>) -> Place {
        Place {
            file: Arc::clone(&self.file),
            line,
            column,
        }
    }

    /// The place of the record that was read.
    pub fn here(&self) -> Place {
        let line = self.spans.first().map_or(self.line, |span| span.line);
        self.place(line, None)
    }

    /// The signs of this file.
    pub fn signs(&self) -> Signs {
        self.signs
    }

    /// Columns are counted only when somebody asks, which is when something is wrong.
    fn column(&self, span: &Span) -> u64 {
        let before = self.raw.get(span.line_start..span.at).unwrap_or_default();
        String::from_utf8_lossy(before).chars().count() as u64 + 1
    }

    /// Adds a line of the file to the record; whether there was one.
    fn more(&mut self) -> Result<bool, TableError> {
        let room = self.limit.saturating_sub(self.raw.len() as u64);
        let before = self.raw.len();
        let read = (&mut self.input)
            .take(room + 1)
            .read_until(b'\n', &mut self.raw);
        let read = read.map_err(|source| TableError::Input {
            name: self.file.to_string(),
            source,
        })?;
        if read == 0 {
            return Ok(false);
        }
        self.bytes += read as u64;
        self.line += 1;
        if self.raw.len() as u64 > self.limit && self.raw.len() > before {
            return Err(TableError::TooLong {
                place: self.place(self.line, None),
                what: "a record (is a quote not closed?)",
                limit: self.limit,
            });
        }
        Ok(true)
    }

    /// Takes the record apart, with the lines that belong to it.
    fn split(&mut self) -> Result<Option<Problem>, TableError> {
        let (delimiter, quote) = (self.signs.delimiter, self.signs.quote);
        let mut bad = None;
        let (mut at, mut line, mut line_start) = (0, self.line, 0);
        loop {
            let mut span = Span {
                start: self.text.len(),
                end: 0,
                quoted: self.raw.get(at) == Some(&quote),
                line,
                at,
                line_start,
            };
            if span.quoted {
                let opened = line;
                at += 1;
                loop {
                    let rest = self.raw.get(at..).unwrap_or_default();
                    let Some(length) = rest.iter().position(|byte| *byte == quote) else {
                        // The field goes on in the next line.
                        self.text.extend_from_slice(rest);
                        at = self.raw.len();
                        if !self.more()? {
                            return Err(TableError::Unreadable {
                                place: self.place(opened, Some(self.column(&span))),
                                reason: "a quote is opened here and never closed".to_owned(),
                            });
                        }
                        line = self.line;
                        line_start = at;
                        continue;
                    };
                    self.text.extend_from_slice(&rest[..length]);
                    at += length + 1;
                    if self.raw.get(at) != Some(&quote) {
                        break;
                    }
                    self.text.push(quote);
                    at += 1;
                }
                span.end = self.text.len();
                if !self.ends_at(at) {
                    bad = bad.or(Some(Problem::AfterQuote));
                    at += self.length_of_rest(at);
                }
            } else {
                let length = self.length_of_rest(at);
                self.text.extend_from_slice(&self.raw[at..at + length]);
                at += length;
                span.end = self.text.len();
            }
            self.spans.push(span);
            if self.raw.get(at) != Some(&delimiter) {
                return Ok(bad);
            }
            at += 1;
        }
    }

    /// Whether a field may end here.
    fn ends_at(&self, at: usize) -> bool {
        match self.raw.get(at) {
            None | Some(b'\n') => true,
            Some(b'\r') => matches!(self.raw.get(at + 1), None | Some(b'\n')),
            Some(byte) => *byte == self.signs.delimiter,
        }
    }

    /// How many bytes there are until the next delimiter or the end of the line.
    fn length_of_rest(&self, at: usize) -> usize {
        let rest = self.raw.get(at..).unwrap_or_default();
        let end = |byte: &u8| *byte == self.signs.delimiter || *byte == b'\n';
        let length = rest.iter().position(end).unwrap_or(rest.len());
        let at_end = rest.get(length) != Some(&self.signs.delimiter);
        if at_end && length > 0 && rest.get(length - 1) == Some(&b'\r') {
            length - 1
        } else {
            length
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> Vec<String> {
        let mut reader = CsvReader::new(text, "f".into(), Signs::default(), 1000);
        let mut records = Vec::new();
        loop {
            match reader.read() {
                Ok(Next::End) => return records,
                Ok(Next::Bad(bad)) => records.push(bad.to_string()),
                Ok(Next::Record) => {
                    let fields = (0..reader.width()).map(|at| {
                        let field = reader.field(at).unwrap();
                        let quote = if field.quoted { "'" } else { "" };
                        format!(
                            "{}:{}{quote}{}{quote}",
                            field.line, field.column, field.text
                        )
                    });
                    records.push(fields.collect::<Vec<_>>().join("|"));
                }
                Err(error) => {
                    records.push(error.to_string());
                    return records;
                }
            }
        }
    }

    #[test]
    fn records_are_taken_apart_with_their_places() {
        let cases: [(&str, &[&str]); 12] = [
            ("a,b\n", &["1:1a|1:3b"]),
            ("a,b", &["1:1a|1:3b"]),
            ("\u{feff}a,b\r\nc,d\r\n", &["1:1a|1:3b", "2:1c|2:3d"]),
            ("a,,\"\"\n", &["1:1a|1:3|1:4''"]),
            ("\"a,b\",c\n", &["1:1'a,b'|1:7c"]),
            ("\"say \"\"so\"\"\"\n", &["1:1'say \"so\"'"]),
            (
                "\"two\r\nlines\",x\ny,z\n",
                &["1:1'two\r\nlines'|2:8x", "3:1y|3:3z"],
            ),
            ("a \"b\" c,d\n", &["1:1a \"b\" c|1:9d"]),
            ("ä,b\n", &["1:1ä|1:3b"]),
            ("\n\na\n\n", &["3:1a"]),
            (
                "\"a\"b,c\nd,e\n",
                &[
                    "f:1: something follows the closing quote: a quote within a field is written twice",
                    "2:1d|2:3e",
                ],
            ),
            ("a,\n,b", &["1:1a|1:3", "2:1|2:2b"]),
        ];
        for (text, records) in cases {
            assert_eq!(all(text.as_bytes()), records, "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_on_ends_the_file() {
        let open = all(b"a,b\nc,\"d\ne,f\n");
        assert_eq!(open[0], "1:1a|1:3b");
        assert!(
            open[1].starts_with("f:2:3: a quote is opened here and never closed"),
            "{open:?}"
        );
        let long = [b"a,".as_slice(), &[b'x'; 2000]].concat();
        assert!(
            all(&long)[0].contains("more than 1000 bytes"),
            "{:?}",
            all(&long)[0]
        );
        let broken = all(b"a,b\nc,\xFFd\ne,f\n");
        assert_eq!(
            broken,
            ["1:1a|1:3b", "f:2:3: this is not text in UTF-8", "3:1e|3:3f"]
        );
    }

    /// Bytes that mean something, and some that are no text.
    const AWKWARD: &[u8] = b"\"\",,;\r\n\n aZ0\xC3\xA9\xFF\0\\";

    #[test]
    fn any_bytes_are_read_to_an_end() {
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
        let mut draw = |below: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % below as u64) as usize
        };
        for _ in 0..20_000 {
            let length = draw(40);
            let text: Vec<u8> = (0..length).map(|_| AWKWARD[draw(AWKWARD.len())]).collect();
            let records = all(&text);
            assert!(records.len() <= length + 1, "{text:?}");
            // What was written as fields comes back as the same fields.
            let fields: Vec<String> = (0..1 + draw(4))
                .map(|_| {
                    let bytes: Vec<u8> =
                        (0..draw(8)).map(|_| AWKWARD[draw(AWKWARD.len())]).collect();
                    String::from_utf8_lossy(&bytes).into_owned()
                })
                .collect();
            let quoted: Vec<String> = fields
                .iter()
                .map(|field| format!("\"{}\"", field.replace('"', "\"\"")))
                .collect();
            let line = quoted.join(",") + "\n";
            let mut reader = CsvReader::new(line.as_bytes(), "f".into(), Signs::default(), 1000);
            assert!(matches!(reader.read(), Ok(Next::Record)), "{line:?}");
            let read: Vec<&str> = (0..reader.width())
                .map(|at| reader.field(at).unwrap().text)
                .collect();
            assert_eq!(read, fields, "{line:?}");
            assert!(matches!(reader.read(), Ok(Next::End)), "{line:?}");
        }
    }
}
