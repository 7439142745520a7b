//! Golden bytes, round trips and hostile input for records.
//!
//! The golden bytes are on disk in every database: if one of these fails, the code is wrong and
//! not the test. Next: `../frame/tests.rs`.

use proptest::prelude::*;

use super::*;

const WHAT: &str = "test record";

fn reader(bytes: &[u8]) -> RecordReader<'_> {
    RecordReader::new(WHAT, 1..=3, bytes).unwrap()
}

#[test]
fn golden_bytes_of_every_field() {
    let bytes = RecordWriter::with_capacity(2, 64)
        .push_u8(0xAB)
        .push_bool(true)
        .push_varint(300)
        .push_zigzag(-65)
        .push_fixed_u32(0x0102_0304)
        .push_fixed_u64(0x0102_0304_0506_0708)
        .push_f64(-0.0)
        .push_bytes(b"\x00\xFF")
        .push_str("é")
        .push_count(1)
        .push_raw(b"id")
        .push_raw(b"tail")
        .finish();
    let golden = [
        &[2][..],
        &[0xAB],
        &[1],
        &[0xAC, 0x02],
        &[0x81, 0x01],
        &[4, 3, 2, 1],
        &[8, 7, 6, 5, 4, 3, 2, 1],
        &[0, 0, 0, 0, 0, 0, 0, 0x80],
        &[2, 0x00, 0xFF],
        &[2, 0xC3, 0xA9],
        &[1],
        b"id",
        b"tail",
    ]
    .concat();
    assert_eq!(bytes, golden);

    let mut reader = reader(&bytes);
    assert_eq!(reader.version(), 2);
    assert_eq!(reader.read_u8(), Ok(0xAB));
    assert_eq!(reader.read_bool(), Ok(true));
    assert_eq!(reader.read_varint(), Ok(300));
    assert_eq!(reader.read_zigzag(), Ok(-65));
    assert_eq!(reader.read_fixed_u32(), Ok(0x0102_0304));
    assert_eq!(reader.read_fixed_u64(), Ok(0x0102_0304_0506_0708));
    assert_eq!(
        reader.read_f64().map(f64::to_bits),
        Ok((-0.0_f64).to_bits())
    );
    assert_eq!(reader.read_bytes(), Ok(&b"\x00\xFF"[..]));
    assert_eq!(reader.read_str(), Ok("é"));
    assert_eq!(reader.read_count(2), Ok(1));
    assert_eq!(reader.read_array(), Ok(*b"id"));
    assert_eq!(
        reader.clone().finish(),
        Err(CodecError::Trailing {
            what: WHAT,
            at: bytes.len() - 4,
            bytes: 4
        })
    );
    assert_eq!(reader.read_rest(), b"tail");
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn other_versions_are_refused() {
    for found in [0_u8, 4, 255] {
        assert_eq!(
            RecordReader::new(WHAT, 1..=3, &[found]).map(|_| ()),
            Err(CodecError::UnknownFormat {
                what: WHAT,
                found: u32::from(found),
                supported: 1..=3
            })
        );
    }
    assert!(matches!(
        RecordReader::new(WHAT, 1..=3, &[]),
        Err(CodecError::Truncated { at: 0, .. })
    ));
}

#[test]
fn hostile_lengths_are_refused_before_anything_is_reserved() {
    for length in [4, u64::from(u32::MAX), u64::MAX] {
        let bytes = RecordWriter::new(1)
            .push_varint(length)
            .push_raw(b"abc")
            .finish();
        let error = Err(CodecError::BadLength {
            what: WHAT,
            at: 1,
            length,
            limit: 3,
        });
        let mut reader = reader(&bytes);
        assert_eq!(reader.read_bytes(), error);
        // The failed read moved nothing, so this one fails in the same way.
        assert_eq!(reader.read_bytes(), error);
        assert_eq!(reader.read_count(1).map(|_| ()), error.map(|_| ()));
    }
}

#[test]
fn a_count_is_limited_by_the_size_of_its_elements() {
    let bytes = RecordWriter::new(1)
        .push_count(3)
        .push_raw(&[0; 12])
        .finish();
    assert_eq!(reader(&bytes).read_count(0), Ok(3));
    assert_eq!(reader(&bytes).read_count(4), Ok(3));
    assert!(matches!(
        reader(&bytes).read_count(5),
        Err(CodecError::BadLength {
            length: 3,
            limit: 2,
            ..
        })
    ));
}

#[test]
fn damaged_fields_are_named_and_move_nothing() {
    let bytes = [&[1][..], &[2, 0xC3, 0x28]].concat();
    let mut reader = reader(&bytes);
    assert_eq!(
        reader.read_str(),
        Err(CodecError::BadUtf8 { what: WHAT, at: 1 })
    );
    assert_eq!(
        reader.read_bool(),
        Err(CodecError::BadTag {
            what: WHAT,
            at: 1,
            found: 2
        })
    );
    assert!(reader.read_fixed_u32().is_err());
    assert_eq!(reader.remaining(), 3);
}

#[test]
fn a_number_above_32_bits_is_out_of_range() {
    let largest = RecordWriter::new(1)
        .push_varint(u64::from(u32::MAX))
        .finish();
    assert_eq!(reader(&largest).read_varint_u32(), Ok(u32::MAX));
    let larger = RecordWriter::new(1).push_varint(1 << 32).finish();
    let mut reader = reader(&larger);
    assert_eq!(
        reader.read_varint_u32(),
        Err(CodecError::OutOfRange {
            what: WHAT,
            at: 1,
            max: u64::from(u32::MAX)
        })
    );
    assert_eq!(reader.read_varint(), Ok(1 << 32));
}

proptest! {
    #[test]
    fn fields_round_trip(
        version in 1_u8..=3,
        (small, flag, number, signed) in any::<(u8, bool, u64, i64)>(),
        (fixed, wide, bits) in any::<(u32, u64, u64)>(),
        (bytes, text) in any::<(Vec<u8>, String)>(),
        list: Vec<u64>,
    ) {
        let mut writer = RecordWriter::new(version);
        writer.push_u8(small).push_bool(flag).push_varint(number).push_zigzag(signed);
        writer.push_fixed_u32(fixed).push_fixed_u64(wide).push_f64(f64::from_bits(bits));
        writer.push_bytes(&bytes).push_str(&text).push_count(list.len());
        for &element in &list {
            writer.push_varint(element);
        }
        let record = writer.finish();

        let mut reader = reader(&record);
        prop_assert_eq!(reader.version(), version);
        prop_assert_eq!(reader.read_u8(), Ok(small));
        prop_assert_eq!(reader.read_bool(), Ok(flag));
        prop_assert_eq!(reader.read_varint(), Ok(number));
        prop_assert_eq!(reader.read_zigzag(), Ok(signed));
        prop_assert_eq!(reader.read_fixed_u32(), Ok(fixed));
        prop_assert_eq!(reader.read_fixed_u64(), Ok(wide));
        prop_assert_eq!(reader.read_f64().map(f64::to_bits), Ok(bits));
        prop_assert_eq!(reader.read_bytes(), Ok(&bytes[..]));
        prop_assert_eq!(reader.read_str(), Ok(&text[..]));
        let count = reader.read_count(1);
        prop_assert_eq!(&count, &Ok(list.len()));
        for element in list {
            prop_assert_eq!(reader.read_varint(), Ok(element));
        }
        prop_assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in prop::collection::vec(prop_oneof![0_u8..4, any::<u8>()], 0..40),
        fields in prop::collection::vec(0_u8..12, 0..12),
    ) {
        let Ok(mut reader) = RecordReader::new(WHAT, 1..=3, &bytes) else {
            return Ok(());
        };
        for field in fields {
            let before = reader.remaining();
            let read = match field {
                0 => reader.read_u8().map(drop),
                1 => reader.read_bool().map(drop),
                2 => reader.read_varint().map(drop),
                3 => reader.read_varint_u32().map(drop),
                4 => reader.read_zigzag().map(drop),
                5 => reader.read_fixed_u32().map(drop),
                6 => reader.read_fixed_u64().map(drop),
                7 => reader.read_f64().map(drop),
                8 => reader.read_bytes().map(drop),
                9 => reader.read_str().map(drop),
                10 => reader.read_count(3).map(drop),
                _ => reader.read_array::<16>().map(drop),
            };
            if read.is_err() {
                prop_assert_eq!(reader.remaining(), before);
            }
        }
    }
}
