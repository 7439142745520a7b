//! What every document must be, whatever bytes it was read from, and what every way to cut it must keep.
//!
//! Next: `rag/src/document/mod.rs`, whose comments these sentences are taken at their word of.

use std::ops::Range;
use std::time::Duration;

use stratigraph_rag::chunk::{Characters, Chunker, Chunking, Measure, Words};
use stratigraph_rag::read::{Format, ReadError, Source};
use stratigraph_rag::{Document, Metadata};

use crate::busy;

/// The longest that an input of a few kilobytes may take.
const LONGEST: Duration = Duration::from_secs(1);

/// Reads bytes as a document, and looks at all of it.
pub fn read(bytes: &[u8], format: Format) -> Result<Document, ReadError> {
    let before = busy();
    let read = Source::new("fuzzed", bytes)
        .metadata(Metadata::new())
        .read(format);
    if let Ok(document) = &read {
        check(document);
        cut(document);
    }
    let took = busy().saturating_sub(before);
    assert!(took < LONGEST, "{} bytes took {took:?}", bytes.len());
    read
}

/// Looks at sections, blocks and spans.
fn check(document: &Document) {
    let text = document.text();
    let inside = |span: &Range<usize>| {
        // Slicing ends the run where something begins or ends inside of a character.
        assert!(text[span.clone()].len() == span.len());
    };
    let sections = document.sections();
    assert_eq!((sections[0].depth, sections[0].parent), (0, None));
    assert_eq!(sections[0].span.end, text.len());
    let mut last = 0;
    for (place, section) in sections.iter().enumerate() {
        inside(&section.span);
        inside(&section.body);
        assert!(section.span.start <= section.body.start && section.body.end <= section.span.end);
        assert!(
            last <= section.span.start,
            "sections are in the order of the text"
        );
        last = section.span.start;
        if let Some(parent) = section.parent {
            assert!(parent < place, "a section lies in an earlier one");
            let parent = &sections[parent];
            assert_eq!(section.depth, parent.depth + 1);
            assert!(parent.span.start <= section.span.start && section.span.end <= parent.span.end);
        }
        assert!(!section.title.contains(['\n', '\r']));
    }
    let mut last = 0;
    for block in document.blocks() {
        inside(&block.span);
        assert!(last <= block.span.start && !block.span.is_empty());
        last = block.span.end;
        let holds =
            |body: &Range<usize>| body.start <= block.span.start && block.span.end <= body.end;
        assert!(
            sections.iter().any(|section| holds(&section.body)),
            "a block across a border"
        );
    }
}

/// Cuts it in every way: no word of a section's own text may be lost, and nothing may be longer than was said.
fn cut(document: &Document) {
    let text = document.text();
    let ways: [(Chunking, &dyn Measure, bool); 5] = [
        (Chunking::Structure { limit: 7 }, &Words, false),
        (
            Chunking::Headings {
                limit: 5,
                carried_lines: 2,
            },
            &Words,
            false,
        ),
        (
            Chunking::Windows {
                size: 9,
                overlap: 3,
            },
            &Words,
            true,
        ),
        (
            Chunking::Text {
                size: 40,
                overlap: 8,
            },
            &Characters,
            true,
        ),
        (
            Chunking::Sentences {
                count: 2,
                overlap: 1,
            },
            &Words,
            false,
        ),
    ];
    for (chunking, measure, all) in ways {
        let pieces = Chunker::new(chunking, measure).pieces(document);
        let mut covered = vec![false; text.len()];
        for piece in &pieces {
            let words = &text[piece.span.clone()];
            assert!(words.contains(char::is_alphanumeric));
            covered[piece.span.clone()].fill(true);
            if let Some(carried) = &piece.carried {
                assert!(text[carried.clone()].len() <= text.len());
            }
            let longest = match chunking {
                Chunking::Structure { limit } | Chunking::Headings { limit, .. } => limit,
                Chunking::Windows { size, .. } | Chunking::Text { size, .. } => size,
                _ => usize::MAX,
            };
            let length = measure.ends(words).len();
            assert!(
                length <= longest,
                "{length} units in {chunking:?}: {words:?}"
            );
        }
        let own = |section: &stratigraph_rag::Section| match all {
            true => section.span.clone(),
            false => section.body.clone(),
        };
        for span in document.sections().iter().map(own) {
            for (at, sign) in text[span.clone()].char_indices() {
                let at = span.start + at;
                assert!(
                    covered[at] || !sign.is_alphanumeric(),
                    "{chunking:?} loses {sign:?} at {at}"
                );
            }
        }
    }
}
