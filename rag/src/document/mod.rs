//! A document as a reader understood it: one text, and what stands where in it.
//!
//! Everything points into the one text by byte spans, so that a piece of an answer can be traced to the
//! bytes it came from. For Markdown and plain text that text is the file itself; for formats that hide
//! their text (HTML, PDF) it is the text that was taken out of them.

mod datum;
mod outline;

use std::collections::BTreeMap;
use std::ops::Range;

pub use datum::Datum;
pub use outline::Outline;

/// What is known about a document beside its text: company, year, source and the like.
pub type Metadata = BTreeMap<String, Datum>;

/// A document as a reader understood it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    id: String,
    title: String,
    text: String,
    sections: Vec<Section>,
    blocks: Vec<Block>,
    pages: Vec<Page>,
    metadata: Metadata,
}

/// A heading and what stands under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The heading's text, without what marks it as one. Of the document itself: its title.
    pub title: String,
    /// How deep it lies: 0 is the document itself. A heading that leaves out a level lies right under the
    /// one before it, so that no level of the tree is empty.
    pub depth: usize,
    /// The place of the section it lies in, among [`Document::sections`]. The document lies in none.
    pub parent: Option<usize>,
    /// From its heading to the next heading that is not within it.
    pub span: Range<usize>,
    /// Its own text: from the end of its heading to its first heading within it.
    pub body: Range<usize>,
}

/// A piece of text that a reader knows to be one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Where it stands.
    pub span: Range<usize>,
}

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// Running text.
    Paragraph,
    /// One item of a list, with what is within it.
    ListItem,
    /// A table.
    Table,
    /// Text whose line breaks matter, such as a program.
    Code,
}

/// A page of a format that has pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its number as a viewer counts, from 1.
    pub number: usize,
    /// Its text.
    pub span: Range<usize>,
}

impl Document {
    /// What names it among all documents: a path, an address, or a name of the caller's.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What it is called: what it says of itself, else its first heading, else its id.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Its text, which all spans point into.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The document itself, followed by its sections in the order of the text.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The blocks in the order of the text. None lies within another, and none across the border of a
    /// section's body.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Its pages in order; none if its format has none.
    #[must_use]
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// What is known about it.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The text of a span; empty if the span is none of this text.
    #[must_use]
    pub fn text_of(&self, span: Range<usize>) -> &str {
        self.text.get(span).unwrap_or_default()
    }

    /// The titles from the first heading down to this section; the document's own title is not among them.
    #[must_use]
    pub fn heading_path(&self, section: usize) -> Vec<&str> {
        let mut path = Vec::new();
        let mut at = self.sections.get(section);
        while let Some(section) = at {
            let Some(parent) = section.parent else { break };
            path.push(section.title.as_str());
            at = self.sections.get(parent);
        }
        path.reverse();
        path
    }

    /// The titles from the document's own down to this section, as one line: what a piece of it is put under.
    #[must_use]
    pub fn heading_line(&self, section: usize) -> String {
        let mut path = self.heading_path(section);
        // The first heading is often what the document is called.
        if path.first() != Some(&self.title()) {
            path.insert(0, self.title());
        }
        path.join(" > ")
    }

    /// The blocks that lie in a span.
    #[must_use]
    pub fn blocks_in(&self, span: &Range<usize>) -> &[Block] {
        let first = self
            .blocks
            .partition_point(|block| block.span.start < span.start);
        let rest = &self.blocks[first..];
        let count = rest.partition_point(|block| block.span.end <= span.end);
        &rest[..count]
    }

    /// The pages that a span touches, as their numbers; nothing if there are no pages.
    #[must_use]
    pub fn pages_of(&self, span: &Range<usize>) -> Option<(usize, usize)> {
        // Neither beginnings nor ends go back from page to page.
        let first = self
            .pages
            .partition_point(|page| page.span.end <= span.start);
        let after = self
            .pages
            .partition_point(|page| page.span.start < span.end);
        let touched = self.pages.get(first..after)?;
        Some((touched.first()?.number, touched.last()?.number))
    }

    /// Adds to what is known about it. What the document says of itself stays.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Metadata) -> Self {
        for (name, value) in metadata {
            self.metadata.entry(name).or_insert(value);
        }
        self
    }
}
