//! Reads arbitrary bytes as the lines of a dump, after a sound header or as they are; what loads must
//! dump again, and that dump must load to the same text.
//!
//! Input: `[even: the header is supplied: 1] [lines]`.
//! Next: `engine/src/exchange/read.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{Database, LoadOptions, verify_dump};

const HEADER: &[u8] = br#"{"stratigraph_dump":1,"nodes":0,"relationships":0,"next":{"node":0,"relationship":0,"declaration":0}}
"#;
const END: &[u8] = br#"
{"end":{"nodes":0,"relationships":0,"checksum":""}}"#;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, lines)) = data.split_first() else {
        return;
    };
    let mut watch = Watch::quiet();
    // No mutation finds a checksum by luck.
    let edited = LoadOptions::default().ignore_checksum(true);
    let text = if choice % 2 == 0 {
        [HEADER, lines, END].concat()
    } else {
        lines.to_vec()
    };
    let read = verify_dump(&text[..], &edited, &mut watch);
    let db = Database::in_memory().expect("memory is there");
    let loaded = db.load(&text[..], &edited, &mut watch);
    let (Ok(contents), Ok(loaded)) = (read, loaded) else {
        return;
    };
    assert_eq!(contents, loaded.contents);
    let mut again = Vec::new();
    let dumped = db
        .dump(&mut again, &mut watch)
        .expect("what was loaded dumps");
    assert_eq!(
        (dumped.contents.nodes, dumped.contents.relationships),
        (contents.nodes, contents.relationships)
    );
    let other = Database::in_memory().expect("memory is there");
    other
        .load(&again[..], &LoadOptions::default(), &mut watch)
        .expect("what was dumped loads");
    let mut third = Vec::new();
    other.dump(&mut third, &mut watch).expect("it dumps");
    // All but the end line, which names the database.
    let without_end = |dump: &[u8]| {
        let dump = dump.strip_suffix(b"\n").unwrap_or(dump);
        let end = dump.iter().rposition(|byte| *byte == b'\n');
        dump[..end.expect("a dump has lines")].to_vec()
    };
    assert_eq!(
        without_end(&again),
        without_end(&third),
        "a dump changed on its way"
    );
});
