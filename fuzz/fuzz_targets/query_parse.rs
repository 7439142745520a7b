//! Parses arbitrary text; what is a statement is printed and parsed again, and must be the same.
//!
//! Input: the first byte says where completion is asked for, the rest is the text. Every second input is
//! read as words of the language instead, one for each byte, for few random texts get past the first word.
//! Next: `query-lang/src/parser/mod.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::time::{Duration, Instant};
use stratigraph_query_lang::{ParseErrorKind, complete, is_complete, parse, parse_all, split};

/// What a byte stands for in a text of words.
const WORDS: &[&str] = &[
    "MATCH",
    "OPTIONAL",
    "WHERE",
    "RETURN",
    "WITH",
    "UNWIND",
    "AS",
    "UNION",
    "ALL",
    "ANY",
    "SHORTEST",
    "CREATE",
    "MERGE",
    "ON",
    "SET",
    "REMOVE",
    "DELETE",
    "DETACH",
    "FOREACH",
    "IN",
    "CALL",
    "YIELD",
    "SHOW",
    "INDEX",
    "CONSTRAINT",
    "FOR",
    "REQUIRE",
    "IS",
    "NOT",
    "NULL",
    "AND",
    "OR",
    "XOR",
    "STARTS",
    "ENDS",
    "CONTAINS",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "EXISTS",
    "COUNT",
    "COLLECT",
    "DISTINCT",
    "ORDER",
    "BY",
    "SKIP",
    "LIMIT",
    "reduce",
    "shortestPath",
    "none",
    "TRANSACTIONS",
    "OF",
    "ROWS",
    "EXPLAIN",
    "CYPHER",
    "DROP",
    "TYPED",
    "UNIQUE",
    "a",
    "b",
    "n",
    "`x y`",
    "名",
    "$p",
    "$",
    "1",
    "0x1F",
    "1.5",
    ".5",
    "1e3",
    "9223372036854775808",
    "'s'",
    "\"t\"",
    "'\\u0041'",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    ".",
    "..",
    "|",
    "||",
    "&",
    "!",
    "+",
    "+=",
    "-",
    "*",
    "/",
    "%",
    "^",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "=~",
    "()",
    "-->",
    "<--",
    "-[",
    "]->",
    "//",
    "\n",
    "/*",
    "*/",
    "TRAVERSE",
    "FROM",
    "UNFILTERED",
    "STEP",
    "LEVELS",
    "SCORE",
    "KEEP",
    "TOP",
    "PER",
    "PARENT",
    "RECOVER",
    "EMIT",
    "KEPT",
    "CANDIDATES",
    "BUDGET",
    "NODES",
    "EDGES",
    "MILLISECONDS",
    "EXCEED",
    "STOP",
    "SEARCH",
    "EXACT",
    "VECTOR",
    "FULLTEXT",
    "EACH",
    "OPTIONS",
    "HIERARCHY",
    "TREE",
    "PROFILE",
    "ERROR",
    "IF",
    "0..3",
    "(a)-->(b)",
    "IN (VECTOR INDEX",
];

fuzz_target!(|data: &[u8]| {
    let Some((&first, rest)) = data.split_first() else {
        return;
    };
    let text = if first % 2 == 0 {
        let words: Vec<&str> = rest
            .iter()
            .map(|&byte| WORDS[usize::from(byte) % WORDS.len()])
            .collect();
        words.join(" ")
    } else {
        String::from_utf8_lossy(rest).into_owned()
    };
    let start = Instant::now();
    check(&text);
    let _ = is_complete(&text);
    let _ = complete(&text, usize::from(first) * text.len() / 255);
    for (part, span) in split(&text) {
        assert_eq!(span.of(&text), part);
    }
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "this took {:?}",
        start.elapsed()
    );
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
