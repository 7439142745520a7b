//! Reads any bytes as a page: no markup and no program may come out as text of the document.
//!
//! Input: the file. Next: `rag/src/read/html.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph_fuzz::document;
use stratigraph_rag::read::Format;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        let _ = document::read(data, Format::Html);
        return;
    };
    // What stands in a program, however the page goes on after it.
    let marked = format!("<script>qzqzq</script><style>qzqzq</style>{text}");
    let document = document::read(marked.as_bytes(), Format::Html).expect("any text is a page");
    assert!(text.contains("qzqzq") || !document.text().contains("qzqzq"));
    // Every letter comes from the file or from a name of a character.
    assert!(document.text().len() <= 4 * marked.len());
});
