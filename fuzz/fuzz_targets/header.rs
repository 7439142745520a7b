//! Decodes arbitrary bytes as the database header, as they are and as the payload of a whole frame.
//!
//! Input: the bytes. Next: `engine/src/storage/files/header.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph::codec::frame;
use stratigraph::storage::files::header::{CURRENT_FORMAT, Header};

fuzz_target!(|data: &[u8]| {
    // No mutation finds a valid checksum by luck, so the second look supplies one.
    let sealed = frame::seal(*b"STRATIGR", CURRENT_FORMAT.get(), data).expect("inputs are small");
    for bytes in [data, &sealed] {
        if let Ok(header) = Header::decode(bytes) {
            assert_eq!(header.encode().expect("a header is small"), bytes);
        }
    }
});
