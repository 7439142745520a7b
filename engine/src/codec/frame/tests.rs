//! Golden bytes, planted damage and hostile input for frames.
//!
//! The golden bytes are on disk beside every database: if one of these fails, the code is wrong
//! and not the test. Next: `../ids/tests.rs`.

use proptest::prelude::*;

use super::*;

const MAGIC: [u8; 8] = *b"SGTESTED";

fn sealed(payload: &[u8]) -> Vec<u8> {
    seal(MAGIC, 1, payload).unwrap()
}

#[test]
fn golden_bytes() {
    let golden = [
        &b"SGTESTED"[..],
        &[0x02, 0x01, 0, 0],
        &[3, 0, 0, 0],
        b"abc",
        &GOLDEN_CHECKSUM.to_le_bytes(),
    ]
    .concat();
    assert_eq!(seal(MAGIC, 0x0102, b"abc"), Ok(golden.clone()));
    assert_eq!(golden.len(), OVERHEAD_BYTES + 3);
    assert_eq!(open(MAGIC, 0..=0x0102, &golden), Ok((0x0102, &b"abc"[..])));
}

/// Computed with the reference implementation in C (xxhash.h 0.8.1, `XXH3_64bits`), not with ours.
const GOLDEN_CHECKSUM: u64 = 0xE6EC_A9CB_E99A_79ED;

#[test]
fn other_files_are_not_called_damaged() {
    let other = seal(*b"SGOTHERS", 1, b"abc").unwrap();
    assert_eq!(
        open(MAGIC, 1..=1, &other),
        Err(CodecError::BadMagic {
            what: WHAT,
            expected: MAGIC,
            found: *b"SGOTHERS"
        })
    );
    // A preallocated slot that nobody has written yet.
    assert!(matches!(
        open_padded(MAGIC, 1..=1, &[0; 512]),
        Err(CodecError::BadMagic { .. })
    ));
}

#[test]
fn a_whole_frame_of_another_format_is_not_called_damaged() {
    let newer = seal(MAGIC, 9, b"abc").unwrap();
    assert_eq!(
        open(MAGIC, 1..=3, &newer),
        Err(CodecError::UnknownFormat {
            what: WHAT,
            found: 9,
            supported: 1..=3
        })
    );
    let mut damaged = newer;
    damaged[16] ^= 1;
    assert!(matches!(
        open(MAGIC, 1..=3, &damaged),
        Err(CodecError::BadChecksum { .. })
    ));
}

#[test]
fn hostile_lengths_are_refused() {
    for length in [MAX_PAYLOAD_BYTES as u64 + 1, u64::from(u32::MAX)] {
        let mut bytes = sealed(b"abc");
        bytes[12..16].copy_from_slice(&u32::try_from(length).unwrap().to_le_bytes());
        let error = Err(CodecError::BadLength {
            what: WHAT,
            at: 12,
            length,
            limit: MAX_PAYLOAD_BYTES as u64,
        });
        assert_eq!(open(MAGIC, 1..=1, &bytes), error);
        assert_eq!(open_padded(MAGIC, 1..=1, &bytes), error);
    }
}

#[test]
fn the_largest_payload_and_one_byte_more() {
    let mut payload = vec![0xA5; MAX_PAYLOAD_BYTES];
    let largest = sealed(&payload);
    assert_eq!(open(MAGIC, 1..=1, &largest), Ok((1, &payload[..])));
    payload.push(0xA5);
    assert!(matches!(
        seal(MAGIC, 1, &payload),
        Err(CodecError::BadLength { .. })
    ));
}

