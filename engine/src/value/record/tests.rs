//! Golden bytes of values in records, exact round trips, and what happens to garbage.
//!
//! The golden bytes are in every database: if one of these fails, the code is wrong and not the
//! test. Next: `../json/tests.rs`.

use proptest::prelude::*;

use super::*;
use crate::value::any_value::{any_value, is_same, one_of_each};

const WHAT: &str = "test record";

/// The bytes of a value, without the version in front.
fn record(value: &Value) -> Vec<u8> {
    let mut record = RecordWriter::new(1);
    write_value(&mut record, value);
    record.finish().split_off(1)
}

fn versioned(bytes: &[u8]) -> Vec<u8> {
    [&[1], bytes].concat()
}

fn read_record(bytes: &[u8]) -> Result<Value, CodecError> {
    let bytes = versioned(bytes);
    let mut reader = RecordReader::new(WHAT, 1..=1, &bytes)?;
    let value = read_value(&mut reader).inspect_err(|_| {
        assert_eq!(reader.position(), 1, "a failed read moved");
    })?;
    reader.finish()?;
    Ok(value)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

#[test]
fn golden_bytes_of_each_kind() {
    let records: Vec<String> = one_of_each()
        .iter()
        .map(|value| format!("{}: {}", value.kind(), hex(&record(value))))
        .collect();
    assert_eq!(
        records,
        [
            "null: 00",
            "boolean: 02",
            "integer: 0305",
            "float: 04000000000000F83F",
            "string: 050361C3B1",
            "bytes: 060200FF",
            "date: 07AA54",
            "time: 0892E0029B93FDB302A038",
            "local time: 0992E0029B93FDB302",
            "date-time: 0AA4FEDEBC039B93FDB302A038104575726F70652F53746F636B686F6C6D",
            "local date-time: 0BA4FEDEBC039B93FDB302",
            "duration: 0CAA021CAC900701",
            "list: 0E02030200",
            "map: 0F01016B050176",
            "vector: 0D020000003F000080BF",
        ]
    );
}

#[test]
fn golden_bytes_of_lists() {
    for (value, bytes) in [
        (Value::from(Vec::<Value>::new()), "0E00"),
        (vec![true, false].into(), "41020100"),
        (vec![1, -1, 300].into(), "43030201D804"),
        (
            vec![0.5, -0.0].into(),
            "4402000000000000E03F0000000000000080",
        ),
        (vec!["", "ab"].into(), "45020002 6162"),
        (vec![Value::bytes([7])].into(), "46010107"),
        (vec![Date::from_epoch_day(-1).unwrap()].into(), "470101"),
        (
            vec![Value::from(1), 1.0.into()].into(),
            "0E02030204000000000000F03F",
        ),
        (vec![Value::Null].into(), "0E0100"),
        (vec![vec![1], vec![2]].into(), "0E02430102430104"),
        (vec![Vector::new([0.0]).unwrap()].into(), "0E010D0100000000"),
    ] {
        assert_eq!(hex(&record(&value)), bytes.replace(' ', ""), "{value}");
    }
    assert_eq!(hex(&record(&f64::NAN.into())), "04000000000000F87F");
    assert_eq!(record(&f64::NAN.into()), record(&(-f64::NAN).into()));
    assert_eq!(hex(&record(&false.into())), "01");
}

#[test]
fn bytes_we_did_not_write_are_refused() {
    let what = WHAT;
    let strange = |at| CodecError::NotCanonical { what, at };
    let tag = |at, found| CodecError::BadTag { what, at, found };
    let length = |at, length, limit| CodecError::BadLength {
        what,
        at,
        length,
        limit,
    };
    for (bytes, error) in [
        ("10", tag(1, 0x10)),
        ("3F", tag(1, 0x3F)),
        ("4000", tag(1, 0x40)),
        ("420101", tag(1, 0x42)),
        ("4D01", tag(1, 0x4D)),
        ("410102", tag(3, 2)),
        ("04000000000000F8FF", strange(1)),
        ("4401000000000000F8FF", strange(3)),
        ("4300", strange(1)),
        // A list of integers in the long form.
        ("0E010302", strange(1)),
        ("07FFFFFFFFFFFFFFFFFF01", strange(1)),
        ("0980A30500", strange(1)),
        ("090080 94EBDC03", strange(1)),
        ("080000 82F507", strange(1)),
        ("0B00 80 94EBDC03", strange(1)),
        ("0A00000002 2F61", strange(1)),
        ("0C0000 00 80 94EBDC03", strange(1)),
        ("0CFFFFFFFFFFFFFFFFFF01000000", strange(1)),
        ("0D00", strange(2)),
        ("0D010000807F", strange(2)),
        ("0D0200000000", length(2, 2, 1)),
        ("44020000000000000000", length(2, 2, 1)),
        ("43FFFFFFFF0F00", length(2, u64::from(u32::MAX), 1)),
        ("0E0200", length(2, 2, 1)),
        // Keys out of order, and twice the same.
        ("0F0201620001 6100", strange(6)),
        ("0F0201610001 6100", strange(6)),
        ("0501FF", CodecError::BadUtf8 { what, at: 2 }),
    ] {
        let bytes: Vec<u8> = bytes
            .replace(' ', "")
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect();
        assert_eq!(read_record(&bytes).err(), Some(error), "{}", hex(&bytes));
    }
    let limit = Vector::MAX_DIMENSION as u64;
    let too_long = [&[tag::VECTOR, 0x81, 0x80, 0x04][..], &vec![0; 4 * 65_537]].concat();
    assert_eq!(read_record(&too_long).err(), Some(length(2, 65_537, limit)));
}

#[test]
fn nesting_ends_where_values_do() {
    let mut value = Value::from(vec![1]);
    for _ in 1..MAX_DEPTH {
        value = Value::list(vec![value]).unwrap();
    }
    let bytes = record(&value);
    assert!(read_record(&bytes).is_ok_and(|back| is_same(&back, &value)));
    let deeper = [&[tag::LIST, 1], &bytes[..]].concat();
    let error = CodecError::TooDeep {
        what: WHAT,
        at: 129,
        limit: 64,
    };
    assert_eq!(read_record(&deeper).err(), Some(error));
    // Many levels that each claim all that is left must not each reserve it.
    let greedy = [tag::LIST, 0xE4, 0x01].repeat(300);
    assert!(read_record(&greedy).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6_000))]

    #[test]
    fn values_come_back_exactly(value in any_value()) {
        let back = read_record(&record(&value));
        prop_assert!(back.is_ok(), "{:?} of {}", back, value);
        let back = back.unwrap_or(Value::Null);
        prop_assert!(is_same(&back, &value), "{} came back as {}", value, back);
    }

    #[test]
    fn a_cut_record_is_an_error(value in any_value(), cut in any::<prop::sample::Index>()) {
        let bytes = record(&value);
        prop_assert!(read_record(&bytes[..cut.index(bytes.len())]).is_err());
    }

    #[test]
    fn what_reads_was_written_by_us(
        value in any_value(),
        noise in prop::collection::vec(any::<u8>(), 0..24),
        tag in 0_u8..0x50,
        place in any::<prop::sample::Index>(),
        flip in any::<u8>(),
    ) {
        let mut damaged = record(&value);
        let place = place.index(damaged.len());
        damaged[place] ^= flip;
        for bytes in [damaged, [&[tag], &noise[..]].concat()] {
            let bytes = versioned(&bytes);
            let mut reader = RecordReader::new(WHAT, 1..=1, &bytes).unwrap();
            match read_value(&mut reader) {
                Ok(value) => prop_assert_eq!(record(&value), &bytes[1..reader.position()]),
                Err(_) => prop_assert_eq!(reader.position(), 1),
            }
        }
    }
}
