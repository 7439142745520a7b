//! Tests of the whole way from text to tree and back.
//!
//! | what | where |
//! |---|---|
//! | what statements mean | `statements.rs` |
//! | similarity, levels, and what they use | `search.rs`, `search_mistakes.rs` |
//! | what mistakes say | `mistakes.rs` |
//! | depth and time | `limits.rs` |
//! | places of tree and text | `places.rs` |
//! | trees, printed and parsed | `trees.rs`, `clause_trees.rs` |
//! | names that are put into a text | `names.rs` |
//! | the queries of the conformance suite | `suite.rs` |
//! | the grammar beside the parser | `grammar.rs` |

mod clause_trees;
mod grammar;
mod limits;
mod mistakes;
mod names;
mod places;
mod search;
mod search_mistakes;
mod statements;
mod suite;
mod trees;

use crate::{ParseErrorKind, parse};

/// A tree's debug text without its places.
fn without_places(debug: &str) -> String {
    let mut kept = String::with_capacity(debug.len());
    let mut rest = debug;
    while let Some(at) = rest.find("Span { start") {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('}').map_or(rest.len(), |end| end + 1)..];
    }
    kept.push_str(rest);
    kept
}

/// Asserts that what is printed of `text` means the same and is printed the same again.
fn assert_round_trip(text: &str) {
    let statement = parse(text).unwrap_or_else(|mistake| panic!("{text}\n{mistake:?}"));
    let printed = statement.to_string();
    let again = match parse(&printed) {
        Ok(again) => again,
        // Parentheses that the text did without may take it over the limit.
        Err(mistake) if mistake.kind == ParseErrorKind::NestingTooDeep => return,
        Err(mistake) => panic!("{text}\n{printed}\n{mistake:?}"),
    };
    assert_eq!(
        without_places(&format!("{statement:?}")),
        without_places(&format!("{again:?}")),
        "{text}\n{printed}"
    );
    assert_eq!(again.to_string(), printed, "{text}");
}
