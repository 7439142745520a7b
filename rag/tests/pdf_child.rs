//! PDFs parsed in a child process: what comes back is the same, and what goes wrong there is told here.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use stratigraph_rag::Document;
use stratigraph_rag::read::{Format, PdfLimits, PdfParsing, Source};

/// A PDF of one page with this content, which is not packed; `more` is for the dictionary of the stream.
fn pdf(content: &[u8], more: &str) -> Vec<u8> {
    with_objects(&stream(content, more), &[])
}

fn stream(content: &[u8], more: &str) -> Vec<u8> {
    let mut stream = format!("<< /Length {} {more} >>\nstream\n", content.len()).into_bytes();
    stream.extend(content);
    stream.extend(b"\nendstream");
    stream
}

/// A PDF of one page with this stream, and with objects from the number 6 on, of which that is `X`.
fn with_objects(stream: &[u8], more: &[Vec<u8>]) -> Vec<u8> {
    let mut objects: Vec<&[u8]> = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> /Contents 5 0 R >>",
        stream,
    ];
    objects.extend(more.iter().map(Vec::as_slice));
    let size = objects.len() + 1;
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {size}\n0000000000 65535 f \n");
    for (at, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", bytes.len()).unwrap();
        bytes.extend(format!("{} 0 obj\n", at + 1).into_bytes());
        bytes.extend(*object);
        bytes.extend(b"\nendobj\n");
    }
    let place = bytes.len();
    bytes.extend(table.into_bytes());
    bytes.extend(
        format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{place}\n%%EOF\n")
            .into_bytes(),
    );
    bytes
}

fn text() -> Vec<u8> {
    pdf(
        b"BT /F1 20 Tf 50 700 Td (Rocks) Tj ET BT /F1 10 Tf 50 650 Td (All of them are old.) Tj ET",
        "",
    )
}

fn child() -> PdfParsing {
    PdfParsing::in_child(env!("CARGO_BIN_EXE_stratigraph-read-pdf"), [])
}

fn limits(set: impl FnOnce(&mut PdfLimits)) -> PdfLimits {
    let mut limits = PdfLimits::default();
    set(&mut limits);
    limits
}

fn read(bytes: &[u8], parsing: PdfParsing) -> Result<Document, String> {
    let source = Source::new("a.pdf", bytes).pdf(parsing);
    source.read(Format::Pdf).map_err(|error| error.to_string())
}

#[test]
fn a_child_gives_what_this_process_gives() {
    let bytes = text();
    let there = read(&bytes, child()).unwrap();
    assert_eq!(there, read(&bytes, PdfParsing::in_this_process()).unwrap());
    assert_eq!(there.text(), "Rocks\n\nAll of them are old.");
    assert_eq!(there.sections()[1].title, "Rocks");
    // And it refuses what this process refuses.
    let broken = pdf(b"nothing is packed", "/Filter /FlateDecode");
    let told = read(&broken, child()).unwrap_err();
    assert_eq!(
        told,
        read(&broken, PdfParsing::in_this_process()).unwrap_err()
    );
    assert!(
        told.starts_with("a.pdf, page 1: its content cannot be unpacked"),
        "{told}"
    );
}

#[test]
fn a_long_answer_is_none() {
    let few = limits(|limits| limits.reply_bytes = 300);
    let long = pdf(
        &b"BT /F1 20 Tf 50 700 Td (A long line.) Tj T* (Another.) Tj ET ".repeat(50),
        "",
    );
    let told = read(&long, child().limits(few)).unwrap_err();
    assert!(
        told.contains("what there is to say of it is beyond the limit"),
        "{told}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_there() {
    // Every letter stands by itself, which takes more memory than it takes bytes.
    let content = [b"BT /F1 1 Tf ".to_vec(), b"[(a)] TJ ".repeat(2_500_000)].concat();
    let little = limits(|limits| limits.memory_bytes = 320 << 20);
    let told = read(&pdf(&content, ""), child().limits(little)).unwrap_err();
    assert!(
        told.contains("it needs more than 320 MiB of memory"),
        "{told}"
    );
}

#[cfg(unix)]
#[test]
fn time_of_the_processor_is_bounded_there() {
    // Forms that draw forms, eight times each: more than anybody can draw.
    let forms = (7..20).map(|next| {
        let resources = format!("/Resources << /XObject << /X {next} 0 R >> >>");
        stream(&b"/X Do ".repeat(8), &format!("/Subtype /Form {resources}"))
    });
    let bytes = with_objects(&stream(b"/X Do", ""), &forms.collect::<Vec<_>>());
    let little = limits(|limits| limits.cpu_seconds = 1);
    let told = read(&bytes, child().limits(little)).unwrap_err();
    assert!(
        told.contains("a.pdf, page 1: it took more than 1 s of the processor"),
        "{told}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn other_programs_are_no_parsers() {
    let sleeping = PdfParsing::in_child("/bin/sleep", ["1000".into()]);
    let short = limits(|limits| limits.time = Duration::from_millis(300));
    let told = read(&text(), sleeping.limits(short)).unwrap_err();
    assert!(told.contains("it took longer than 0.3 s"), "{told}");
    // Longer than a pipe holds, and nobody reads it.
    let long = [text(), vec![b' '; 1 << 20]].concat();
    let told = read(&long, PdfParsing::in_child("/bin/true", [])).unwrap_err();
    assert!(
        told.contains("the parser ended without an answer"),
        "{told}"
    );
    let told = read(&text(), PdfParsing::in_child("/bin/cat", [])).unwrap_err();
    assert!(
        told.contains("the parser ended without an answer"),
        "{told}"
    );
    let nowhere = PathBuf::from("/nowhere/parser");
    let told = read(&text(), PdfParsing::in_child(nowhere, [])).unwrap_err();
    assert!(
        told.contains("the parser /nowhere/parser does not start"),
        "{told}"
    );
}
