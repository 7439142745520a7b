//! The child that parses PDFs: the same binary, started by itself.

use std::process::{Command, Stdio};

use stratigraph_rag::read::{Format, PdfParsing, Source};

const BINARY: &str = env!("CARGO_BIN_EXE_stratigraph");

#[test]
fn the_binary_parses_pdfs_as_its_own_child() {
    // Without a table of its objects: whoever reads it finds them.
    let content = "BT /F 10 Tf 50 700 Td (All rocks are old.) Tj ET";
    let pdf = format!(
        "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n\
         2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n\
         3 0 obj << /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >> endobj\n\
         4 0 obj << /Length {} >>\nstream\n{content}\nendstream endobj\n\
         5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj\n\
         trailer << /Root 1 0 R /Size 6 >>\n%%EOF\n",
        content.len()
    );
    let child = PdfParsing::in_child(BINARY, ["read-pdf".into()]);
    let source = Source::new("a.pdf", pdf.as_bytes()).pdf(child);
    let document = source.read(Format::Pdf).unwrap();
    assert_eq!(document.text(), "All rocks are old.");
}

#[test]
fn nobody_else_can_talk_to_it() {
    let told = Command::new(BINARY)
        .arg("read-pdf")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(told.status.code(), Some(2));
    assert!(told.stdout.is_empty());
    let said = String::from_utf8(told.stderr).unwrap();
    assert!(said.contains("started by stratigraph itself"), "{said}");
}
