//! Reads any bytes as a list of facts: each fact has two ends and a relation, each broken line is told, and the
//! counts add up.
//!
//! Input: the file. Next: `rag/src/read/triples/mod.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use stratigraph_rag::read::{Place, TripleReader};

fuzz_target!(|data: &[u8]| {
    let lines = data.split(|byte| *byte == b'\n').count() as u64;
    let mut reader = TripleReader::new("fuzzed.jsonl", Box::new(Cursor::new(data.to_vec())));
    let (mut facts, mut broken) = (0, 0);
    for stated in &mut reader {
        match stated {
            Ok(stated) => {
                facts += 1;
                let triple = &stated.triple;
                assert!(!triple.subject.is_empty() && !triple.predicate.is_empty());
                assert!(!triple.object.is_empty() && triple.subject != triple.object);
                assert!((1..=lines).contains(&stated.line));
            }
            Err(error) => {
                broken += 1;
                let line = match error.place {
                    Place::Text { line, .. } | Place::Line(line) => line as u64,
                    _ => 1,
                };
                assert!((1..=lines).contains(&line), "{error}");
            }
        }
    }
    let counts = reader.counts();
    assert_eq!((counts.facts, counts.broken), (facts, broken));
});
