//! Reads any pattern of paths and holds any id to it.
//!
//! Input: `[pattern] 0 [id]`. Next: `rag/src/read/path.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph_rag::Datum;
use stratigraph_rag::read::PathPattern;

fuzz_target!(|data: &[u8]| {
    let Ok(both) = std::str::from_utf8(data) else {
        return;
    };
    let (pattern, id) = both.split_once('\0').unwrap_or((both, both));
    let read = match PathPattern::new(pattern) {
        Ok(read) => read,
        Err(error) => {
            let signs = pattern.chars().count();
            assert!((1..=signs + 1).contains(&error.column), "{error:?}");
            assert!(!error.hint.is_empty() && !error.to_string().is_empty());
            return;
        }
    };
    if let Some(metadata) = read.metadata(id) {
        assert!(metadata.keys().map(String::as_str).eq({
            let mut names: Vec<&str> = read.names().collect();
            names.sort_unstable();
            names
        }));
        for (name, value) in &metadata {
            // What is kept is a part of one name of the path, or the number that this part is.
            let part = match value {
                Datum::Text(text) => text.clone(),
                Datum::Integer(_) | Datum::Float(_) => continue,
                other => panic!("{name}: {other:?}"),
            };
            assert!(!part.is_empty() && !part.contains('/') && id.contains(&part));
        }
    }
    // A pattern without places fits exactly the id that it is.
    if !pattern.contains(['{', '}', '*']) {
        assert_eq!(read.metadata(id).is_some(), id == pattern);
    }
});
