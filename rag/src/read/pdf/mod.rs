//! PDF with a text layer: the text in the order in which it is drawn, headings, and what is on which page.
//!
//! A PDF is a program's output for a printer, and the format in which hostile files come. It is parsed in a
//! child process with limits of memory and time, and what comes back is bounded and checked; a caller who
//! trusts its files may have them parsed in this process. Either way the work is bounded as well: what streams
//! unpack to, what is drawn, how deep things lie.
//!
//! What is read is text that is text. A scan, or a font that does not say what its letters are, is an error
//! that names the first such page, as an empty document would hide it; where only some pages are pictures,
//! their numbers are in the metadata as `pages_without_text`.
//!
//! | what | where |
//! |---|---|
//! | from bytes to what a document is made of | `parse.rs` |
//! | runs of letters on a page | `page.rs`, `font.rs`, `cmap.rs` |
//! | lines and paragraphs, without running titles | `layout.rs`, `running.rs` |
//! | headings, by the outline or by size | `headings.rs`, `bookmarks.rs` |
//! | the child: both of its ends, and what goes between | `child.rs`, `serve.rs`, `message.rs` |

mod bookmarks;
mod child;
mod cmap;
mod font;
mod headings;
mod layout;
mod message;
mod page;
mod parse;
mod running;
mod serve;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Place, ReadError};
use crate::{BlockKind, Datum, Document, Metadata, Outline};
pub use serve::serve_pdf_child;

/// How PDFs are parsed.
#[derive(Clone, Debug)]
pub struct PdfParsing {
    way: Way,
    limits: PdfLimits,
}

#[derive(Clone, Debug)]
enum Way {
    Here,
    Child {
        program: PathBuf,
        arguments: Vec<OsString>,
    },
}

/// What parsing one PDF may cost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PdfLimits {
    /// The memory of the child, in bytes of its address space.
    pub memory_bytes: u64,
    /// The seconds of the processor that it may use.
    pub cpu_seconds: u64,
    /// How long it may take.
    pub time: Duration,
    /// The most bytes that it may answer.
    pub reply_bytes: u64,
}

impl Default for PdfLimits {
    fn default() -> Self {
        Self {
            memory_bytes: 2 << 30,
            cpu_seconds: 120,
            time: Duration::from_secs(600),
            reply_bytes: 256 << 20,
        }
    }
}

impl PdfParsing {
    /// In a child process: this program with these arguments, which calls [`serve_pdf_child`]. The command
    /// `stratigraph read-pdf` does, and so does the program `stratigraph-read-pdf`.
    #[must_use]
    pub fn in_child(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Self {
        Self {
            way: Way::Child {
                program: program.into(),
                arguments: arguments.into_iter().collect(),
            },
            limits: PdfLimits::default(),
        }
    }

    /// In this process, for files that are trusted: nothing but the work is bounded then.
    #[must_use]
    pub fn in_this_process() -> Self {
        Self {
            way: Way::Here,
            limits: PdfLimits::default(),
        }
    }

    /// With these limits.
    #[must_use]
    pub fn limits(mut self, limits: PdfLimits) -> Self {
        self.limits = limits;
        self
    }
}

/// What is read of a PDF.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Parsed {
    text: String,
    title: String,
    /// Rank, title, and where it stands.
    headings: Vec<(usize, String, usize, usize)>,
    /// Where paragraphs stand.
    paragraphs: Vec<(usize, usize)>,
    /// Where each page begins.
    pages: Vec<usize>,
    metadata: Vec<(String, String)>,
    /// The numbers of pages with pictures and no text.
    without_text: Vec<usize>,
}

/// Why it is not read.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Refused {
    page: Option<usize>,
    reason: String,
    hint: String,
}

impl Refused {
    fn new(reason: String, hint: &str) -> Self {
        Self {
            page: None,
            reason,
            hint: hint.to_owned(),
        }
    }

    fn broken(reason: &str) -> Self {
        let hint =
            "open it in a viewer and print it to a new PDF, or mend it with `qpdf in.pdf out.pdf`";
        Self::new(reason.to_owned(), hint)
    }

    fn too_much(what: &str) -> Self {
        let hint = "a document that people read has less: divide it, or print it to a new PDF";
        Self::new(format!("{what} is beyond the limit"), hint)
    }

    fn on(mut self, page: usize) -> Self {
        self.page.get_or_insert(page);
        self
    }
}

/// Reads a PDF.
pub(super) fn read(
    id: &str,
    bytes: &[u8],
    parsing: Option<&PdfParsing>,
) -> Result<Document, ReadError> {
    let read = match parsing {
        None => Err(Refused::new(
            "nobody said how PDFs are to be parsed".to_owned(),
            "give the child that parses them (`PdfParsing::in_child`), or allow it in this process",
        )),
        Some(PdfParsing { way: Way::Here, .. }) => parse::apart(bytes, |_| ()),
        Some(PdfParsing {
            way: Way::Child { program, arguments },
            limits,
        }) => child::parse(program, arguments, bytes, limits),
    };
    match read {
        Ok(parsed) => Ok(parsed.document(id)),
        Err(Refused { page, reason, hint }) => {
            let place = page.map_or(Place::File, Place::Page);
            Err(ReadError::new(id, place, reason, &hint))
        }
    }
}

impl Parsed {
    /// As a document. Nothing here is trusted: an outline keeps what does not fit from doing harm.
    fn document(self, id: &str) -> Document {
        let mut outline = Outline::new(self.text, 0);
        let mut headings = self.headings.into_iter().peekable();
        for (start, end) in self.paragraphs {
            match headings.next_if(|(_, _, begins, _)| *begins <= start) {
                Some((rank, title, start, end)) => outline.heading(rank, &title, start..end),
                None => outline.block(BlockKind::Paragraph, start..end),
            }
        }
        for (at, start) in self.pages.into_iter().enumerate() {
            outline.page(at + 1, start);
        }
        let mut metadata: Metadata = self
            .metadata
            .into_iter()
            .map(|(name, value)| (name, Datum::Text(value)))
            .collect();
        if !self.without_text.is_empty() {
            let numbers = self.without_text.into_iter();
            let numbers = numbers.filter_map(|number| i64::try_from(number).ok());
            let numbers = numbers.map(Datum::Integer).collect();
            metadata.insert("pages_without_text".to_owned(), Datum::List(numbers));
        }
        outline.finish(id, Some(&self.title), metadata)
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod written;
