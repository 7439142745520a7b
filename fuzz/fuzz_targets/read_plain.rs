//! Reads any bytes as plain text, whose headings are numbered or underlined.
//!
//! Input: the file. Next: `rag/src/read/plain.rs`, `numbering.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph_fuzz::document;
use stratigraph_rag::read::Format;

fuzz_target!(|data: &[u8]| {
    let Ok(document) = document::read(data, Format::Plain) else {
        return;
    };
    for section in &document.sections()[1..] {
        // A heading is words of the text, and its text does not begin within it.
        assert!(
            section.title.contains(char::is_alphanumeric)
                && section.body.start > section.span.start
        );
    }
});
