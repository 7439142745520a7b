use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::*;
use crate::read::{Format, Source};

const ROCKS: &str = "# Rocks\n\nAll are old. Some are older.\n\n## Basalt\n\nIt was lava once. It cooled.\n\n\
                     It is dark.\n\n## Slate\n\nIt splits.\n\n# Rivers\n\nThey run.\n";

fn document(text: &str) -> Document {
    Source::new("rocks.md", text.as_bytes())
        .read(Format::Markdown)
        .unwrap()
}

fn cut(chunking: Chunking) -> Vec<(String, String)> {
    let document = document(ROCKS);
    let pieces = Chunker::new(chunking, &Words).pieces(&document);
    let title = |piece: &Piece| document.sections()[piece.section].title.clone();
    let texts = pieces
        .iter()
        .map(|piece| (title(piece), piece.text(&document).to_owned()));
    texts.collect()
}

fn pairs<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    pairs
        .map(|(title, text)| (title.to_owned(), text.to_owned()))
        .to_vec()
}

#[test]
fn structure_keeps_blocks_whole_and_stays_under_its_heading() {
    assert_eq!(
        cut(Chunking::Structure { limit: 9 }),
        pairs([
            ("Rocks", "All are old. Some are older."),
            ("Basalt", "It was lava once. It cooled.\n\nIt is dark."),
            ("Slate", "It splits."),
            ("Rivers", "They run."),
        ])
    );
    assert_eq!(
        cut(Chunking::Structure { limit: 4 })[2..5],
        pairs([
            ("Basalt", "It was lava once."),
            ("Basalt", "It cooled."),
            ("Basalt", "It is dark."),
        ])
    );
}

#[test]
fn pieces_of_a_long_section_carry_the_last_lines() {
    let document = document("# A\n\none two\nthree four\n\nfive six\n\nseven\n");
    let chunking = Chunking::Headings {
        limit: 4,
        carried_lines: 1,
    };
    let pieces = Chunker::new(chunking, &Words).pieces(&document);
    let carried = |piece: &Piece| piece.carried.clone().map(|span| document.text_of(span));
    let texts: Vec<_> = pieces
        .iter()
        .map(|piece| (piece.text(&document), carried(piece)))
        .collect();
    assert_eq!(
        texts,
        [
            ("one two\nthree four", None),
            ("five six\n\nseven", Some("three four"))
        ]
    );
}

/// Words of an embedder that reads twelve, of which two are its own.
struct Twelve;

impl Measure for Twelve {
    fn ends(&self, text: &str) -> Vec<usize> {
        Words.ends(text)
    }

    fn reach(&self) -> Option<Reach> {
        Some(Reach {
            limit: 12,
            text: 10,
        })
    }
}

#[test]
fn pieces_leave_room_for_their_headings_up_to_a_quarter_of_what_is_read() {
    let body = "a b c d e f g h i j k l m n o p q r s t";
    let long = "title ".repeat(30);
    let sizes = |chunker: Chunker<'_>, heading: &str| -> Vec<usize> {
        let document = document(&format!("# {heading}\n\n{body}\n"));
        let pieces = chunker.pieces(&document);
        let texts = pieces.iter().map(|piece| piece.text(&document));
        texts.map(|text| Words.ends(text).len()).collect()
    };
    let by_structure = |limit| Chunker::new(Chunking::Structure { limit }, &Twelve);
    let by_headings = Chunking::Headings {
        limit: 12,
        carried_lines: 0,
    };
    let by_headings = Chunker::new(by_headings, &Twelve).beside_headings();
    for chunker in [by_structure(12).beside_headings(), by_headings] {
        assert_eq!(sizes(chunker, "Rocks"), [9, 9, 2]);
        assert_eq!(sizes(chunker, &long), [8, 8, 4]);
    }
    // Nobody asked for it, a limit below it, one above all that is read, and pieces that are joined.
    assert_eq!(sizes(by_structure(12), "Rocks"), [12, 8]);
    assert_eq!(sizes(by_structure(7).beside_headings(), "Rocks"), [7, 7, 6]);
    assert_eq!(sizes(by_structure(13).beside_headings(), "Rocks"), [13, 7]);
    assert_eq!(
        sizes(by_structure(5).beside_headings().join(2), "Rocks"),
        [10, 10]
    );
    // A word of it is not cut in two, and a heading that fits stays as it is.
    let reach = Twelve.reach().unwrap();
    let heading = |heading, text| reach.heading(heading, text, &Twelve);
    assert_eq!(heading("one two three four", body), "one");
    assert_eq!(
        heading("one two three four", "a b c d e f"),
        "one two three four"
    );
    assert_eq!(heading("", body), "");
}

/// Counts the bytes that are measured.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Measure for Counting {
    fn ends(&self, text: &str) -> Vec<usize> {
        self.0.fetch_add(text.len(), Ordering::Relaxed);
        Words.ends(text)
    }

    fn reach(&self) -> Option<Reach> {
        Twelve.reach()
    }
}

#[test]
fn a_long_heading_is_not_measured_for_each_little_text_under_it() {
    let text = format!(
        "# {}\n\n{}",
        "title ".repeat(500),
        "## a\n\nb c\n\n".repeat(200)
    );
    let document = document(&text);
    let counting = Counting::default();
    let chunking = Chunking::Structure { limit: 12 };
    let pieces = Chunker::new(chunking, &counting)
        .beside_headings()
        .pieces(&document);
    assert_eq!(pieces.len(), 200);
    let measured = counting.0.into_inner();
    assert!(measured < 10 * text.len(), "{measured} of {}", text.len());
}

