//! Golden bytes of values in keys, and the law of this module: byte order is value order.
//!
//! The golden bytes are in the indexes of every database: if one of these fails, the code is wrong
//! and not the test. Next: `../record/tests.rs`.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::value::any_value::{any_pair, any_value, is_same, number, one_of_each};

fn key(value: &Value) -> Vec<u8> {
    let mut key = KeyWriter::new();
    push_value(&mut key, value).unwrap();
    key.finish()
}

fn read_key(bytes: &[u8]) -> Result<Value, CodecError> {
    let mut reader = KeyReader::new("test key", bytes);
    let value = read_value(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

#[test]
fn golden_bytes_of_each_kind() {
    let keys: Vec<String> = one_of_each()
        .iter()
        .filter(|value| is_indexable(value))
        .map(|value| format!("{}: {}", value.kind(), hex(&key(value))))
        .collect();
    assert_eq!(
        keys,
        [
            "null: 98",
            "boolean: 8001",
            "integer: 883FF7FFFFFFFFFFFF8000",
            "float: 88BFF80000000000008000",
            "string: 7861C3B10000",
            "bytes: 4000FFFF0000",
            "date: 588000000000001515",
            "time: 60800025B89188DD9B00010B30",
            "local time: 68000028FEC2417D9B",
            "date-time: 48800000001BCBD182267F499B00010B30\
             4575726F70652F53746F636B686F6C6D0000",
            "local date-time: 50800000001BCBDF92267F499B",
            "duration: 7080000000176E3B70000000018000000000000095800000000000000E",
            "list: 280188BFF00000000000008000019800",
            "vector: 3800000002BF000000407FFFFF",
        ]
    );
}

#[test]
fn golden_bytes_of_numbers_and_lists() {
    let empty = Value::from(Vec::<Value>::new());
    for (value, bytes) in [
        (Value::from(0), "8880000000000000008000"),
        ((-0.0).into(), "8880000000000000008000"),
        (1.into(), "88BFF00000000000008000"),
        (1.0.into(), "88BFF00000000000008000"),
        (((1_i64 << 53) + 1).into(), "88C3400000000000008001"),
        (i64::MIN.into(), "883C1FFFFFFFFFFFFF8000"),
        (i64::MAX.into(), "88C3E00000000000007FFF"),
        (9_223_372_036_854_775_808.0.into(), "88C3E00000000000008000"),
        // The farthest that an integer gets from its double.
        ((i64::MAX - 511).into(), "88C3E00000000000007E00"),
        (f64::NEG_INFINITY.into(), "88000FFFFFFFFFFFFF8000"),
        (f64::INFINITY.into(), "88FFF00000000000008000"),
        (f64::NAN.into(), "90"),
        (false.into(), "8000"),
        (empty.clone(), "2800"),
        (vec![empty].into(), "2801280000"),
        (vec!["a", "\0"].into(), "28017861000001780 0FF000000"),
    ] {
        assert_eq!(hex(&key(&value)), bytes.replace(' ', ""), "{value}");
    }
}

#[test]
fn maps_are_refused_and_leave_the_key_alone() {
    let map = Value::map(BTreeMap::new()).unwrap();
    let mut key = KeyWriter::new();
    key.push_u8(7);
    for value in [map.clone(), vec![Value::from(1), vec![map].into()].into()] {
        assert_eq!(push_value(&mut key, &value), Err(NotIndexable));
        assert_eq!(key.as_bytes(), [7]);
    }
}

#[test]
fn bytes_we_did_not_write_are_refused() {
    let what = "test key";
    let strange = CodecError::NotCanonical { what, at: 0 };
    let mut two_to_the_53 = key(&Value::from(1_i64 << 53));
    // One of the 2^53 that belongs to 2^53 + 2.
    if let Some(last) = two_to_the_53.last_mut() {
        *last = 2;
    }
    for (bytes, error) in [
        (
            vec![0x99],
            CodecError::BadTag {
                what,
                at: 0,
                found: 0x99,
            },
        ),
        (
            vec![rank::MAP],
            CodecError::BadTag {
                what,
                at: 0,
                found: rank::MAP,
            },
        ),
        (
            vec![rank::BOOLEAN, 2],
            CodecError::BadTag {
                what,
                at: 1,
                found: 2,
            },
        ),
        (
            vec![rank::LIST, 2],
            CodecError::BadTag {
                what,
                at: 1,
                found: 2,
            },
        ),
        (two_to_the_53, strange.clone()),
        // 1.5 and one more.
        (
            vec![rank::NUMBER, 0xBF, 0xF8, 0, 0, 0, 0, 0, 0, 0x80, 1],
            strange.clone(),
        ),
        // NaN among the numbers.
        (
            vec![rank::NUMBER, 0xFF, 0xF8, 0, 0, 0, 0, 0, 0, 0x80, 0],
            strange.clone(),
        ),
        ([&[rank::DATE][..], &[0xFF; 8]].concat(), strange.clone()),
        (
            [&[rank::LOCAL_TIME][..], &[0xFF; 8]].concat(),
            strange.clone(),
        ),
        ([&[rank::TIME][..], &[0xFF; 12]].concat(), strange.clone()),
        (
            [&[rank::LOCAL_DATE_TIME][..], &[0xFF; 12]].concat(),
            strange.clone(),
        ),
        (
            [&[rank::DATE_TIME][..], &[0xFF; 16], &[0, 0]].concat(),
            strange.clone(),
        ),
        // A month too much for the seconds to make up for.
        (
            [&[rank::DURATION][..], &[0; 8], &[0; 4], &[0xFF; 16]].concat(),
            strange.clone(),
        ),
        (
            vec![rank::VECTOR, 0, 0, 0, 0],
            CodecError::NotCanonical { what, at: 1 },
        ),
        // An infinity, and -0.
        (
            vec![rank::VECTOR, 0, 0, 0, 1, 0xFF, 0x80, 0, 0],
            CodecError::NotCanonical { what, at: 1 },
        ),
        (
            vec![rank::VECTOR, 0, 0, 0, 1, 0x7F, 0xFF, 0xFF, 0xFF],
            CodecError::NotCanonical { what, at: 1 },
        ),
        (
            vec![rank::VECTOR, 0, 0, 0, 2, 0x80, 0, 0, 0],
            CodecError::BadLength {
                what,
                at: 1,
                length: 2,
                limit: 1,
            },
        ),
        (
            [rank::LIST, ELEMENT].repeat(65),
            CodecError::TooDeep {
                what,
                at: 128,
                limit: 64,
            },
        ),
    ] {
        let mut reader = KeyReader::new(what, &bytes);
        assert_eq!(
            read_value(&mut reader).err(),
            Some(error),
            "{}",
            hex(&bytes)
        );
        assert_eq!(reader.remaining(), bytes.len());
    }
}

/// What comes back from a key: numbers change their kind, zeros lose their sign, in lists too.
fn merged(value: &Value) -> Value {
    match value {
        Value::Float(float) => exact_int(*float).map_or_else(|| value.clone(), Value::Int),
        Value::List(elements) => elements.iter().map(merged).collect::<Vec<_>>().into(),
        Value::Vector(vector) => {
            let numbers = vector.as_slice().iter();
            let numbers: Vec<f32> = numbers.map(|number| number + 0.0).collect();
            Vector::new(numbers).unwrap().into()
        }
        other => other.clone(),
    }
}

fn indexable() -> impl Strategy<Value = Value> {
    any_value().prop_filter("holds no map", is_indexable)
}

fn indexable_pair() -> impl Strategy<Value = (Value, Value)> {
    any_pair().prop_filter("holds no map", |(left, right)| {
        is_indexable(left) && is_indexable(right)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6_000))]

    #[test]
    fn byte_order_is_value_order((left, right) in indexable_pair()) {
        prop_assert_eq!(key(&left).cmp(&key(&right)), left.order(&right));
    }

    #[test]
    fn byte_order_is_value_order_for_numbers((left, right) in (number(), number())) {
        prop_assert_eq!(key(&left).cmp(&key(&right)), left.order(&right));
    }

    #[test]
    fn another_component_can_follow((left, right) in indexable_pair(), after in any::<[u16; 2]>()) {
        let longer = |value: &Value, after: u16| {
            let mut bytes = key(value);
            bytes.extend(after.to_be_bytes());
            bytes
        };
        prop_assert_eq!(
            longer(&left, after[0]).cmp(&longer(&right, after[1])),
            left.order(&right).then(after[0].cmp(&after[1]))
        );
    }

    #[test]
    fn values_come_back(value in indexable()) {
        let back = read_key(&key(&value));
        prop_assert!(back.is_ok());
        let back = back.unwrap_or(Value::Null);
        prop_assert!(is_same(&back, &merged(&value)), "{} came back as {}", value, back);
    }

    #[test]
    fn what_reads_was_written_by_us(
        value in indexable(),
        noise in prop::collection::vec(any::<u8>(), 0..24),
        place in any::<prop::sample::Index>(),
        flip in any::<u8>(),
    ) {
        let mut damaged = key(&value);
        let place = place.index(damaged.len());
        damaged[place] ^= flip;
        for bytes in [damaged, noise] {
            let mut reader = KeyReader::new("test key", &bytes);
            match read_value(&mut reader) {
                Ok(value) => prop_assert_eq!(key(&value), &bytes[..bytes.len() - reader.remaining()]),
                Err(_) => prop_assert_eq!(reader.remaining(), bytes.len()),
            }
        }
    }
}
