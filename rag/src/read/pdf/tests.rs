use super::written::{Written, lines};
use super::*;
use crate::read::{Format, Source};

fn read(bytes: &[u8]) -> Result<Document, String> {
    let source = Source::new("a.pdf", bytes).pdf(PdfParsing::in_this_process());
    source.read(Format::Pdf).map_err(|error| error.to_string())
}

/// Each section with its depth, title and text.
fn sections(document: &Document) -> Vec<String> {
    let sections = document.sections().iter().skip(1);
    sections
        .map(|section| {
            let body = document.text_of(section.body.clone()).trim();
            format!("{} {} | {body}", section.depth, section.title)
        })
        .collect()
}

/// A report of two pages, with headings in two sizes.
fn report() -> Written {
    let mut written = Written::new();
    written.page(&lines(&[
        ("F1", 24.0, 700.0, "Annual report"),
        ("F1", 16.0, 660.0, "Rocks"),
        ("F1", 10.0, 640.0, "All of them are old, and many are vol-"),
        ("F1", 10.0, 628.0, "canic, which is known."),
        (
            "F1",
            10.0,
            600.0,
            "Another paragraph, with more text in it.",
        ),
        ("F1", 8.0, 30.0, "Page 1 of 2"),
    ]));
    written.page(&lines(&[
        ("F1", 16.0, 700.0, "Rivers"),
        ("F1", 10.0, 680.0, "They run. They run all day long."),
        ("F1", 8.0, 30.0, "Page 2 of 2"),
    ]));
    written
}

#[test]
fn headings_are_told_by_their_size_and_pages_are_kept() {
    let mut written = report();
    let info = written.object("<< /Title (The report) /Author <FEFF00C9> /CreationDate (D:20230401120000Z) /Subject () >>");
    written.trailer(&format!("/Info {info} 0 R"));
    written.catalog("/Lang (en-GB)");
    let document = read(&written.finish()).unwrap();
    assert_eq!(document.title(), "The report");
    assert_eq!(
        sections(&document),
        [
            "1 Annual report | ",
            "2 Rocks | All of them are old, and many are volcanic, which is known.\n\n\
             Another paragraph, with more text in it.\n\nPage 1 of 2",
            "2 Rivers | They run. They run all day long.\n\nPage 2 of 2",
        ]
    );
    let metadata = document.metadata();
    assert_eq!(metadata["author"], "É".into());
    assert_eq!(metadata["date"], "2023-04-01".into());
    assert_eq!(metadata["language"], "en-GB".into());
    assert_eq!(metadata.len(), 3);
    assert_eq!(document.pages().len(), 2);
    let rivers = &document.sections()[3];
    assert_eq!(document.pages_of(&rivers.span), Some((2, 2)));
    assert_eq!(
        document.pages_of(&document.sections()[1].span),
        Some((1, 2))
    );
    assert_eq!(document.blocks().len(), 5);
}

#[test]
fn an_outline_goes_before_sizes() {
    let mut written = report();
    let (first, second) = (11, 13);
    let entry = |title: &str, page: usize, more: &str| {
        format!("<< /Title ({title}) /Dest [{page} 0 R /XYZ 0 0 0] {more} >>")
    };
    let root = written.object("<< >>");
    let chapter = written.object("<< >>");
    let part = written.object(&entry("2 Rivers", second, ""));
    written.replace(
        chapter,
        &entry("Rocks", first, &format!("/First {part} 0 R")),
    );
    written.replace(root, &format!("<< /First {chapter} 0 R >>"));
    written.catalog(&format!("/Outlines {root} 0 R"));
    let document = read(&written.finish()).unwrap();
    assert!(document.text().starts_with("Annual report\n\nRocks"));
    assert_eq!(document.title(), "Annual report");
    let titles: Vec<_> = document.sections()[1..]
        .iter()
        .map(|section| (section.depth, section.title.as_str()))
        .collect();
    assert_eq!(titles, [(1, "Rocks"), (2, "Rivers")]);
}

