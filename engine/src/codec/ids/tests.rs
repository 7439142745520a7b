//! Golden bytes and written forms of the ids.
//!
//! The golden bytes are on disk in every database: if one of these fails, the code is wrong and
//! not the test. Next: `../ordered/tests.rs` for the encodings below.

use proptest::prelude::*;

use super::*;

const ID: DatabaseId = DatabaseId::from_bytes([
    0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF,
]);
const WRITTEN: &str = "00010203-0405-0607-8899-aabbccddeeff";

#[test]
fn golden_bytes() {
    let mut key = KeyWriter::new();
    CommitSeq::new(0x0102_0304_0506_0708).encode(&mut key);
    ID.encode(&mut key);
    FormatVersion::new(3).encode(&mut key);
    let bytes = key.finish();
    let golden = [&[1, 2, 3, 4, 5, 6, 7, 8][..], ID.as_bytes(), &[0, 0, 0, 3]].concat();
    assert_eq!(bytes, golden);

    let mut key = KeyReader::new("ids", &bytes);
    assert_eq!(
        CommitSeq::decode(&mut key).map(CommitSeq::get),
        Ok(0x0102_0304_0506_0708)
    );
    assert_eq!(DatabaseId::decode(&mut key), Ok(ID));
    assert_eq!(
        FormatVersion::decode(&mut key).map(FormatVersion::get),
        Ok(3)
    );
    assert!(CommitSeq::decode(&mut key).is_err());
    assert!(DatabaseId::decode(&mut key).is_err());
    assert!(FormatVersion::decode(&mut key).is_err());
    assert_eq!(key.finish(), Ok(()));
}

#[test]
fn commits_follow_one_another() {
    assert_eq!(CommitSeq::default(), CommitSeq::ZERO);
    assert_eq!(CommitSeq::ZERO.next(), Some(CommitSeq::new(1)));
    assert_eq!(CommitSeq::new(u64::MAX).next(), None);
    assert_eq!(CommitSeq::new(42).to_string(), "42");
    assert_eq!(FormatVersion::new(3).to_string(), "3");
}

#[test]
fn a_database_id_is_written_like_a_uuid() {
    assert_eq!(ID.to_string(), WRITTEN);
    assert_eq!(format!("{ID:?}"), format!("DatabaseId({WRITTEN})"));
    assert_eq!(WRITTEN.parse(), Ok(ID));
    assert_eq!(WRITTEN.to_uppercase().parse(), Ok(ID));
}

#[test]
fn other_texts_are_no_database_id() {
    for text in [
        "",
        "-",
        "----",
        "00010203040506078899aabbccddeeff",
        "00010203-0405-0607-8899-aabbccddeef",
        "00010203-0405-0607-8899-aabbccddeeff-",
        "00010203-0405-0607-8899-aabbccddeeff0",
        "00010203-0405-0607-88-99aabbccddeeff",
        "0001020g-0405-0607-8899-aabbccddeeff",
        "+0010203-0405-0607-8899-aabbccddeeff",
        " 00010203-0405-0607-8899-aabbccddeeff",
        "éé010203-0405-0607-8899-aabbccddeeff",
        "éé0102-0405-0607-8899-aabbccddeeff",
    ] {
        let read: Result<DatabaseId, _> = text.parse();
        assert!(
            matches!(read, Err(CodecError::BadText { .. })),
            "{text:?} gave {read:?}"
        );
    }
}

proptest! {
    #[test]
    fn database_ids_round_trip(bytes: [u8; 16]) {
        let id = DatabaseId::from_bytes(bytes);
        prop_assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn later_commits_sort_later(left: u64, right: u64) {
        let key = |number| {
            let mut key = KeyWriter::new();
            CommitSeq::new(number).encode(&mut key);
            key.finish()
        };
        prop_assert_eq!(key(left).cmp(&key(right)), left.cmp(&right));
    }

    #[test]
    fn any_text_is_parsed_or_refused(text: String) {
        _ = text.parse::<DatabaseId>();
    }
}
