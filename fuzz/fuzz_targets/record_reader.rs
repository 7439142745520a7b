//! Reads arbitrary bytes as a record of arbitrary layout; what reads must be what we would write.
//!
//! Input: `[number of fields: 1] [kind: 1]... [record bytes]`.
//! Next: `engine/src/codec/record.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph::codec::{CodecError, RecordReader, RecordWriter};

fuzz_target!(|data: &[u8]| {
    let Some((&count, rest)) = data.split_first() else {
        return;
    };
    let (kinds, bytes) = rest.split_at(rest.len().min(usize::from(count % 16)));

    let Ok(mut reader) = RecordReader::new("fuzzed record", 1..=3, bytes) else {
        return;
    };
    assert!((1..=3).contains(&reader.version()));
    let mut again = RecordWriter::new(reader.version());
    for &kind in kinds {
        let before = reader.remaining();
        if copy_field(kind, &mut reader, &mut again).is_err() {
            assert_eq!(reader.remaining(), before, "a failed read moved");
            break;
        }
    }
    let (read, unread) = bytes.split_at(bytes.len() - reader.remaining());
    assert_eq!(
        again.finish(),
        read,
        "decoding then encoding changed the record"
    );
    assert_eq!(reader.finish().is_ok(), unread.is_empty());
});

fn copy_field(
    kind: u8,
    reader: &mut RecordReader<'_>,
    writer: &mut RecordWriter,
) -> Result<(), CodecError> {
    match kind % 13 {
        0 => writer.push_u8(reader.read_u8()?),
        1 => writer.push_bool(reader.read_bool()?),
        2 => writer.push_varint(reader.read_varint()?),
        3 => writer.push_varint(u64::from(reader.read_varint_u32()?)),
        4 => writer.push_zigzag(reader.read_zigzag()?),
        5 => writer.push_fixed_u32(reader.read_fixed_u32()?),
        6 => writer.push_fixed_u64(reader.read_fixed_u64()?),
        7 => writer.push_f64(reader.read_f64()?),
        8 => writer.push_bytes(reader.read_bytes()?),
        9 => writer.push_str(reader.read_str()?),
        10 => {
            let count = reader.read_count(4)?;
            assert!(
                count <= reader.remaining() / 4,
                "a count that cannot be reserved for"
            );
            writer.push_count(count)
        }
        11 => writer.push_raw(&reader.read_array::<16>()?),
        _ => writer.push_raw(reader.read_rest()),
    };
    Ok(())
}
