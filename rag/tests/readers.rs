//! Every reader of documents, given what no document is: it reads it or refuses it, in a time in proportion.
//!
//! The numbers are the same each time, so that what is found once is found again.

use std::path::Path;

use stratigraph_rag::Document;
use stratigraph_rag::read::{Format, PdfParsing, Source};

const FORMATS: [Format; 4] = [Format::Markdown, Format::Html, Format::Plain, Format::Pdf];

const SEEDS: [&str; 4] = [
    "---\ntitle: \"A: b\"\ntags: [a, 'b, c', 3]\nlist:\n- x\n- 1.5\n---\n# One\n\ntext *a* `b`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> # quoted\n\n## Two\n\n- x\n  - y\n\n```rust\nfn\n```\n",
    "+++\ntitle = \"x\"\nyear = 2023\n+++\n<!doctype html><title>T &amp; t</title><meta name=author content=Ann><h1>One</h1><p>a<br>b<table><tr><td>1<td>2</table><pre>x</pre><script>a<b</script><h2>Two",
    "第一章 总则\n第一条 为了审计，制定本法。\n一、要求\n（一）内容。说明。\n1.1 Basalt\n\nIt was lava.\n\nRocks\n=====\n\n1. a\n2. b\n",
    "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n3 0 obj << /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >> endobj\n4 0 obj << /Length 45 >>\nstream\nBT /F 10 Tf 50 700 Td (All are old.) Tj ET   \nendstream endobj\n5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj\ntrailer << /Root 1 0 R /Size 6 >>\n%%EOF\n",
];

const PIECES: [&str; 22] = [
    "#", "\n", "---\n", "+++", "- ", "[", "](", "|", "```", "<", "</", "<table>", "&#", "第", "章",
    "（", "1.", " ", "\u{3000}", "===\n", "obj", ">>",
];

struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap()
    }
}

/// Reads it every way, and looks at what comes out.
fn every_way(bytes: &[u8]) {
    for format in FORMATS {
        let source = Source::new("a.x", bytes).pdf(PdfParsing::in_this_process());
        match source.read(format) {
            Ok(document) => sound(&document),
            Err(error) => {
                assert_eq!(error.file, "a.x");
                assert!(!error.reason.is_empty() && !error.hint.is_empty());
                assert!(!error.reason.contains("panicked"), "{error}");
            }
        }
    }
}

/// Spans lie on characters and within each other, and nothing goes back.
fn sound(document: &Document) {
    let text = document.text();
    let sections = document.sections();
    for section in sections {
        assert!(text.get(section.span.clone()).is_some());
        assert!(text.get(section.body.clone()).is_some());
        assert!(section.span.start <= section.body.start && section.body.end <= section.span.end);
        if let Some(parent) = section.parent {
            assert_eq!(section.depth, sections[parent].depth + 1);
            assert!(section.span.end <= sections[parent].span.end);
        }
    }
    let mut after = 0;
    for block in document.blocks() {
        assert!(
            text.get(block.span.clone())
                .is_some_and(|text| !text.is_empty())
        );
        assert!(block.span.start >= after);
        after = block.span.end;
    }
}

#[test]
fn any_bytes_are_read_or_refused() {
    let mut draw = Draw(0x9E37_79B9_7F4A_7C15);
    for _ in 0..1500 {
        let mut bytes = Vec::new();
        for _ in 0..draw.below(40) {
            match draw.below(6) {
                0 => bytes.push(u8::try_from(draw.below(256)).unwrap()),
                _ => bytes.extend(PIECES[draw.below(PIECES.len())].bytes()),
            }
        }
        every_way(&bytes);
    }
}

#[test]
fn changed_documents_are_read_or_refused() {
    let mut draw = Draw(0x2545_F491_4F6C_DD1D);
    for round in 0..1200 {
        let mut bytes = SEEDS[round % SEEDS.len()].as_bytes().to_vec();
        for _ in 0..1 + draw.below(5) {
            let at = draw.below(bytes.len());
            match draw.below(4) {
                0 => bytes[at] = u8::try_from(draw.below(256)).unwrap(),
                1 => bytes.truncate(at.max(1)),
                2 => {
                    let piece = PIECES[draw.below(PIECES.len())];
                    bytes.splice(at..at, piece.bytes());
                }
                _ => {
                    let length = draw.below(40).min(bytes.len() - at);
                    let piece = bytes[at..at + length].to_vec();
                    let to = draw.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
            }
        }
        every_way(&bytes);
    }
}

/// Whatever took the square of these lengths would not end in the time that a test has.
#[test]
fn long_repetitions_take_time_in_proportion() {
    for piece in PIECES {
        let text = piece.repeat(200_000 / piece.len());
        every_way(text.as_bytes());
        every_way(format!("---\na:\n{text}").as_bytes());
        every_way(format!("%PDF-1.4\n{text}").as_bytes());
    }
    for seed in SEEDS {
        every_way(seed.repeat(200).as_bytes());
    }
}

#[test]
fn what_is_broken_says_where() {
    let told = |name: &str, bytes: &[u8]| {
        let format = Format::of_path(Path::new(name)).unwrap();
        let source = Source::new(name, bytes).pdf(PdfParsing::in_this_process());
        source.read(format).unwrap_err().to_string()
    };
    let cases: [(&str, &[u8], &str); 7] = [
        ("a.md", b"---\na: {b: 1}\n---\n", "a.md, line 2, column 1: "),
        ("a.md", b"+++\na = \n+++\n", "a.md, line 2, column "),
        ("a.html", b"<p>a\xFF", "a.html, line 1, column 5: "),
        ("a.txt", b"\xFF\xFEa", "a.txt: the file begins like UTF-16"),
        ("a.pdf", b"%PDF-1.7", "a.pdf: it cannot be parsed"),
        ("a.csv", b"a,b", "a.csv: a table is no document"),
        ("a.jsonl", b"{}", "a.jsonl: a table is no document"),
    ];
    for (name, bytes, said) in cases {
        let told = told(name, bytes);
        assert!(told.starts_with(said), "{told}");
    }
}

#[test]
fn every_format_has_its_endings() {
    let known = [
        ("a.md", Format::Markdown),
        ("a.markdown", Format::Markdown),
        ("a.HTM", Format::Html),
        ("a.txt", Format::Plain),
        ("a.Pdf", Format::Pdf),
        ("a.tsv", Format::Csv),
        ("a.ndjson", Format::JsonLines),
    ];
    for (name, format) in known {
        assert_eq!(Format::of_path(Path::new(name)), Some(format), "{name}");
    }
    assert_eq!(Format::of_path(Path::new("pdf")), None);
    assert!(FORMATS.iter().all(|format| format.is_document()));
    assert!(!Format::Csv.is_document() && !Format::JsonLines.is_document());
}
