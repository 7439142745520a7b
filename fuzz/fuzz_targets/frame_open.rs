//! Opens arbitrary bytes as a frame, then seals them and opens the frame after planted damage.
//!
//! The second half is needed because no mutation finds a valid checksum by luck.
//!
//! Input: `[damage position: 2 LE] [damage mask: 1] [zeros after the frame: 1] [bytes]`.
//! Next: `engine/src/codec/frame.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph::codec::frame;

const MAGIC: [u8; 8] = *b"SGFUZZED";

fuzz_target!(|data: &[u8]| {
    let Some((&[low, high, mask, zeros], bytes)) = data.split_first_chunk::<4>() else {
        return;
    };

    if let Ok((format, payload)) = frame::open(MAGIC, 0..=u32::MAX, bytes) {
        let again = frame::seal(MAGIC, format, payload).expect("what was opened can be sealed");
        assert_eq!(again, bytes, "two frames open to the same payload");
    }
    if let Ok((format, payload)) = frame::open_padded(MAGIC, 0..=u32::MAX, bytes) {
        let again = frame::seal(MAGIC, format, payload).expect("what was opened can be sealed");
        assert!(
            bytes.starts_with(&again),
            "two frames open to the same payload"
        );
    }

    let format = u32::from(low);
    let mut slot = frame::seal(MAGIC, format, bytes).expect("libFuzzer keeps inputs small");
    assert_eq!(
        frame::open(MAGIC, format..=format, &slot),
        Ok((format, bytes))
    );
    slot.resize(slot.len() + usize::from(zeros), 0);
    assert_eq!(
        frame::open_padded(MAGIC, format..=format, &slot),
        Ok((format, bytes))
    );

    if mask != 0 {
        let position = usize::from(u16::from_le_bytes([low, high])) % slot.len();
        slot[position] ^= mask;
        assert!(
            frame::open_padded(MAGIC, 0..=u32::MAX, &slot).is_err(),
            "damage went unseen"
        );
    }
});
