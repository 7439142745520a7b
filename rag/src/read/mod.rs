//! Readers: a file becomes a [`Document`], or the facts and typed nodes that it states.
//!
//! `Source` is the file, `Format` says how to read it; each format has a file of its own here. A reader
//! takes any bytes. What it cannot make sense of is text; only what cannot be text at all, or would hide
//! something from whoever asked, is an error.
//!
//! | what | where |
//! |---|---|
//! | which files there are, and what their paths say | `walk.rs`, `path.rs` |
//! | documents | `markdown.rs` with `front_matter.rs`, `html.rs`, `plain.rs` with `numbering.rs`, `pdf/` |
//! | tables, through a mapping | `typed/` |
//! | facts that somebody has extracted | `triples/` |
//! | what is wrong, and where | `error.rs` |
//!
//! ```
//! use stratigraph_rag::read::{Format, Source};
//!
//! let text = "# Rocks\n\nAll of them are old.\n\n## Basalt\n\nIt was lava.\n";
//! let document = Source::new("rocks.md", text.as_bytes()).read(Format::Markdown)?;
//! let basalt = &document.sections()[2];
//! assert_eq!((basalt.title.as_str(), basalt.depth), ("Basalt", 2));
//! assert_eq!(document.text_of(basalt.body.clone()), "\nIt was lava.\n");
//! # Ok::<(), stratigraph_rag::read::ReadError>(())
//! ```

mod error;
mod front_matter;
mod html;
mod markdown;
mod numbering;
mod path;
mod pdf;
mod plain;
mod triples;
mod typed;
mod walk;

use std::borrow::Cow;
use std::path::Path;

use crate::{Document, Metadata};

use error::CONVERT;
pub use error::{Place, ReadError};
pub use front_matter::number;
pub use path::{PathPattern, PatternError};
pub use pdf::{PdfLimits, PdfParsing, serve_pdf_child};
pub use triples::{Stated, TripleCounts, TripleReader};
pub(crate) use typed::SilentFile;
pub use typed::{
    LabelSchema, Origin, TableMapping, Typed, TypedEdge, TypedKey, TypedNode, TypedRows,
    TypedSchema,
};
pub use walk::{Found, Walk, Walked};

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// CommonMark with GitHub's tables, and front matter before it.
    Markdown,
    /// A page of the web: what a browser would show of it.
    Html,
    /// Text whose headings are numbered (`1.1`, `Chapter 2`, `第一章`, `（一）`) or underlined.
    Plain,
    /// PDF with a text layer; somebody has to say who parses it ([`PdfParsing`]).
    Pdf,
    /// A table, one record after the other: a mapping says what they are.
    Csv,
    /// Objects, one a line: a mapping says what they are, or they are facts.
    JsonLines,
}

impl Format {
    /// What to tell somebody whose file has another ending.
    pub(crate) const ENDINGS: &'static str = "Markdown ends with .md, pages of the web with .html, plain text with .txt, PDF with .pdf, tables with .csv, .tsv or .jsonl";

    /// Whether a file of this format is one document; otherwise it holds records.
    #[must_use]
    pub fn is_document(self) -> bool {
        !matches!(self, Self::Csv | Self::JsonLines)
    }

    /// The format of files with this ending, if one of ours has it.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "md" | "markdown" | "mdown" | "mkd" => Some(Self::Markdown),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "txt" | "text" => Some(Self::Plain),
            "pdf" => Some(Self::Pdf),
            "csv" | "tsv" => Some(Self::Csv),
            "jsonl" | "ndjson" | "json" => Some(Self::JsonLines),
            _ => None,
        }
    }
}

/// A file to be read.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    id: &'a str,
    bytes: &'a [u8],
    metadata: Metadata,
    max_bytes: usize,
    pdf: Option<PdfParsing>,
}

impl<'a> Source<'a> {
    /// The most bytes of a document unless something else is said.
    pub const MAX_BYTES: usize = 256 << 20;

    /// These bytes, under the name that the document will have.
    #[must_use]
    pub fn new(id: &'a str, bytes: &'a [u8]) -> Self {
        Self {
            id,
            bytes,
            metadata: Metadata::new(),
            max_bytes: Self::MAX_BYTES,
            pdf: None,
        }
    }

