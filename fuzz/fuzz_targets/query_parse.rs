//! Parses arbitrary text; what is a statement is printed and parsed again, and must be the same.
//!
//! Input: the first byte says where completion is asked for, the rest is the text as `fuzz/src/lib.rs` makes it.
//! Next: `query-lang/src/parser/mod.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::time::Duration;
use stratigraph_fuzz::{busy, text};
use stratigraph_query_lang::{ParseErrorKind, complete, is_complete, parse, parse_all, split};

fuzz_target!(|data: &[u8]| {
    let Some((&place, rest)) = data.split_first() else {
        return;
    };
    let text = text(rest);
    let start = busy();
    check(&text);
    let _ = is_complete(&text);
    let _ = complete(&text, usize::from(place) * text.len() / 255);
    for (part, span) in split(&text) {
        assert_eq!(span.of(&text), part);
    }
    let took = busy() - start;
    assert!(took < Duration::from_secs(1), "this took {took:?}");
});

fn check(text: &str) {
    let _ = parse_all(text);
    let statement = match parse(text) {
        Ok(statement) => statement,
        Err(mistake) => {
            let (start, end) = (mistake.span.start as usize, mistake.span.end as usize);
            assert!(
                text.get(start..end).is_some(),
                "{mistake:?} lies outside of the text"
            );
            assert!(!mistake.message.is_empty());
            return;
        }
    };
    assert!(
        text.get(statement.span.start as usize..statement.span.end as usize)
            .is_some()
    );
    let printed = statement.to_string();
    let again = match parse(&printed) {
        Ok(again) => again,
        // Parentheses that the text did without may take it over the limit.
        Err(mistake) if mistake.kind == ParseErrorKind::NestingTooDeep => return,
        Err(mistake) => panic!("{printed}\n{mistake:?}"),
    };
    assert_eq!(
        without_places(&statement),
        without_places(&again),
        "{printed}"
    );
    assert_eq!(again.to_string(), printed);
}

/// The tree in words, its places left out.
fn without_places(statement: &stratigraph_query_lang::ast::Statement) -> String {
    let debug = format!("{statement:?}");
    let mut kept = String::with_capacity(debug.len());
    let mut rest = debug.as_str();
    while let Some(at) = rest.find("Span { start") {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('}').map_or(rest.len(), |end| end + 1)..];
    }
    kept.push_str(rest);
    kept
}
