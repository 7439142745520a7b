//! Reads any lines as front matter: what it says is finite and named, or it is refused with a place in it.
//!
//! Input: `[even: YAML, odd: TOML: 1] [lines]`. Next: `rag/src/read/front_matter.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph_fuzz::document;
use stratigraph_rag::Datum;
use stratigraph_rag::read::{Format, Place};

fn sound(datum: &Datum) -> bool {
    match datum {
        Datum::Float(number) => number.is_finite(),
        Datum::List(items) => items.iter().all(sound),
        _ => true,
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&which, lines)) = data.split_first() else {
        return;
    };
    let Ok(lines) = std::str::from_utf8(lines) else {
        return;
    };
    let fence = if which % 2 == 0 { "---" } else { "+++" };
    let text = format!("{fence}\n{lines}\n{fence}\n# Title\n\nBody.\n");
    match document::read(text.as_bytes(), Format::Markdown) {
        Ok(document) => {
            assert!(document.text().ends_with("Body.\n"));
            for (name, value) in document.metadata() {
                assert!(sound(value), "{name:?}: {value:?}");
            }
        }
        Err(error) => {
            let count = text.matches('\n').count() + 1;
            let place = match error.place {
                Place::Text { line, .. } | Place::Line(line) => line,
                _ => 1,
            };
            assert!((1..=count).contains(&place), "{error}");
            assert!(!error.hint.is_empty());
        }
    }
});
