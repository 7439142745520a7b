//! Verifies an arbitrary pair of the `meta` family.
//!
//! Input: `[length of the key: 1] [key] [value]`. Next: `engine/src/storage/meta.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph::storage::meta;

fuzz_target!(|data: &[u8]| {
    let Some((&length, rest)) = data.split_first() else {
        return;
    };
    let (key, value) = rest.split_at(usize::from(length).min(rest.len()));
    if meta::verify(key, value).is_ok() {
        assert_eq!(key.len(), 1, "the storage floor's own keys are single tags");
        assert!((1..=3).contains(&key[0]));
    }
});