#[test]
fn padding_is_zeros_and_only_where_it_was_asked_for() {
    let mut slot = sealed(b"abc");
    let end = slot.len();
    slot.resize(512, 0);
    assert_eq!(open_padded(MAGIC, 1..=1, &slot), Ok((1, &b"abc"[..])));
    assert_eq!(
        open(MAGIC, 1..=1, &slot),
        Err(CodecError::Trailing {
            what: WHAT,
            at: end,
            bytes: 512 - end
        })
    );
    slot[500] = 1;
    assert_eq!(
        open_padded(MAGIC, 1..=1, &slot),
        Err(CodecError::Trailing {
            what: WHAT,
            at: 500,
            bytes: 12
        })
    );
}

#[test]
fn every_single_bit_flip_is_detected() {
    for payload in [&b""[..], b"a", b"twenty bytes of text", &[0; 300]] {
        let frame = sealed(payload);
        let slot = [&frame[..], &[0; 32]].concat();
        for bit in 0..frame.len() * 8 {
            let mut damaged = frame.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(open(MAGIC, 0..=u32::MAX, &damaged).is_err(), "bit {bit}");
        }
        for bit in 0..slot.len() * 8 {
            let mut damaged = slot.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(
                open_padded(MAGIC, 0..=u32::MAX, &damaged).is_err(),
                "bit {bit} of the slot"
            );
        }
    }
}

#[test]
fn every_cut_is_detected() {
    let frame = sealed(b"twenty bytes of text");
    for length in 0..frame.len() {
        assert!(open(MAGIC, 1..=1, &frame[..length]).is_err(), "{length}");
        // A torn write to a preallocated slot leaves zeros where the rest should be.
        let mut torn = frame[..length].to_vec();
        torn.resize(512, 0);
        assert!(open_padded(MAGIC, 1..=1, &torn).is_err(), "{length}");
    }
}

#[test]
fn a_frame_torn_over_an_older_one_is_detected() {
    let older = sealed(b"sequence 0000000041!");
    let newer = sealed(b"sequence 0000000042?");
    for length in 0..newer.len() {
        let torn = [&newer[..length], &older[length..]].concat();
        let read = open(MAGIC, 1..=1, &torn);
        assert!(torn == older || torn == newer || read.is_err(), "{length}");
    }
}

proptest! {
    #[test]
    fn frames_round_trip(magic: [u8; 8], format: u32, payload: Vec<u8>, zeros in 0_usize..64) {
        let mut frame = seal(magic, format, &payload).unwrap();
        prop_assert_eq!(frame.len(), payload.len() + OVERHEAD_BYTES);
        prop_assert_eq!(open(magic, format..=format, &frame), Ok((format, &payload[..])));
        frame.resize(frame.len() + zeros, 0);
        prop_assert_eq!(open_padded(magic, format..=format, &frame), Ok((format, &payload[..])));
    }

    #[test]
    fn planted_damage_is_detected(
        payload in prop::collection::vec(any::<u8>(), 0..200),
        flips in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
        mask in 1_u8..,
    ) {
        let whole = sealed(&payload);
        let mut damaged = whole.clone();
        for flip in flips {
            let at = flip.index(damaged.len());
            damaged[at] ^= mask;
        }
        // Two flips of one byte cancel out.
        prop_assume!(damaged != whole);
        prop_assert!(open(MAGIC, 0..=u32::MAX, &damaged).is_err());
        prop_assert!(open_padded(MAGIC, 0..=u32::MAX, &damaged).is_err());
    }

    #[test]
    fn any_bytes_are_opened_or_refused(
        mut bytes in prop::collection::vec(prop_oneof![Just(0_u8), any::<u8>()], 0..80),
        with_magic: bool,
    ) {
        if with_magic {
            bytes.splice(0..bytes.len().min(8), MAGIC);
        }
        if let Ok((format, payload)) = open(MAGIC, 0..=u32::MAX, &bytes) {
            prop_assert_eq!(seal(MAGIC, format, payload), Ok(bytes.clone()));
        }
        if let Ok((format, payload)) = open_padded(MAGIC, 0..=u32::MAX, &bytes) {
            prop_assert!(bytes.starts_with(&seal(MAGIC, format, payload).unwrap()));
        }
    }
}