#[test]
fn what_runs_along_on_all_pages_is_left_out() {
    let mut written = Written::new();
    for (number, title) in ["Rocks", "Rivers", "Rain", "Ruins"].iter().enumerate() {
        let foot = format!("- {} -", number + 9);
        let text = format!("This is about {title}, and goes on.");
        written.page(&lines(&[
            // The first chapter is called as the running title is.
            ("F1", 16.0, 700.0, title),
            ("F1", 10.0, 680.0, &text),
            ("F1", 10.0, 60.0, "Rocks"),
            ("F1", 10.0, 30.0, &foot),
        ]));
    }
    let document = read(&written.finish()).unwrap();
    assert_eq!(document.title(), "Rocks");
    assert_eq!(
        sections(&document),
        [
            "1 Rocks | This is about Rocks, and goes on.",
            "1 Rivers | This is about Rivers, and goes on.",
            "1 Rain | This is about Rain, and goes on.",
            "1 Ruins | This is about Ruins, and goes on.",
        ]
    );
}

#[test]
fn an_outline_that_runs_in_a_circle_ends() {
    let mut written = report();
    let root = written.object("<< >>");
    let entry = written.object("<< >>");
    written.replace(
        entry,
        &format!("<< /Title (Rocks) /Next {entry} 0 R /First {root} 0 R /Dest (nowhere) >>"),
    );
    written.replace(
        root,
        &format!("<< /Title (Rivers) /First {entry} 0 R /Next {root} 0 R >>"),
    );
    written.catalog(&format!(
        "/Outlines {root} 0 R /Names << /Dests {root} 0 R >>"
    ));
    // It leads nowhere, so sizes decide.
    assert_eq!(sections(&read(&written.finish()).unwrap()).len(), 3);
}

#[test]
fn letters_are_what_fonts_say() {
    let mut written = Written::new();
    let form = written.packed(
        "/Type /XObject /Subtype /Form /Matrix [1 0 0 1 0 -100] /BBox [0 0 600 800] /Resources << /Font << /G 3 0 R >> >>",
        b"BT /G 10 Tf 50 500 Td (In a form.) Tj ET",
    );
    let content = "q 2 0 0 2 0 0 cm BT /F3 10 Tf 1 0 0 1 20 300 Tm <00010002> Tj <0010> Tj ET Q\n\
                   BT /F4 10 Tf 50 500 Td [(A) -50 (B) -600 (C)] TJ ET\n\
                   BT /F1 10 Tf 12 TL 50 450 Td (caf\\351) Tj T* (two) Tj (three) ' ET\n\
                   BT /F2 10 Tf 50 300 Td (Bold) Tj ET BT /F2 10 Tf 50.1 300 Td (Bold) Tj ET /X Do";
    let content = written.packed("", content.as_bytes());
    written.page_of(
        &format!("/Contents [{content} 0 R]"),
        &format!("/XObject << /X {form} 0 R >>"),
    );
    let document = read(&written.finish()).unwrap();
    assert_eq!(
        document.text(),
        "审客计\n\néfi €\n\ncafé\ntwo\nthree\n\nBold\n\nIn a form."
    );
}

#[test]
fn chinese_by_the_name_of_its_encoding() {
    let mut written = Written::new();
    let below = written.object("<< /Type /Font /Subtype /CIDFontType0 /DW 1000 >>");
    let mut fonts = String::new();
    for (name, encoding) in [("G", "GBK-EUC-H"), ("U", "UniGB-UCS2-H")] {
        let font = written.object(&format!(
            "<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /{encoding} /DescendantFonts [{below} 0 R] >>"
        ));
        fonts += &format!("/{name} {font} 0 R ");
    }
    let content = "BT /G 10 Tf 50 500 Td <C9F3BCC641> Tj ET BT /U 10 Tf 50 400 Td <5ba18ba1> Tj ET";
    let content = written.packed("", content.as_bytes());
    let page = written.page_of("", "");
    written.replace(
        page,
        &format!("<< /Type /Page /Parent 2 0 R /Contents {content} 0 R /Resources << /Font << {fonts} >> >> >>"),
    );
    let document = read(&written.finish()).unwrap();
    assert_eq!(document.text(), "审计A\n\n审计");
}

