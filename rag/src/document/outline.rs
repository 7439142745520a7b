//! How readers make a document: they tell headings and blocks in the order of the text.
//!
//! It keeps what a reader could get wrong: sections nest, bodies end where the next heading begins, and
//! every span lies on borders of characters.

use std::ops::Range;

use super::{Block, BlockKind, Document, Metadata, Page, Section};

/// A document that is being read.
#[derive(Debug)]
pub struct Outline {
    text: String,
    sections: Vec<Section>,
    /// The sections that are open, each with the rank of its heading: the document itself is always there.
    open: Vec<(usize, usize)>,
    blocks: Vec<Block>,
    pages: Vec<Page>,
}

impl Outline {
    /// The deepest that sections lie within each other; deeper headings lie beside each other there. No
    /// document of people comes near, and what walks down the tree may count on it.
    pub const DEEPEST: usize = 32;

    /// A document of this text, whose content begins at this byte: what is before it (front matter) is in
    /// no section.
    #[must_use]
    pub fn new(text: String, begins: usize) -> Self {
        let begins = floor(&text, begins);
        let whole = Section {
            title: String::new(),
            depth: 0,
            parent: None,
            span: begins..text.len(),
            body: begins..text.len(),
        };
        Self {
            text,
            sections: vec![whole],
            open: vec![(0, 0)],
            blocks: Vec::new(),
            pages: Vec::new(),
        }
    }

    /// The text that spans point into.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A heading of this rank (1 is the highest) that stands here. It ends all sections of its rank and
    /// lower ones. A heading before the last one that was told is left out: the order is the text's.
    pub fn heading(&mut self, rank: usize, title: &str, span: Range<usize>) {
        let span = floor(&self.text, span.start)..floor(&self.text, span.end);
        let rank = rank.max(1);
        let last = self.sections.len() - 1;
        if span.start < self.sections[last].body.start || span.is_empty() {
            return;
        }
        self.sections[last].body.end = span.start;
        while self.open.len() > 1 {
            let (section, of_rank) = self.open[self.open.len() - 1];
            if of_rank < rank && self.open.len() <= Self::DEEPEST {
                break;
            }
            self.sections[section].span.end = span.start;
            self.open.pop();
        }
        let (parent, _) = self.open[self.open.len() - 1];
        self.open.push((self.sections.len(), rank));
        self.sections.push(Section {
            title: one_line(title),
            depth: self.sections[parent].depth + 1,
            parent: Some(parent),
            span: span.start..self.text.len(),
            body: span.end..self.text.len(),
        });
    }

    /// A block that stands here, after all headings and blocks before it.
    pub fn block(&mut self, kind: BlockKind, span: Range<usize>) {
        let span = floor(&self.text, span.start)..floor(&self.text, span.end);
        let after = self.blocks.last().map_or(0, |block| block.span.end);
        let last = &self.sections[self.sections.len() - 1];
        if span.start < after.max(last.body.start) || span.is_empty() {
            return;
        }
        self.blocks.push(Block { kind, span });
    }

    /// A page that begins here and goes to the next one. None begins before the one before it.
    pub fn page(&mut self, number: usize, start: usize) {
        let after = self.pages.last().map_or(0, |before| before.span.start);
        let start = floor(&self.text, start).max(after);
        if let Some(before) = self.pages.last_mut() {
            before.span.end = start;
        }
        let span = start..self.text.len();
        self.pages.push(Page { number, span });
    }

    /// The document. Its title is the one given, else that of its first heading, else its id.
    #[must_use]
    pub fn finish(mut self, id: &str, title: Option<&str>, metadata: Metadata) -> Document {
        let title = title.map(one_line).filter(|title| !title.is_empty());
        let first = self.sections.iter().skip(1).map(|section| &section.title);
        let first = first.into_iter().find(|title| !title.is_empty());
        let title = title
            .or_else(|| first.cloned())
            .unwrap_or_else(|| id.to_owned());
        self.sections[0].title.clone_from(&title);
        Document {
            id: id.to_owned(),
            title,
            text: self.text,
            sections: self.sections,
            blocks: self.blocks,
            pages: self.pages,
            metadata,
        }
    }
}

/// The border of a character at or before this byte.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

/// A title as one line with single spaces, of a length that keys and prompts can carry.
fn one_line(title: &str) -> String {
    const LONGEST: usize = 500;
    let mut line = String::new();
    for word in title.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > LONGEST {
            line.truncate(line.floor_char_boundary(LONGEST));
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(document: &Document) -> Vec<(usize, &str, &str)> {
        let line = |section: &Section| document.text_of(section.body.clone()).to_owned();
        let sections = document.sections().iter();
        sections
            .map(|section| {
                (
                    section.depth,
                    section.title.as_str(),
                    &*line(section).leak(),
                )
            })
            .collect()
    }

    #[test]
    fn a_heading_that_leaves_out_a_level_lies_under_the_one_before() {
        let mut outline = Outline::new("AaBbCcDd".to_owned(), 0);
        outline.heading(1, "A", 0..1);
        outline.heading(4, "B", 2..3);
        outline.heading(3, "C", 4..5);
        outline.heading(1, "D", 6..7);
        let document = outline.finish("x", None, Metadata::new());
        let expected = [
            (0, "A", ""),
            (1, "A", "a"),
            (2, "B", "b"),
            (2, "C", "c"),
            (1, "D", "d"),
        ];
        assert_eq!(titles(&document), expected);
        assert_eq!(document.sections()[1].span, 0..6);
        assert_eq!(document.sections()[2].span, 2..4);
        assert_eq!(document.heading_path(3), ["A", "C"]);
    }

    #[test]
    fn spans_are_on_borders_of_characters_and_in_order() {
        let mut outline = Outline::new("äöü".to_owned(), 1);
        outline.heading(1, "ö", 3..99);
        outline.heading(1, "before it", 0..2);
        outline.block(BlockKind::Paragraph, 0..1);
        let document = outline.finish("x", None, Metadata::new());
        assert_eq!(document.sections().len(), 2);
        assert_eq!(document.text_of(document.sections()[1].span.clone()), "öü");
        assert!(document.blocks().is_empty());
    }

    #[test]
    fn nesting_has_an_end() {
        let text = "x".repeat(100);
        let mut outline = Outline::new(text, 0);
        for rank in 1..=100 {
            outline.heading(rank, "x", rank - 1..rank);
        }
        let document = outline.finish("x", None, Metadata::new());
        let deepest = document
            .sections()
            .iter()
            .map(|section| section.depth)
            .max();
        assert_eq!(deepest, Some(Outline::DEEPEST));
    }

    #[test]
    fn a_title_comes_from_what_is_given_or_read_or_the_id() {
        let mut outline = Outline::new("A".to_owned(), 0);
        outline.heading(1, "  A \n long  title ", 0..1);
        let document = outline.finish("x", Some(" "), Metadata::new());
        assert_eq!(document.title(), "A long title");
        let none = Outline::new(String::new(), 0).finish("x", None, Metadata::new());
        assert_eq!((none.title(), none.sections().len()), ("x", 1));
    }
}
