//! The wording of [`CodecError`]: what an operator reads when a database is damaged.
//!
//! A message must name the thing, the place and the numbers. Next: `ordered/tests.rs` for bytes.

use super::CodecError;

#[test]
fn every_message_is_golden() {
    let what = "out-edge key";
    let table = [
        (
            CodecError::Truncated {
                what,
                at: 12,
                needed: 8,
                available: 3,
            },
            "out-edge key is cut short: 8 bytes needed at byte 12, 3 there",
        ),
        (
            CodecError::Trailing {
                what,
                at: 28,
                bytes: 4,
            },
            "out-edge key should end at byte 28, but 4 more bytes follow",
        ),
        (
            CodecError::BadTag {
                what,
                at: 0,
                found: 9,
            },
            "out-edge key has the unknown tag 0x09 at byte 0",
        ),
        (
            CodecError::BadMagic {
                what: "frame",
                expected: *b"SGHEADER",
                found: *b"\x89PNG\r\n\x1a\n",
            },
            r#"frame starts with "\x89PNG\r\n\x1a\n", expected "SGHEADER""#,
        ),
        (
            CodecError::BadLength {
                what,
                at: 1,
                length: u64::MAX,
                limit: 7,
            },
            "out-edge key claims a length of 18446744073709551615 at byte 1, at most 7 is possible",
        ),
        (
            CodecError::BadUtf8 { what, at: 4 },
            "out-edge key has a string at byte 4 that is not UTF-8",
        ),
        (
            CodecError::BadEscape {
                what,
                at: 5,
                found: 1,
            },
            "out-edge key has the invalid escape 0x00 0x01 at byte 5",
        ),
        (
            CodecError::NotCanonical { what, at: 6 },
            "out-edge key has a value at byte 6 that is not in its canonical form",
        ),
        (
            CodecError::OutOfRange {
                what,
                at: 7,
                max: 255,
            },
            "out-edge key has a number at byte 7 above the largest allowed one, 255",
        ),
        (
            CodecError::TooDeep {
                what,
                at: 8,
                limit: 64,
            },
            "out-edge key nests values more than 64 deep at byte 8",
        ),
        (
            CodecError::BadChecksum {
                what: "frame",
                stored: 1,
                computed: 0xABC,
            },
            "frame has the checksum 0x0000000000000001, its bytes give 0x0000000000000abc",
        ),
        (
            CodecError::UnknownFormat {
                what: "frame",
                found: 9,
                supported: 1..=3,
            },
            "frame has the format 9, this program reads 1..=3",
        ),
        (
            CodecError::BadText {
                what: "database id",
                expected: "hex digits",
            },
            "database id is not written as hex digits",
        ),
    ];
    for (error, message) in table {
        assert_eq!(error.to_string(), message);
    }
}
