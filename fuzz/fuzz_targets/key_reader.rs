//! Reads arbitrary bytes as a key of arbitrary shape; what reads must be what we would write.
//!
//! Input: `[number of components: 1] [kind: 1]... [key bytes]`.
//! Next: `engine/src/codec/ordered.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph::codec::{CodecError, KeyReader, KeyWriter, prefix_end};

fuzz_target!(|data: &[u8]| {
    let Some((&count, rest)) = data.split_first() else {
        return;
    };
    let (kinds, bytes) = rest.split_at(rest.len().min(usize::from(count % 16)));

    let mut reader = KeyReader::new("fuzzed key", bytes);
    let mut again = KeyWriter::new();
    for &kind in kinds {
        let before = reader.remaining();
        if copy_component(kind, &mut reader, &mut again).is_err() {
            assert_eq!(reader.remaining(), before, "a failed read moved");
            break;
        }
    }
    let (read, unread) = bytes.split_at(bytes.len() - reader.remaining());
    assert_eq!(
        again.as_bytes(),
        read,
        "decoding then encoding changed the key"
    );
    assert_eq!(reader.finish().is_ok(), unread.is_empty());

    match prefix_end(read) {
        Some(end) => assert!(bytes < end.as_slice() && !end.starts_with(read)),
        None => assert!(read.iter().all(|&byte| byte == 0xFF)),
    }
});

fn copy_component(
    kind: u8,
    reader: &mut KeyReader<'_>,
    writer: &mut KeyWriter,
) -> Result<(), CodecError> {
    match kind % 11 {
        0 => writer.push_u8(reader.read_u8()?),
        1 => writer.push_u16(reader.read_u16()?),
        2 => writer.push_u32(reader.read_u32()?),
        3 => writer.push_u64(reader.read_u64()?),
        4 => writer.push_i64(reader.read_i64()?),
        5 => writer.push_f64(reader.read_f64()?),
        6 => writer.push_bool(reader.read_bool()?),
        7 => writer.push_bytes(&reader.read_bytes()?),
        8 => writer.push_str(&reader.read_str()?),
        9 => writer.push_raw(&reader.read_array::<16>()?),
        _ => writer.push_raw(reader.read_rest()),
    };
    Ok(())
}
