//! What mistakes say: their kind, the place that the caret stands under, the hint.

use crate::ParseErrorKind::{self, *};
use crate::parse;

/// A text, the kind of its mistake, what stands at its place, and its hint (empty: any or none).
type Case = (&'static str, ParseErrorKind, &'static str, &'static str);

const CASES: &[Case] = &[
    // Slips of the finger.
    (
        "MATHC (n) RETURN n",
        UnexpectedSyntax,
        "MATHC",
        "did you mean 'MATCH'?",
    ),
    (
        "MATCH (n) RETRUN n",
        UnexpectedSyntax,
        "RETRUN",
        "did you mean 'RETURN'?",
    ),
    (
        "MATCH (n) WHER n.x RETURN n",
        UnexpectedSyntax,
        "WHER",
        "did you mean 'WHERE'?",
    ),
    (
        "MATCH (n) RETURN n ODER BY n",
        UnexpectedSyntax,
        "ODER",
        "did you mean 'ORDER'?",
    ),
    (
        "MATCH (n) RETURN n LIMTI 3",
        UnexpectedSyntax,
        "LIMTI",
        "did you mean 'LIMIT'?",
    ),
    (
        "OPTIONAL MTACH (n) RETURN n",
        UnexpectedSyntax,
        "MTACH",
        "did you mean 'MATCH'?",
    ),
    ("UNWIND [1] SA x RETURN x", UnexpectedSyntax, "SA", ""),
    (
        "RETURN 'a' CONTAIN 'b'",
        UnexpectedSyntax,
        "CONTAIN",
        "did you mean 'CONTAINS'?",
    ),
    (
        "RETURN CASE WHEN a THEN b ELES c END",
        UnexpectedSyntax,
        "ELES",
        "did you mean 'ELSE'?",
    ),
    // The place.
    ("RETURN (1 + ", UnexpectedSyntax, "", ""),
    ("RETURN [1, 2", UnexpectedSyntax, "", ""),
    ("RETURN {a 1}", UnexpectedSyntax, "1", ""),
    ("RETURN 1 +", UnexpectedSyntax, "", ""),
    ("", UnexpectedSyntax, "", ""),
    ("RETURN", UnexpectedSyntax, "", ""),
    ("RETURN 1 2", UnexpectedSyntax, "2", ""),
    ("RETURN )", UnexpectedSyntax, ")", ""),
    ("MATCH (n RETURN n", UnexpectedSyntax, "RETURN", ""),
    ("MATCH (a)-(b) RETURN a", UnexpectedSyntax, "(", ""),
    ("MATCH (a)-[r->(b) RETURN a", UnexpectedSyntax, "-", ""),
    ("MATCH (a)(b) RETURN a", UnexpectedSyntax, "(", ""),
    ("MATCH (a:) RETURN a", UnexpectedSyntax, ")", ""),
    ("RETURN a.", UnexpectedSyntax, "", ""),
    ("RETURN count(", UnexpectedSyntax, "", ""),
    ("CALL { RETURN 1", UnexpectedSyntax, "", ""),
    ("SET 1 = 2", UnexpectedSyntax, "1", ""),
    ("REMOVE n", UnexpectedSyntax, "", ""),
    ("RETURN 1 WHERE true", UnexpectedSyntax, "WHERE", ""),
    ("RETURN 1 LIMIT 1 SKIP 2", UnexpectedSyntax, "SKIP", ""),
    ("UNWIND [1] RETURN 1", UnexpectedSyntax, "RETURN", ""),
    // Tokens that are none.
    ("RETURN 'abc", UnexpectedSyntax, "'", ""),
    ("RETURN `abc", UnexpectedSyntax, "`", ""),
    ("RETURN 1 /* abc", UnexpectedSyntax, "/*", ""),
    ("RETURN 1 # 2", UnexpectedSyntax, "#", ""),
    ("RETURN 'a\\q'", UnexpectedSyntax, "\\q", ""),
    ("RETURN 42 — 41", InvalidUnicodeCharacter, "—", ""),
    ("RETURN '\\uH'", InvalidUnicodeLiteral, "\\u", ""),
    ("RETURN '\\uD800'", InvalidUnicodeLiteral, "\\uD800", ""),
    ("RETURN '\\UFFFFFFFF'", InvalidUnicodeLiteral, "\\U", ""),
    ("RETURN 12ab", InvalidNumberLiteral, "12ab", ""),
    ("RETURN 0x", InvalidNumberLiteral, "0x", ""),
    ("RETURN 0o8", InvalidNumberLiteral, "0o8", ""),
    ("RETURN 1__0", InvalidNumberLiteral, "1__0", ""),
    ("RETURN {1B2c3e67:1}", UnexpectedSyntax, "1B2c3e67", ""),
    (
        "RETURN 9223372036854775808",
        IntegerOverflow,
        "9223372036854775808",
        "",
    ),
    (
        "RETURN 0x8000000000000000",
        IntegerOverflow,
        "0x8000000000000000",
        "",
    ),
    (
        "MATCH ()-[*99999999999999999999]-() RETURN 1",
        IntegerOverflow,
        "99999999999999999999",
        "",
    ),
    ("RETURN 1.34E999", FloatingPointOverflow, "1.34E999", ""),
    // What patterns cannot be.
    (
        "MATCH (a)-[:LIKES*-2]->(c) RETURN c",
        InvalidRelationshipPattern,
        "-",
        "",
    ),
    (
        "MATCH (a)-[:LIKES..]->(c) RETURN c",
        InvalidRelationshipPattern,
        "..",
        "",
    ),
    (
        "MATCH (a)-[:LIKES 2]->(c) RETURN c",
        InvalidRelationshipPattern,
        "2",
        "",
    ),
    (
        "CALL a() YIELD * RETURN 1",
        UnexpectedSyntax,
        "*",
        "name the columns after YIELD",
    ),
    // Clauses in an order that is none.
    (
        "MATCH (n) RETURN n MATCH (m) RETURN m",
        InvalidClauseComposition,
        "MATCH",
        "",
    ),
    ("FINISH RETURN 1", InvalidClauseComposition, "RETURN", ""),
    (
        "RETURN 1 UNION RETURN 2 UNION ALL RETURN 3",
        InvalidClauseComposition,
        "UNION ALL",
        "",
    ),
    (
        "RETURN EXISTS { MATCH (n) SET n.x = 1 RETURN n }",
        InvalidClauseComposition,
        "SET",
        "",
    ),
    (
        "FOREACH (x IN [1] | MATCH (n))",
        InvalidClauseComposition,
        "MATCH",
        "",
    ),
    (
        "CALL { CREATE (n) } IN 2 CONCURRENT TRANSACTIONS",
        UnexpectedSyntax,
        "CONCURRENT",
        "",
    ),
];

#[test]
fn mistakes_say_what_and_where_and_what_to_do() {
    for &(text, kind, place, hint) in CASES {
        let mistake = parse(text).expect_err(text);
        assert_eq!(mistake.kind, kind, "{text}: {mistake:?}");
        assert_eq!(mistake.span.of(text), place, "{text}: {mistake:?}");
        if place.is_empty() {
            assert_eq!(mistake.span.start as usize, text.trim_end().len(), "{text}");
        }
        if !hint.is_empty() {
            assert_eq!(mistake.hint.as_deref(), Some(hint), "{text}: {mistake:?}");
        }
        assert!(
            !mistake.message.is_empty() && !mistake.message.ends_with('.'),
            "{mistake:?}"
        );
    }
}

#[test]
fn messages_tell_what_was_expected() {
    for (text, message) in [
        (
            "RETURN (1",
            "expected an operator or ')', but found the end",
        ),
        (
            "MATCH n",
            "expected a pattern such as (n), ALL, ANY or SHORTEST, but found 'n'",
        ),
        (
            "FOO",
            "expected a clause such as MATCH or RETURN, but found 'FOO'",
        ),
        (
            "MATCH (n:) RETURN n",
            "expected '!', '%', '(', '$' or a label, but found ')'",
        ),
        ("RETURN 'a", "the closing quote is missing"),
        (
            "RETURN 1 2",
            "expected an operator, AS, ',', ORDER, SKIP, OFFSET, LIMIT, a clause such as MATCH or RETURN, ..., but found '2'",
        ),
    ] {
        assert_eq!(parse(text).expect_err(text).message, message, "{text}");
    }
}

#[test]
fn no_hint_is_made_up() {
    for text in ["BANANA (n)", "RETURN 1 2", "MATCH (n) BANANA"] {
        assert_eq!(parse(text).expect_err(text).hint, None, "{text}");
    }
}
