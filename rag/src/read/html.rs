//! HTML: the text that a browser would show, with its headings.
//!
//! The tokenizer is a browser's, so whatever is on a page comes out as somebody sees it. The text of the
//! document is made here, block after block: what the file says in between (markup, scripts, menus) is
//! not in it, so spans point into this text and not into the file.

use std::cell::RefCell;
use std::ops::Range;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::{BlockKind, Document, Metadata, Outline};

/// Reads a page.
pub(super) fn read(id: &str, text: &str) -> Document {
    let mut shown = Vec::new();
    let page = loop {
        let mut page = parsed(text, &shown);
        match page.left_out.take() {
            // It never ends, and a menu that is shown does less harm than a page that is not. There are few such
            // names, so that this comes to an end soon.
            Some((name, _)) if is_only_beside(&name) => shown.push(name),
            _ => break page,
        }
    };
    let mut outline = Outline::new(page.text, 0);
    for (what, span) in page.found {
        match what {
            What::Heading(rank) => {
                let title = outline.text()[span.clone()].to_owned();
                outline.heading(rank, &title, span);
            }
            What::Block(kind) => outline.block(kind, span),
        }
    }
    outline.finish(id, Some(&page.title), page.metadata)
}

/// The page as it is if nothing of these names is left out.
fn parsed(text: &str, shown: &[String]) -> Page {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    let page = Page {
        shown: shown.to_vec(),
        ..Page::default()
    };
    let sink = Sink {
        page: RefCell::new(page),
    };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    // It stops at the end of each script, which is nothing to us.
    while !input.is_empty() {
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    let mut page = tokenizer.sink.page.into_inner();
    page.end_block();
    page
}

/// What a stretch of the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Heading(usize),
    Block(BlockKind),
}

