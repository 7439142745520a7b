//! Markdown: headings make the tree, blocks are what CommonMark says they are.
//!
//! The text of the document is the file, byte for byte: what is quoted from it later stands there. Only
//! headings that stand by themselves divide it; one within a quotation or a list item is part of that.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{ReadError, front_matter};
use crate::{BlockKind, Document, Outline};

/// Reads a document of Markdown.
pub(super) fn read(id: &str, text: &str) -> Result<Document, ReadError> {
    let front = front_matter::read(id, text)?;
    let mut outline = Outline::new(text.to_owned(), front.end);
    let content = &text[front.end..];
    let mut heading = None;
    // How deep we are in blocks: only the outermost ones are told.
    let mut depth = 0_usize;
    for (event, span) in Parser::new_ext(content, options()).into_offset_iter() {
        let span = front.end + span.start..front.end + span.end;
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                heading = Some((level, String::new(), span));
            }
            Event::End(TagEnd::Heading(_)) if depth == 0 => {
                if let Some((level, title, span)) = heading.take() {
                    outline.heading(rank(level), &title, span);
                }
            }
            Event::Text(words) | Event::Code(words) if heading.is_some() => {
                if let Some((_, title, _)) = &mut heading {
                    title.push_str(&words);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some((_, title, _)) = &mut heading {
                    title.push(' ');
                }
            }
            Event::Start(tag) => {
                if let Some(kind) = kind(&tag) {
                    if depth == 0 {
                        outline.block(kind, span);
                    }
                    depth += 1;
                }
            }
            Event::End(tag) => depth -= usize::from(depth > 0 && ends_block(tag)),
            _ => {}
        }
    }
    let title = front.title().map(str::to_owned);
    Ok(outline.finish(id, title.as_deref(), front.metadata))
}

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS
}

fn rank(level: HeadingLevel) -> usize {
    level as usize
}

/// What a tag is as a block; nothing for lists, which are looked into, and for what is within lines.
fn kind(tag: &Tag<'_>) -> Option<BlockKind> {
    Some(match tag {
        Tag::Paragraph | Tag::BlockQuote(_) | Tag::HtmlBlock | Tag::FootnoteDefinition(_) => {
            BlockKind::Paragraph
        }
        Tag::Item => BlockKind::ListItem,
        Tag::Table(_) => BlockKind::Table,
        Tag::CodeBlock(_) => BlockKind::Code,
        _ => return None,
    })
}

/// Whether it ends what `kind` knows.
fn ends_block(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Paragraph
            | TagEnd::BlockQuote(_)
            | TagEnd::HtmlBlock
            | TagEnd::FootnoteDefinition
            | TagEnd::Item
            | TagEnd::Table
            | TagEnd::CodeBlock
    )
}
