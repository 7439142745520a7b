//! What mistakes in `SEARCH`, `TRAVERSE`, and the declarations of what they use say, and where.

use crate::ParseErrorKind::{self, *};
use crate::parse;

/// A text, the kind of its mistake, what stands at its place, and its hint (empty: any or none).
const MISTAKES: &[(&str, ParseErrorKind, &str, &str)] = &[
    (
        "MATCH (n) SERCH n IN (VECTOR INDEX i FOR $q LIMIT 5) RETURN n",
        UnexpectedSyntax,
        "SERCH",
        "did you mean 'SEARCH'?",
    ),
    (
        "MATCH (n) WHERE n.x SAERCH n IN (VECTOR INDEX i FOR $q LIMIT 5) RETURN n",
        UnexpectedSyntax,
        "SAERCH",
        "did you mean 'SEARCH'?",
    ),
    (
        "MATCH (n) SEARCH n IN (VECTR INDEX i FOR $q LIMIT 5) RETURN n",
        UnexpectedSyntax,
        "VECTR",
        "did you mean 'VECTOR'?",
    ),
    (
        "MATCH (n) SEARCH n IN (VECTOR INDEX i FOR $q) RETURN n",
        UnexpectedSyntax,
        ")",
        "",
    ),
    (
        "MATCH (n) SEARCH n IN (FULLTEXT INDEX i FOR $q LIMIT 5 EXACT) RETURN n",
        UnexpectedSyntax,
        "EXACT",
        "",
    ),
    (
        "MATCH (n) SEARCH n IN (VECTOR INDEX i FOR $q LIMIT 5) SEARCH n IN (VECTOR INDEX j FOR $q LIMIT 5) RETURN n",
        DuplicateSubclause,
        "SEARCH",
        "match the other variable in a MATCH of its own",
    ),
    (
        "MATCH (n) WHERE n.x SEARCH n IN (VECTOR INDEX i FOR $q LIMIT 5) WHERE n.y RETURN n",
        DuplicateSubclause,
        "WHERE",
        "join the conditions with AND",
    ),
    (
        "TRAVRSE FROM a STEP (a)-->(b) YIELD node",
        UnexpectedSyntax,
        "TRAVRSE",
        "did you mean 'TRAVERSE'?",
    ),
    (
        "OPTIONAL TRAVRESE FROM a STEP (a)-->(b) YIELD node",
        UnexpectedSyntax,
        "TRAVRESE",
        "did you mean 'TRAVERSE'?",
    ),
    (
        "TRAVERSE FROM a UNFILTRED STEP (a)-->(b) YIELD node",
        UnexpectedSyntax,
        "UNFILTRED",
        "did you mean 'UNFILTERED'?",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) LEVEL 0..3 YIELD node",
        UnexpectedSyntax,
        "LEVEL",
        "did you mean 'LEVELS'?",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) KEEP TPO 3 YIELD node",
        UnexpectedSyntax,
        "TPO",
        "did you mean 'TOP'?",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) LEVELS 3 YIELD node",
        UnexpectedSyntax,
        "YIELD",
        "",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) LEVELS 1.5..2 YIELD node",
        UnexpectedSyntax,
        "1.5",
        "",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) LEVELS 0..9223372036854775808 YIELD node",
        IntegerOverflow,
        "9223372036854775808",
        "",
    ),
    (
        "TRAVERSE FROM a STEP (a) YIELD node",
        UnexpectedSyntax,
        "YIELD",
        "",
    ),
    (
        "TRAVERSE FROM a STEP (a)-[:T*1..3]->(b) YIELD node",
        InvalidTraverseStep,
        "*1..3",
        "write a step as (a)-[:TYPE]->(b), and how often it is done as LEVELS 0..3",
    ),
    (
        "TRAVERSE FROM a STEP (a)-[:T]->(b)-->+(c) YIELD node",
        InvalidTraverseStep,
        "+",
        "",
    ),
    (
        "TRAVERSE FROM a STEP ((a)-->(b)){1,3} YIELD node",
        InvalidTraverseStep,
        "(",
        "",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->((b)-->(c)) YIELD node",
        InvalidTraverseStep,
        "(",
        "",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) RECOVER (m) KEEP TOP 1 YIELD node",
        UnboundedRecover,
        "RECOVER",
        "say where they end, as in LEVELS 0..3",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) RECOVER (m) KEEP TOP 1 LEVELS 1.. YIELD node",
        UnboundedRecover,
        "RECOVER",
        "",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) LEVELS ..3 RECOVER (m) YIELD node",
        UnexpectedSyntax,
        "YIELD",
        "",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) LEVELS ..3 RECOVER (m) KEEP TOP 3 PER PARENT YIELD node",
        UnexpectedSyntax,
        "PER",
        "leave PER PARENT out",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) KEEP YIELD node",
        UnexpectedSyntax,
        "YIELD",
        "",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) BUDGET 3 YIELD node",
        UnexpectedSyntax,
        "YIELD",
        "",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) BUDGET 3 NODES ON EXCEED FAIL YIELD node",
        UnexpectedSyntax,
        "FAIL",
        "",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) YIELD *",
        UnexpectedSyntax,
        "*",
        "name the columns after YIELD: node, level, score",
    ),
    (
        "TRAVERSE FROM a STEP (a)-->(b) RETURN 1",
        UnexpectedSyntax,
        "RETURN",
        "",
    ),
    (
        "FOREACH (x IN [1] | TRAVERSE FROM x STEP (a)-->(b) YIELD node)",
        InvalidClauseComposition,
        "TRAVERSE",
        "",
    ),
    (
        "CREATE VECTR INDEX i FOR (n:L) ON n.e",
        UnexpectedSyntax,
        "VECTR",
        "did you mean 'VECTOR'?",
    ),
    (
        "CREATE VECTOR INDEX i FOR (n:L) ON (n.a, n.b)",
        UnexpectedSyntax,
        ",",
        "name what a search may be filtered by after WITH",
    ),
    (
        "CREATE VECTOR INDEX i FOR (n:L) ON m.e",
        UnexpectedSyntax,
        "m",
        "",
    ),
    (
        "CREATE VECTOR INDEX i FOR (n:L) ON n.e WITH []",
        UnexpectedSyntax,
        "]",
        "",
    ),
    (
        "CREATE FULLTEXT INDEX i FOR (n:L) ON n.e",
        UnexpectedSyntax,
        "n",
        "",
    ),
    (
        "CREATE INDEX i FOR (n:A|B) ON n.e",
        UnexpectedSyntax,
        "|",
        "",
    ),
    (
        "CREATE HIERARCHY h FOR ()-[:T]-()",
        InvalidRelationshipPattern,
        "()-[:T]-()",
        "write ()-[:TYPE]->()",
    ),
    (
        "CREATE HIERARCHY h FOR ()<-[:T]->()",
        InvalidRelationshipPattern,
        "()<-[:T]->()",
        "",
    ),
    (
        "CREATE HIERARCHY h FOR ()-[]->()",
        UnexpectedSyntax,
        "]",
        "",
    ),
    (
        "DROP HIERARCY h",
        UnexpectedSyntax,
        "HIERARCY",
        "did you mean 'HIERARCHY'?",
    ),
];

#[test]
fn mistakes_say_what_and_where_and_what_to_do() {
    for &(text, kind, place, hint) in MISTAKES {
        let mistake = parse(text).expect_err(text);
        assert_eq!(mistake.kind, kind, "{text}: {mistake:?}");
        let found = mistake.span.of(text);
        // A whole clause is told by its first word.
        let told = if place.starts_with(char::is_alphabetic) {
            found.split(' ').next().unwrap()
        } else {
            found
        };
        assert_eq!(told, place, "{text}: {mistake:?}");
        if !hint.is_empty() {
            assert_eq!(mistake.hint.as_deref(), Some(hint), "{text}: {mistake:?}");
        }
    }
}
