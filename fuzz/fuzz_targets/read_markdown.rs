//! Reads any bytes as Markdown: the text stays the file's own, sections nest, blocks lie in them, and every way
//! to cut it loses no word.
//!
//! Input: the file. Next: `rag/src/read/markdown.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph_fuzz::document;
use stratigraph_rag::read::Format;

fuzz_target!(|data: &[u8]| {
    let Ok(document) = document::read(data, Format::Markdown) else {
        return;
    };
    if let Ok(text) = std::str::from_utf8(data)
        && !text.starts_with('\u{feff}')
    {
        assert_eq!(document.text(), text);
    }
});