#[test]
fn windows_and_texts_go_across_headings_and_hang_on_what_holds_them() {
    let windows = cut(Chunking::Windows {
        size: 12,
        overlap: 2,
    });
    assert_eq!(windows[0].0, "Rocks");
    assert!(
        windows[0].1.starts_with("# Rocks") && windows[1].1.starts_with("It was"),
        "{windows:?}"
    );
    let texts = cut(Chunking::Text {
        size: 1000,
        overlap: 0,
    });
    assert_eq!(texts, pairs([("Rocks", ROCKS.trim_end())]));
}

#[test]
fn sentences_come_in_windows() {
    assert_eq!(
        cut(Chunking::Sentences {
            count: 2,
            overlap: 1
        })[1..3],
        pairs([
            ("Basalt", "It was lava once. It cooled."),
            ("Basalt", "It cooled.\n\nIt is dark."),
        ])
    );
}

#[test]
fn joined_pieces_are_one_span() {
    let document = document(ROCKS);
    let chunker = Chunker::new(Chunking::Structure { limit: 9 }, &Words).join(3);
    let pieces = chunker.pieces(&document);
    assert_eq!(pieces.len(), 2);
    assert!(pieces[0].text(&document).contains("## Slate"), "{pieces:?}");
    assert_eq!((pieces[0].section, pieces[0].part), (1, (1, 2)));
}

fn chunkings() -> impl Strategy<Value = Chunking> {
    (0..5, 0..12_usize, 0..12_usize).prop_map(|(kind, a, b)| match kind {
        0 => Chunking::Headings {
            limit: a,
            carried_lines: b,
        },
        1 => Chunking::Windows {
            size: a,
            overlap: b,
        },
        2 => Chunking::Text {
            size: a,
            overlap: b,
        },
        3 => Chunking::Structure { limit: a },
        _ => Chunking::Sentences {
            count: a,
            overlap: b,
        },
    })
}

proptest! {
    /// Whatever the text: pieces are in order, lie in their section, keep the limit, and hold every word.
    #[test]
    fn nothing_is_lost(
        lines in prop::collection::vec("(# |## |- |)[ab。.]{0,6}( [cäd]{1,9}){0,6}(\n){1,2}", 0..12),
        chunking in chunkings(),
    ) {
        let text = lines.concat();
        let document = document(&text);
        let pieces = Chunker::new(chunking, &Words).pieces(&document);
        let limit = match chunking {
            Chunking::Headings { limit, .. } | Chunking::Structure { limit } => limit,
            Chunking::Windows { size, .. } | Chunking::Text { size, .. } => size,
            _ => usize::MAX,
        };
        let mut held = vec![false; text.len()];
        for (place, piece) in pieces.iter().enumerate() {
            prop_assert_eq!(piece.part, (place + 1, pieces.len()));
            let section = &document.sections()[piece.section];
            prop_assert!(section.span.start <= piece.span.start && piece.span.end <= section.span.end);
            prop_assert!(Words.ends(piece.text(&document)).len() <= limit.max(1));
            if let Some(before) = place.checked_sub(1) {
                prop_assert!(pieces[before].span.start < piece.span.start);
            }
            held[piece.span.clone()].fill(true);
        }
        for section in document.sections() {
            let body = &text[section.body.clone()];
            for (at, word) in body.match_indices(char::is_alphanumeric) {
                // A piece without any letter or digit is left out, and only that.
                prop_assert!(held[section.body.start + at], "{word} at {at} of {body:?}");
            }
        }
    }
}

/// Each atom walked through all blanks before it: minutes for this file, and hours for one that is allowed.
#[test]
fn a_file_of_blank_lines_is_read_once() {
    for text in [
        format!("a{}b", "\n".repeat(1 << 20)),
        format!("a{}b", "\n \n\t\n".repeat(1 << 18)),
        format!("# a\n{}\n# b\n", " \n".repeat(1 << 19)),
    ] {
        let document = document(&text);
        for chunking in [
            Chunking::Text {
                size: 100,
                overlap: 10,
            },
            Chunking::Structure { limit: 100 },
            Chunking::Headings {
                limit: 100,
                carried_lines: 3,
            },
        ] {
            let pieces = Chunker::new(chunking, &Words).pieces(&document);
            assert!(pieces.len() <= 2, "{chunking:?}");
        }
    }
}

/// What is cited is an article, and the article is a heading.
#[test]
fn joined_pieces_of_several_sections_begin_with_the_heading_of_the_first() {
    let document = document(
        "# A\n\n## 1\n\none\n\n## 2\n\ntwo\n\n## 3\n\nthree\n\nfour\n\nfive\n\n# B\n\nsix\n",
    );
    let cut = |join| {
        let chunker = Chunker::new(Chunking::Structure { limit: 1 }, &Words).join(join);
        let pieces = chunker.pieces(&document);
        let texts = pieces.iter().map(|piece| piece.text(&document).to_owned());
        texts.collect::<Vec<_>>()
    };
    assert_eq!(cut(1), ["one", "two", "three", "four", "five", "six"]);
    assert_eq!(
        cut(3),
        [
            "## 1\n\none\n\n## 2\n\ntwo\n\n## 3\n\nthree",
            // Its heading is with the piece before, and the next one within it.
            "four\n\nfive\n\n# B\n\nsix"
        ]
    );
    // Of one section the heading is told apart from the text, as of any piece.
    assert_eq!(
        cut(2)[1],
        "## 3\n\nthree\n\nfour".strip_prefix("## 3\n\n").unwrap()
    );
}
