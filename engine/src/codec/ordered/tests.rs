//! Golden bytes for every key component, and the law of this module: byte order is value order.
//!
//! The golden bytes are on disk in every database: if one of these fails, the code is wrong and
//! not the test. Next: `component.rs`, which generates keys of any shape.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::*;
use component::{Component, compare_keys, encode, pair_of_keys, read_as};

mod component;

fn key(write: impl FnOnce(&mut KeyWriter)) -> Vec<u8> {
    let mut writer = KeyWriter::new();
    write(&mut writer);
    writer.finish()
}

fn reader(bytes: &[u8]) -> KeyReader<'_> {
    KeyReader::new("test key", bytes)
}

#[test]
fn golden_integers() {
    assert_eq!(key(|k| _ = k.push_u8(0xAB)), [0xAB]);
    assert_eq!(key(|k| _ = k.push_u16(0x0102)), [1, 2]);
    assert_eq!(key(|k| _ = k.push_u32(0x0102_0304)), [1, 2, 3, 4]);
    assert_eq!(
        key(|k| _ = k.push_u64(0x0102_0304_0506_0708)),
        [1, 2, 3, 4, 5, 6, 7, 8]
    );
    for (value, bytes) in [
        (i64::MIN, [0, 0, 0, 0, 0, 0, 0, 0]),
        (-1, [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        (0, [0x80, 0, 0, 0, 0, 0, 0, 0]),
        (1, [0x80, 0, 0, 0, 0, 0, 0, 1]),
        (i64::MAX, [0xFF; 8]),
    ] {
        assert_eq!(key(|k| _ = k.push_i64(value)), bytes, "{value}");
    }
}

#[test]
fn golden_floats_in_their_order() {
    let table = [
        (f64::NEG_INFINITY, 0x000F_FFFF_FFFF_FFFF_u64),
        (f64::MIN, 0x0010_0000_0000_0000),
        (-1.0, 0x400F_FFFF_FFFF_FFFF),
        (-f64::from_bits(1), 0x7FFF_FFFF_FFFF_FFFE),
        (0.0, 0x8000_0000_0000_0000),
        (f64::from_bits(1), 0x8000_0000_0000_0001),
        (1.0, 0xBFF0_0000_0000_0000),
        (f64::MAX, 0xFFEF_FFFF_FFFF_FFFF),
        (f64::INFINITY, 0xFFF0_0000_0000_0000),
        (f64::NAN, 0xFFF8_0000_0000_0000),
    ];
    assert!(table.is_sorted_by_key(|(_, ordered)| *ordered));
    for (value, ordered) in table {
        let bytes = key(|k| _ = k.push_f64(value));
        assert_eq!(bytes, ordered.to_be_bytes(), "{value}");
        let back = reader(&bytes).read_f64().unwrap();
        assert!(back == value || (back.is_nan() && value.is_nan()));
    }
}

#[test]
fn equal_floats_are_one_key() {
    let zero = key(|k| _ = k.push_f64(0.0));
    assert_eq!(key(|k| _ = k.push_f64(-0.0)), zero);
    let nan = key(|k| _ = k.push_f64(f64::NAN));
    assert_eq!(key(|k| _ = k.push_f64(-f64::NAN)), nan);
    let payload = f64::from_bits(0x7FF0_0000_0000_0001);
    assert_eq!(key(|k| _ = k.push_f64(payload)), nan);
}

#[test]
fn floats_we_never_write_are_refused() {
    // -0.0, a negative NaN and a NaN with a payload, as a naive flip would store them.
    for ordered in [
        0x7FFF_FFFF_FFFF_FFFF_u64,
        0x0000_0000_0000_0000,
        0xFFF8_0000_0000_0001,
    ] {
        let bytes = ordered.to_be_bytes();
        let mut reader = reader(&bytes);
        assert_eq!(
            reader.read_f64(),
            Err(CodecError::NotCanonical {
                what: "test key",
                at: 0
            })
        );
        assert_eq!(reader.remaining(), 8);
    }
}

#[test]
fn golden_bools() {
    assert_eq!(key(|k| _ = k.push_bool(false).push_bool(true)), [0, 1]);
    assert_eq!(
        reader(&[2]).read_bool(),
        Err(CodecError::BadTag {
            what: "test key",
            at: 0,
            found: 2
        })
    );
}

#[test]
fn golden_strings_in_their_order() {
    let table = [
        ("", &b"\x00\x00"[..]),
        ("\0", b"\x00\xFF\x00\x00"),
        ("\0\0", b"\x00\xFF\x00\xFF\x00\x00"),
        ("a", b"a\x00\x00"),
        ("a\0", b"a\x00\xFF\x00\x00"),
        ("a\0b", b"a\x00\xFFb\x00\x00"),
        ("ab", b"ab\x00\x00"),
        ("é", b"\xC3\xA9\x00\x00"),
    ];
    assert!(table.is_sorted_by_key(|(_, bytes)| bytes));
    for (text, bytes) in table {
        assert_eq!(key(|k| _ = k.push_str(text)), bytes, "{text:?}");
        let mut reader = reader(bytes);
        assert_eq!(reader.read_str().as_deref(), Ok(text));
        assert_eq!(reader.finish(), Ok(()));
    }
}

#[test]
fn strings_borrow_unless_escaped() {
    assert!(matches!(
        reader(b"ab\0\0").read_bytes(),
        Ok(Cow::Borrowed(b"ab"))
    ));
    assert!(matches!(
        reader(b"a\0\xFF\0\0").read_bytes(),
        Ok(Cow::Owned(_))
    ));
}

#[test]
fn damaged_strings_are_named_and_move_nothing() {
    let what = "test key";
    let truncated = |needed, available| CodecError::Truncated {
        what,
        at: 1,
        needed,
        available,
    };
    for (bytes, error) in [
        (&b"\x07"[..], truncated(2, 0)),
        (b"\x07ab", truncated(4, 2)),
        (b"\x07ab\0", truncated(4, 3)),
        (b"\x07\0\xFF\0", truncated(4, 3)),
        (
            b"\x07a\0\x01\0\0",
            CodecError::BadEscape {
                what,
                at: 2,
                found: 1,
            },
        ),
        (b"\x07\xC3\0\0", CodecError::BadUtf8 { what, at: 1 }),
        (b"\x07\xC3\0\xFF\0\0", CodecError::BadUtf8 { what, at: 1 }),
    ] {
        let mut reader = reader(bytes);
        assert_eq!(reader.read_u8(), Ok(7));
        assert_eq!(reader.read_str(), Err(error), "{bytes:?}");
        assert_eq!(reader.remaining(), bytes.len() - 1);
    }
}

#[test]
fn raw_components_and_the_end_of_a_key() {
    let bytes = key(|k| _ = k.push_u8(1).push_raw(b"id").push_raw(b"tail"));
    assert_eq!(bytes, b"\x01idtail");
    let mut reader = reader(&bytes);
    assert_eq!(reader.read_u8(), Ok(1));
    assert_eq!(reader.read_array(), Ok(*b"id"));
    assert_eq!(
        reader.clone().finish(),
        Err(CodecError::Trailing {
            what: "test key",
            at: 3,
            bytes: 4
        })
    );
    assert_eq!(reader.read_rest(), b"tail");
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn a_writer_can_be_used_again() {
    let mut writer = KeyWriter::with_capacity(8);
    writer.push_u32(1);
    assert_eq!(writer.as_bytes(), [0, 0, 0, 1]);
    writer.clear().push_u8(2);
    assert_eq!(writer.finish(), [2]);
    assert!(writer.as_bytes().is_empty());
}

#[test]
fn golden_prefix_ends() {
    for (prefix, end) in [
        (&b""[..], None),
        (b"a", Some(&b"b"[..])),
        (b"a\x00", Some(b"a\x01")),
        (b"a\xFF", Some(b"b")),
        (b"\x00\xFF\xFF", Some(b"\x01")),
        (b"\xFF\xFF", None),
    ] {
        assert_eq!(prefix_end(prefix).as_deref(), end, "{prefix:?}");
    }
}

/// Bytes in which zeros, `FF`s and shared prefixes are common, since those are the hard cases.
fn tricky_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(0x00), Just(0x01), Just(0xFE), Just(0xFF), any::<u8>()];
    prop::collection::vec(byte, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn byte_order_is_value_order_and_keys_round_trip((left, right) in pair_of_keys()) {
        let (left_bytes, right_bytes) = (encode(&left), encode(&right));
        prop_assert_eq!(left_bytes.cmp(&right_bytes), compare_keys(&left, &right));

        let mut reader = reader(&left_bytes);
        for component in &left {
            let back = read_as(component, &mut reader);
            prop_assert!(back.is_ok_and(|back| back.compare(component) == Ordering::Equal));
        }
        prop_assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn a_cut_key_is_an_error((whole, _) in pair_of_keys(), cut in any::<prop::sample::Index>()) {
        let bytes = encode(&whole);
        prop_assume!(!bytes.is_empty());
        let mut reader = reader(&bytes[..cut.index(bytes.len())]);
        prop_assert!(whole.iter().any(|component| read_as(component, &mut reader).is_err()));
    }

    #[test]
    fn what_reads_was_written_by_us(
        (shape, _) in pair_of_keys(),
        bytes in prop_oneof![tricky_bytes(), prop::collection::vec(any::<u8>(), 0..40)],
    ) {
        let mut reader = reader(&bytes);
        let mut read = Vec::new();
        for component in &shape {
            let before = reader.remaining();
            match read_as(component, &mut reader) {
                Ok(component) => read.push(component),
                Err(_) => {
                    prop_assert_eq!(reader.remaining(), before);
                    break;
                }
            }
        }
        prop_assert_eq!(encode(&read), &bytes[..bytes.len() - reader.remaining()]);
    }

    #[test]
    fn prefix_end_bounds_exactly_the_prefix(prefix in tricky_bytes(), other in tricky_bytes()) {
        let end = prefix_end(&prefix);
        let in_range = other >= prefix && end.as_ref().is_none_or(|end| &other < end);
        prop_assert_eq!(in_range, other.starts_with(&prefix));
        let mut extended = prefix.clone();
        extended.extend(&other);
        prop_assert!(end.is_none_or(|end| extended < end));
    }

    #[test]
    fn a_leading_component_is_a_scan_prefix((left, right) in pair_of_keys(), first: Vec<u8>) {
        let scan = encode(&[Component::Bytes(first.clone())]);
        let inside = encode(&[&[Component::Bytes(first.clone())], &left[..]].concat());
        prop_assert!(inside.starts_with(&scan));
        // A longer string is another value, so it must not be found by this scan.
        let longer = [first, vec![0x00]].concat();
        let outside = encode(&[&[Component::Bytes(longer)], &right[..]].concat());
        prop_assert!(!outside.starts_with(&scan));
    }
}