struct Sink {
    // The tokenizer hands tokens to a shared reference.
    page: RefCell<Page>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut page = self.page.borrow_mut();
        match token {
            Token::CharacterTokens(words) => page.words(&words),
            Token::TagToken(tag) => return page.tag(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// A page as far as it was read.
#[derive(Default)]
struct Page {
    text: String,
    found: Vec<(What, Range<usize>)>,
    title: String,
    metadata: Metadata,
    /// The block that is being read.
    block: String,
    what: Option<What>,
    /// What is left out until it ends, and how many of its kind are open.
    left_out: Option<(String, usize)>,
    /// What is not left out although its name says so.
    shown: Vec<String>,
    in_title: bool,
    /// How many tables are open within each other, and how many texts whose blanks matter.
    tables: usize,
    kept_as_written: usize,
}

impl Page {
    fn words(&mut self, words: &str) {
        if self.in_title {
            self.title.push_str(words);
        } else if self.left_out.is_none() {
            if self.kept_as_written > 0 {
                self.block.push_str(words);
                return;
            }
            // Any blanks are one, and none stands at the beginning.
            for word in words.split_inclusive(char::is_whitespace) {
                let bare = word.trim_end();
                self.block.push_str(bare);
                if bare.len() < word.len() {
                    self.blank();
                }
            }
        }
    }

    fn blank(&mut self) {
        if !self.block.is_empty() && !self.block.ends_with(char::is_whitespace) {
            self.block.push(' ');
        }
    }

    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let starts = tag.kind == TagKind::StartTag;
        let name: &str = &tag.name;
        // Only pictures end at once; to all else the slash is nothing.
        let ends_at_once = starts && tag.self_closing && name == "svg";
        if let Some((what, open)) = &mut self.left_out {
            if what == name && !ends_at_once {
                *open = if starts { *open + 1 } else { *open - 1 };
                if *open == 0 {
                    self.left_out = None;
                }
            }
            return if starts {
                raw(name)
            } else {
                TokenSinkResult::Continue
            };
        }
        match name {
            _ if starts && !ends_at_once && is_left_out(name) && !self.is_shown(name) => {
                self.left_out = Some((name.to_owned(), 1));
            }
            "title" => self.in_title = starts && self.title.is_empty(),
            "meta" => self.meta(tag),
            "html" => self.keep("language", attribute(tag, "lang")),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let rank = usize::from(name.as_bytes()[1] - b'0');
                self.border(starts.then_some(What::Heading(rank)));
            }
            "table" => self.table(starts),
            "tr" | "caption" if self.tables > 0 => self.end_row(),
            "td" | "th" if self.tables > 0 && starts => self.begin_cell(),
            "br" => {
                if self.tables == 0 {
                    self.block.push('\n');
                } else {
                    self.blank();
                }
            }
            "pre" => {
                self.border(starts.then_some(What::Block(BlockKind::Code)));
                self.kept_as_written = usize::from(starts);
            }
            "li" | "dt" | "dd" => self.border(starts.then_some(What::Block(BlockKind::ListItem))),
            "p" | "div" | "section" | "article" | "main" | "header" | "ul" | "ol" | "dl"
            | "blockquote" | "figure" | "figcaption" | "body" | "head" | "hr" | "form"
            | "fieldset" | "address" | "details" | "summary" => {
                // The first paragraph of an item is the item, and that of a heading the heading.
                let begun = matches!(
                    self.what,
                    Some(What::Block(BlockKind::ListItem) | What::Heading(_))
                );
                if begun && self.block.trim().is_empty() {
                    // So that its blanks are not looked at again and again.
                    self.block.clear();
                } else {
                    self.border(None);
                }
            }
            _ => {}
        }
        if starts {
            raw(name)
        } else {
            TokenSinkResult::Continue
        }
    }

    fn is_shown(&self, name: &str) -> bool {
        self.shown.iter().any(|shown| shown == name)
    }

    /// One block ends here, and another begins.
    fn border(&mut self, what: Option<What>) {
        if self.tables > 0 {
            self.blank();
            return;
        }
        self.end_block();
        self.what = what;
    }

    fn table(&mut self, starts: bool) {
        if starts {
            if self.tables == 0 {
                self.border(Some(What::Block(BlockKind::Table)));
            }
            self.tables += 1;
        } else if self.tables > 0 {
            self.tables -= 1;
            if self.tables == 0 {
                self.border(None);
            }
        }
    }

    fn begin_cell(&mut self) {
        if !self.block.is_empty() && !self.block.ends_with('\n') {
            self.block.push_str(" | ");
        }
    }

    fn end_row(&mut self) {
        let bare = self.block.trim_end().len();
        self.block.truncate(bare);
        if bare > 0 {
            self.block.push('\n');
        }
    }

    fn end_block(&mut self) {
        let what = self
            .what
            .take()
            .unwrap_or(What::Block(BlockKind::Paragraph));
        let block = std::mem::take(&mut self.block);
        let code = what == What::Block(BlockKind::Code);
        let block = if code {
            block.trim_end().trim_start_matches('\n')
        } else {
            block.trim()
        };
        if block.is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        let start = self.text.len();
        self.text.push_str(block);
        self.found.push((what, start..self.text.len()));
    }

    fn meta(&mut self, tag: &Tag) {
        let name = attribute(tag, "name").or_else(|| attribute(tag, "property"));
        let known = match name.map(str::to_ascii_lowercase).as_deref() {
            Some("author" | "article:author") => "author",
            Some("date" | "article:published_time" | "dc.date") => "date",
            Some("description") => "description",
            Some("keywords") => "keywords",
            _ => return,
        };
        self.keep(known, attribute(tag, "content"));
    }

    fn keep(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) {
            self.metadata
                .entry(name.to_owned())
                .or_insert_with(|| value.into());
        }
    }
}

/// What is not the page's own text: programs, menus, and what is filled in.
fn is_left_out(name: &str) -> bool {
    matches!(
        name,
        "script"
            | "style"
            | "noscript"
            | "template"
            | "svg"
            | "nav"
            | "footer"
            | "aside"
            | "iframe"
            | "textarea"
            | "select"
            | "button"
            | "noembed"
            | "noframes"
            | "xmp"
    )
}

/// Of these what stands beside the page's own text, and is on the screen: all else is never shown.
fn is_only_beside(name: &str) -> bool {
    matches!(
        name,
        "nav" | "footer" | "aside" | "svg" | "select" | "button"
    )
}

/// What the tokenizer has to know of a tag: its text is not markup.
fn raw(name: &str) -> TokenSinkResult<()> {
    match name {
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => {
            TokenSinkResult::RawData(RawKind::Rawtext)
        }
        _ => TokenSinkResult::Continue,
    }
}

fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    let found = tag
        .attrs
        .iter()
        .find(|attribute| &*attribute.name.local == name);
    found.map(|attribute| &*attribute.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Document {
        read("x", html)
    }

    #[test]
    fn headings_paragraphs_lists_and_tables() {
        let document = page(
            "<!doctype html><html lang=en><head><title>Of &amp; rocks</title><meta name=Author content=Ann>\
             <style>p { color: red }</style></head><body><nav><a>Home</a></nav>\
             <h1>Rocks</h1><p>All are\n  <b>old</b>.<br>Very.<script>if (a < b) alert('</p>')</script></p>\
             <h2>Basalt<h3>Dark</h3><ul><li>one<li><p>two</p><p>more</p></ul>\
             <table><tr><th>Name<th>Age</tr><tr><td>Slate<td><p>500</p></table>\
             <pre>a\n  b</pre><footer>end</footer>tail</body></html>",
        );
        assert_eq!(
            document.text(),
            "Rocks\n\nAll are old.\nVery.\n\nBasalt\n\nDark\n\none\n\ntwo\n\nmore\n\n\
             Name | Age\nSlate | 500\n\na\n  b\n\ntail"
        );
        assert_eq!(
            (document.title(), document.metadata().len()),
            ("Of & rocks", 2)
        );
        let sections: Vec<_> = document
            .sections()
            .iter()
            .map(|section| (section.depth, &*section.title))
            .collect();
        assert_eq!(
            sections,
            [(0, "Of & rocks"), (1, "Rocks"), (2, "Basalt"), (3, "Dark")]
        );
        let kinds: Vec<_> = document.blocks().iter().map(|block| block.kind).collect();
        use BlockKind::{Code, ListItem, Paragraph, Table};
        assert_eq!(
            kinds,
            [
                Paragraph, ListItem, ListItem, Paragraph, Table, Code, Paragraph
            ]
        );
    }

    #[test]
    fn broken_pages_are_read_as_far_as_they_go() {
        for html in [
            "",
            "<",
            "<p",
            "<script>",
            "<nav><nav>x</nav>",
            "</table></nav></pre><td>x",
            "<table><table><tr><td>x</table>y",
            "<title>a",
            "<pre>\n\nx",
            "&#x110000;&#0;&nosuch;",
            "<svg/>x",
        ] {
            let document = page(html);
            assert!(document.sections().len() == 1, "{html}");
        }
        assert_eq!(page("<svg/>x").text(), "x");
        assert_eq!(page("<nav><nav>x</nav>y</nav>z").text(), "z");
        assert_eq!(page("<title>a").title(), "a");
    }

    #[test]
    fn what_is_left_out_ends_and_hides_nothing_else() {
        for (html, text) in [
            // To a browser the slash is nothing, and what follows a program.
            ("<p>a<script/>b</script>c", "ac"),
            ("<style/>b</style>c", "c"),
            ("<svg><svg/>b</svg>c", "c"),
            // A menu that never ends.
            ("<nav><a>Home</a><h1>T</h1>c", "Home\n\nT\n\nc"),
            ("<aside>a</aside><nav>b<aside>c", "a\n\nb\n\nc"),
            ("a<template>b", "a"),
            ("a<style>b", "a"),
        ] {
            let found = page(html).text().split_whitespace().collect::<String>();
            let text = text.split_whitespace().collect::<String>();
            assert_eq!(found, text, "{html}");
        }
        assert_eq!(page("<nav>b<h1>T</h1>").sections().len(), 2);
    }

    #[test]
    fn a_heading_may_have_a_block_in_it() {
        let document = page("<h1>\n<div class=x><p>Rocks</p></div></h1><p>Old.");
        assert_eq!(document.sections()[1].title, "Rocks");
        assert_eq!(document.text(), "Rocks\n\nOld.");
    }

    /// Each paragraph walked through all line breaks of its item: hours for a file that is allowed.
    #[test]
    fn an_item_of_line_breaks_is_read_once() {
        let html = format!("<li>{}{}x", "<br>".repeat(1 << 18), "<p>".repeat(1 << 19));
        assert_eq!(page(&html).text(), "x");
    }

    #[test]
    fn deep_nesting_costs_nothing() {
        let html = "<div>".repeat(200_000) + "x" + &"</div>".repeat(200_000);
        assert_eq!(page(&html).text(), "x");
        let html = "<table><tr><td>".repeat(50_000) + "x";
        assert_eq!(page(&html).text(), "x");
    }
}