#[test]
fn what_holds_no_text_is_refused_with_its_page() {
    let picture = |written: &mut Written| {
        let picture = written.stream("/Type /XObject /Subtype /Image /Width 1 /Height 1", b"x");
        let content = written.packed("", b"/I Do");
        written.page_of(
            &format!("/Contents {content} 0 R"),
            &format!("/XObject << /I {picture} 0 R >>"),
        );
    };
    let mut scan = Written::new();
    scan.page_of("", "");
    picture(&mut scan);
    let told = read(&scan.finish()).unwrap_err();
    assert!(
        told.starts_with("a.pdf, page 2: it has pictures of pages, and no text layer; "),
        "{told}"
    );
    assert!(told.contains("ocrmypdf"));
    let mut empty = Written::new();
    empty.page_of("", "");
    assert!(
        read(&empty.finish())
            .unwrap_err()
            .contains("page 1: there is no text in it")
    );
    // One such page among others is told in the metadata.
    let mut mixed = report();
    picture(&mut mixed);
    let document = read(&mixed.finish()).unwrap();
    let pages = Datum::List(vec![3.into()]);
    assert_eq!(document.metadata()["pages_without_text"], pages);
    assert_eq!(document.pages().len(), 3);
    let mut mute = Written::new();
    mute.page("BT /F1 10 Tf 50 500 Td (ok) Tj ET");
    mute.page("BT /F5 10 Tf 50 500 Td <000100020003000400050006> Tj ET");
    let told = read(&mute.finish()).unwrap_err();
    assert!(
        told.contains("page 2: its fonts do not say which letters"),
        "{told}"
    );
}

#[test]
fn broken_and_hostile_files_are_refused_with_their_place() {
    let refused = |bytes: &[u8], said: &str| {
        let told = read(bytes).map(|document| document.text().to_owned());
        let told = told.unwrap_err();
        assert!(told.contains(said), "{told}");
    };
    refused(b"", "a.pdf: this is no PDF");
    refused(b"<html>", "this is no PDF");
    refused(b"%PDF-1.7\nnothing", "it cannot be parsed");
    refused(&Written::new().finish(), "it has no pages");

    let mut encrypted = report();
    let secret = "00".repeat(32);
    let lock = encrypted.object(&format!(
        "<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{secret}> /U <{secret}> >>"
    ));
    encrypted.trailer(&format!("/Encrypt {lock} 0 R /ID [<00> <00>]"));
    refused(&encrypted.finish(), "a.pdf: it is encrypted");

    // A tree of pages that leads back into itself.
    let mut circle = report();
    circle.replace(2, "<< /Type /Pages /Kids [11 0 R 2 0 R] /Count 2 >>");
    refused(&circle.finish(), "leads back into itself");

    // A form that draws itself.
    let mut form = report();
    let own = form.object("");
    let content = form.packed("", b"/X Do");
    form.page_of(
        &format!("/Contents {content} 0 R"),
        &format!("/XObject << /X {own} 0 R >>"),
    );
    let body = "/X Do";
    form.replace(own, &format!(
        "<< /Type /XObject /Subtype /Form /Resources << /XObject << /X {own} 0 R >> >> /Length {} >>\nstream\n{body}\nendstream",
        body.len()
    ));
    refused(
        &form.finish(),
        "a.pdf, page 3: forms lie within each other without end",
    );

    let mut missing = report();
    missing.page_of("/Contents 999 0 R", "");
    refused(&missing.finish(), "page 3: its content is missing");

    let mut packed = report();
    let content = packed.stream("/Filter /FlateDecode", b"this is not packed");
    packed.page_of(&format!("/Contents {content} 0 R"), "");
    refused(&packed.finish(), "page 3: its content cannot be unpacked");
}

