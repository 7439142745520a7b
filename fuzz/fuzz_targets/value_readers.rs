//! Reads arbitrary bytes as a value in a key and in a record; what reads must be what we would
//! write, and must go through JSON unchanged.
//!
//! Input: the bytes of one value, without anything around them.
//! Next: `engine/src/value/ordered.rs` and `engine/src/value/record.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph::codec::{KeyReader, KeyWriter, RecordReader, RecordWriter};
use stratigraph::value::{Value, json, ordered, record};

fuzz_target!(|data: &[u8]| {
    read_as_key(data);
    read_as_record(data);
});

fn read_as_key(data: &[u8]) {
    let mut reader = KeyReader::new("fuzzed key", data);
    let Ok(value) = ordered::read_value(&mut reader) else {
        assert_eq!(reader.remaining(), data.len(), "a failed read moved");
        return;
    };
    let mut again = KeyWriter::new();
    ordered::push_value(&mut again, &value).expect("a value from a key holds no map");
    assert!(
        data.starts_with(again.as_bytes()) && again.as_bytes().len() == reader.position(),
        "decoding then encoding changed the key"
    );
    check_uses(&value);
}

fn read_as_record(data: &[u8]) {
    let versioned = [&[1], data].concat();
    let mut reader = RecordReader::new("fuzzed record", 1..=1, &versioned).expect("version 1");
    let Ok(value) = record::read_value(&mut reader) else {
        assert_eq!(reader.position(), 1, "a failed read moved");
        return;
    };
    let mut again = RecordWriter::new(1);
    record::write_value(&mut again, &value);
    assert_eq!(
        again.finish(),
        versioned[..reader.position()],
        "decoding then encoding changed the record"
    );
    check_uses(&value);
}

/// What every reader of a value does next must not panic either.
fn check_uses(value: &Value) {
    assert!(value.equivalent(value));
    assert_ne!(value.to_string(), "");
    let back = json::from_json(&json::to_json(value)).expect("our own JSON");
    assert!(back.equivalent(value), "JSON changed the value");
}
