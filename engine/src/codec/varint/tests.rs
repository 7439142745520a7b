//! Golden bytes, round trips and hostile input for varints.
//!
//! The golden bytes are on disk in every database: if one of these fails, the code is wrong and
//! not the test. Next: `../record/tests.rs`.

use proptest::prelude::*;

use super::*;

fn encoded(value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_u64(&mut bytes, value);
    bytes
}

fn encoded_signed(value: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_i64(&mut bytes, value);
    bytes
}

/// Numbers of every length with equal chance; uniform u64s would nearly all take ten bytes.
fn any_width() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0_u32..64).prop_map(|(value, shift)| value >> shift)
}

#[test]
fn golden_bytes() {
    for (value, bytes) in [
        (0, &[0x00][..]),
        (1, &[0x01]),
        (127, &[0x7F]),
        (128, &[0x80, 0x01]),
        (300, &[0xAC, 0x02]),
        (16_383, &[0xFF, 0x7F]),
        (16_384, &[0x80, 0x80, 0x01]),
        (
            1 << 63,
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
        ),
        (
            u64::MAX,
            &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        ),
    ] {
        assert_eq!(encoded(value), bytes, "{value}");
        assert_eq!(read_u64(bytes), Ok((value, &[][..])), "{value}");
    }
}

#[test]
fn golden_zigzag_bytes() {
    for (value, bytes) in [
        (0, &[0x00][..]),
        (-1, &[0x01]),
        (1, &[0x02]),
        (-2, &[0x03]),
        (63, &[0x7E]),
        (-64, &[0x7F]),
        (64, &[0x80, 0x01]),
        (
            i64::MAX,
            &[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        ),
        (
            i64::MIN,
            &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        ),
    ] {
        assert_eq!(encoded_signed(value), bytes, "{value}");
        assert_eq!(read_i64(bytes), Ok((value, &[][..])), "{value}");
    }
}

#[test]
fn overlong_forms_are_refused() {
    let not_canonical = Err(CodecError::NotCanonical { what: WHAT, at: 0 });
    assert_eq!(read_u64(&[0x80, 0x00]), not_canonical);
    assert_eq!(read_u64(&[0xFF, 0x80, 0x00]), not_canonical);
    let mut ten_bytes = [0x80; 10];
    ten_bytes[9] = 0x00;
    assert_eq!(read_u64(&ten_bytes), not_canonical);
}

#[test]
fn more_than_64_bits_are_refused() {
    for tenth in [0x02, 0x7F, 0x80, 0x81, 0xFF] {
        let mut bytes = [0xFF; 11];
        bytes[9] = tenth;
        assert_eq!(
            read_u64(&bytes),
            Err(CodecError::OutOfRange {
                what: WHAT,
                at: 0,
                max: u64::MAX
            }),
            "{tenth:#04x}"
        );
    }
}

#[test]
fn missing_bytes_are_reported() {
    assert_eq!(
        read_u64(&[0x80, 0x80]),
        Err(CodecError::Truncated {
            what: WHAT,
            at: 0,
            needed: 3,
            available: 2
        })
    );
    assert!(read_u64(&[]).is_err());
}

#[test]
fn a_failed_read_moves_nothing() {
    for bytes in [&[0x80][..], &[0x80, 0x00], &[0xFF; 12]] {
        let mut cursor = Cursor::new(WHAT, bytes);
        assert!(take_u64(&mut cursor).is_err());
        assert_eq!((cursor.at(), cursor.peek()), (0, bytes));
    }
}

proptest! {
    #[test]
    fn numbers_round_trip(value in any_width(), tail in any::<[u8; 3]>()) {
        let mut bytes = encoded(value);
        prop_assert!(bytes.len() <= MAX_BYTES);
        bytes.extend(tail);
        prop_assert_eq!(read_u64(&bytes), Ok((value, &tail[..])));
    }

    #[test]
    fn signed_numbers_round_trip(value in any_width().prop_map(u64::cast_signed), negate: bool) {
        let value = if negate { value.wrapping_neg() } else { value };
        let bytes = encoded_signed(value);
        prop_assert_eq!(read_i64(&bytes), Ok((value, &[][..])));
        prop_assert_eq!(unzigzag(zigzag(value)), value);
    }

    #[test]
    fn what_reads_was_written_by_us(bytes in prop::collection::vec(any::<u8>(), 0..16)) {
        if let Ok((value, rest)) = read_u64(&bytes) {
            let mut again = encoded(value);
            again.extend_from_slice(rest);
            prop_assert_eq!(again, bytes);
        }
    }
}