#[test]
fn bombs_do_not_go_off() {
    // Zeros pack a thousand to one, twice.
    let zeros = vec![b'\n'; 200 << 20];
    let mut content = report();
    let bomb = content.packed("", &zeros);
    content.page_of(&format!("/Contents {bomb} 0 R"), "");
    let told = read(&content.finish()).unwrap_err();
    assert!(
        told.contains("page 3: what the page unpacks to is beyond the limit"),
        "{told}"
    );
    // Forms that draw forms: two to the power of fifteen.
    let mut forms = report();
    let mut below = forms.packed("/Type /XObject /Subtype /Form", b"BT /F1 1 Tf (x) Tj ET");
    for _ in 0..15 {
        below = forms.packed(
            &format!("/Type /XObject /Subtype /Form /Resources << /Font << /F1 3 0 R >> /XObject << /X {below} 0 R >> >>"),
            b"/X Do /X Do",
        );
    }
    let content = forms.packed("", b"/X Do");
    forms.page_of(
        &format!("/Contents {content} 0 R"),
        &format!("/XObject << /X {below} 0 R >>"),
    );
    // It is read to its end, or refused; either way it ends.
    let _ = read(&forms.finish());
}

#[test]
fn long_documents_take_time_in_proportion() {
    let mut written = Written::new();
    let mut content = String::new();
    for line in 0..50_000 {
        content += &format!("BT /F1 10 Tf 50 {} Td (line) Tj ET\n", 700 - line % 50 * 12);
    }
    written.page(&content);
    let mut entries = String::new();
    for number in 0..3000 {
        let page = written.page("BT /F1 10 Tf 50 500 Td (A page) Tj ET");
        let next = written.object("");
        entries = format!(
            "<< /Title (A page {number}) /Dest [{page} 0 R] /Next {} 0 R >>",
            next + 3
        );
        written.replace(next, &entries);
    }
    assert!(!entries.is_empty());
    let document = read(&written.finish()).unwrap();
    assert_eq!(document.pages().len(), 3001);
}

#[test]
fn who_parses_must_be_said() {
    let bytes = report().finish();
    let told = Source::new("a.pdf", &bytes).read(Format::Pdf).unwrap_err();
    assert!(
        told.to_string()
            .contains("nobody said how PDFs are to be parsed")
    );
}

/// The same numbers each time: what is found once is found again.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

#[test]
fn changed_files_are_read_or_refused() {
    let mut draw = Draw(0x9E37_79B9_7F4A_7C15);
    let mut seeds = vec![report().finish()];
    let mut plain = Written::new();
    // Nothing packed: changes reach the content, the fonts and their tables.
    let content = "BT /F3 10 Tf 1 0 0 1 20 300 Tm <00010010> Tj ET BT /F4 10 Tf 50 500 Td [(A) -50 (B)] TJ T* ET";
    let content = plain.stream("", content.as_bytes());
    plain.page_of(&format!("/Contents {content} 0 R /Rotate 90"), "");
    seeds.push(plain.finish());
    const AWKWARD: [&[u8]; 12] = [
        b"-1",
        b"99999999999",
        b"<<",
        b">>",
        b"[",
        b"]",
        b"0 R",
        b"(",
        b"/",
        b"1e99",
        b"null",
        b"\xff",
    ];
    for round in 0..600 {
        let mut bytes = seeds[round % seeds.len()].clone();
        for _ in 0..1 + draw.below(6) {
            let at = draw.below(bytes.len());
            match draw.below(4) {
                0 => bytes[at] = draw.below(256) as u8,
                1 => bytes.truncate(at.max(10)),
                2 => {
                    let awkward = AWKWARD[draw.below(AWKWARD.len())];
                    bytes.splice(at..at, awkward.iter().copied());
                }
                _ => {
                    let from = draw.below(bytes.len());
                    let length = draw.below(60).min(bytes.len() - from);
                    let piece: Vec<u8> = bytes[from..from + length].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        if let Err(told) = read(&bytes) {
            assert!(told.starts_with("a.pdf"), "{told}");
            assert!(!told.contains("panicked"), "round {round}: {told}");
        }
    }
    for _ in 0..300 {
        let mut bytes = b"%PDF-1.4\n".to_vec();
        bytes.extend((0..draw.below(200)).map(|_| draw.below(256) as u8));
        assert!(read(&bytes).is_err());
    }
}
