//! Decodes arbitrary bytes as a backup's manifest, as they are and as the payload of a whole frame;
//! what decodes must not name a file outside the folder.
//!
//! Input: the bytes. Next: `engine/src/database/manifest.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use stratigraph::BackupManifest;
use stratigraph::codec::frame;

fuzz_target!(|data: &[u8]| {
    // No mutation finds a valid checksum by luck, so the second look supplies one.
    let sealed = frame::seal(*b"SGBACKUP", 1, data).expect("inputs are small");
    for bytes in [data, &sealed] {
        let Ok(manifest) = BackupManifest::decode(bytes) else {
            continue;
        };
        for file in &manifest.files {
            let joined = Path::new("/backup").join(&file.name);
            assert_eq!(
                joined.parent(),
                Some(Path::new("/backup")),
                "{:?} leads elsewhere",
                file.name
            );
        }
        let again = manifest.encode().expect("it was small");
        assert_eq!(BackupManifest::decode(&again).as_ref(), Ok(&manifest));
    }
});