    /// What is known about the document beside its text. What the text says of itself goes before it.
    #[must_use]
    pub fn metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = metadata;
        self
    }

    /// The most bytes that are read.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Who parses it if it is a PDF.
    #[must_use]
    pub fn pdf(mut self, parsing: PdfParsing) -> Self {
        self.pdf = Some(parsing);
        self
    }

    /// Reads it.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] with the place of what cannot be read.
    pub fn read(&self, format: Format) -> Result<Document, ReadError> {
        if self.bytes.len() > self.max_bytes {
            return Err(ReadError::new(
                self.id,
                Place::File,
                format!(
                    "the file has {} bytes, and at most {} are read",
                    self.bytes.len(),
                    self.max_bytes
                ),
                "divide it, or raise the limit",
            ));
        }
        let document = match format {
            Format::Markdown => markdown::read(self.id, &self.text()?)?,
            Format::Html => html::read(self.id, &self.text()?),
            Format::Plain => plain::read(self.id, &self.text()?),
            Format::Pdf => pdf::read(self.id, self.bytes, self.pdf.as_ref())?,
            Format::Csv | Format::JsonLines => {
                return Err(ReadError::new(
                    self.id,
                    Place::File,
                    "a table is no document".to_owned(),
                    "read it through a mapping, or as triples",
                ));
            }
        };
        Ok(document.with_metadata(self.metadata.clone()))
    }

    /// The bytes as text: UTF-8, or UTF-16 if they begin with its mark.
    fn text(&self) -> Result<Cow<'a, str>, ReadError> {
        if let Some(wide) = Wide::of(self.bytes) {
            return wide.text(self.id).map(Cow::Owned);
        }
        let bytes = self
            .bytes
            .strip_prefix(b"\xEF\xBB\xBF")
            .unwrap_or(self.bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let good = &bytes[..error.valid_up_to()];
            let good = String::from_utf8_lossy(good);
            ReadError::new(
                self.id,
                Place::of_byte(&good, good.len()),
                "the bytes here are not UTF-8".to_owned(),
                CONVERT,
            )
        })?;
        Ok(Cow::Borrowed(text))
    }
}

/// UTF-16, as Windows writes it.
struct Wide<'a> {
    bytes: &'a [u8],
    unit: fn([u8; 2]) -> u16,
}

impl<'a> Wide<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let little = bytes.strip_prefix(b"\xFF\xFE").map(|bytes| Self {
            bytes,
            unit: u16::from_le_bytes,
        });
        little.or_else(|| {
            bytes.strip_prefix(b"\xFE\xFF").map(|bytes| Self {
                bytes,
                unit: u16::from_be_bytes,
            })
        })
    }

    fn text(&self, id: &str) -> Result<String, ReadError> {
        let (pairs, rest) = self.bytes.as_chunks::<2>();
        let units = pairs.iter().map(|pair| (self.unit)(*pair));
        let text: Result<String, _> = char::decode_utf16(units).collect();
        match text {
            Ok(text) if rest.is_empty() => Ok(text),
            _ => Err(ReadError::new(
                id,
                Place::File,
                "the file begins like UTF-16, but what follows is not".to_owned(),
                "convert it to UTF-8 first",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_text_is_refused_with_its_place() {
        let refused = Source::new("a.txt", b"one\ntw\xFFo")
            .read(Format::Plain)
            .unwrap_err();
        assert_eq!(
            refused.to_string(),
            "a.txt, line 2, column 3: the bytes here are not UTF-8; convert the file first, for example \
             with `iconv -f GB18030 -t UTF-8`, or with `-f UTF-16` if it is Excel's Unicode text"
        );
        let long = Source::new("a.txt", b"12345")
            .max_bytes(4)
            .read(Format::Plain);
        assert!(long.unwrap_err().to_string().contains("5 bytes"));
    }

    #[test]
    fn marks_of_encodings_are_not_part_of_the_text() {
        for bytes in [&b"\xEF\xBB\xBFab"[..], b"\xFF\xFEa\0b\0", b"\xFE\xFF\0a\0b"] {
            let document = Source::new("a", bytes).read(Format::Plain).unwrap();
            assert_eq!(document.text(), "ab");
        }
        assert!(
            Source::new("a", b"\xFF\xFEa\0b")
                .read(Format::Plain)
                .is_err()
        );
    }

    #[test]
    fn metadata_of_the_document_goes_before_what_is_given() {
        let given = Metadata::from([("year".to_owned(), 1.into()), ("by".to_owned(), "x".into())]);
        let source = Source::new("a", b"---\nyear: 2023\n---\n# A\n").metadata(given);
        let document = source.read(Format::Markdown).unwrap();
        assert_eq!(document.metadata()["year"], 2023.into());
        assert_eq!(document.metadata()["by"], "x".into());
    }

    #[test]
    fn formats_are_known_by_their_endings() {
        assert_eq!(Format::of_path(Path::new("a/B.MD")), Some(Format::Markdown));
        assert_eq!(Format::of_path(Path::new("a.txt")), Some(Format::Plain));
        assert_eq!(Format::of_path(Path::new("a.exe")), None);
    }
}
