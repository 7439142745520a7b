//! Decodes arbitrary bytes as a slot of the high-water mark, as they are and as the payload of a
//! whole frame.
//!
//! Input: the bytes. Next: `engine/src/storage/files/mark.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph::codec::frame;
use stratigraph::storage::files::mark::{Mark, SLOT_BYTES};

fuzz_target!(|data: &[u8]| {
    // No mutation finds a valid checksum by luck, so the second look supplies one.
    let mut sealed = frame::seal(*b"SG-MARK\0", 1, data).expect("inputs are small");
    sealed.resize(SLOT_BYTES.max(sealed.len()), 0);
    for bytes in [data, &sealed] {
        if let Ok((turn, mark)) = Mark::decode(bytes) {
            let again = mark.encode(turn).expect("a mark is small");
            let frame_bytes = again
                .iter()
                .rposition(|&byte| byte != 0)
                .map_or(0, |last| last + 1);
            assert!(bytes.starts_with(&again[..frame_bytes]));
        }
    }
});
