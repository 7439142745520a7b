//! Wrong queries: what is said about each, and where.
//!
//! Next: `runs.rs`.

use super::database;
use stratigraph::Error;

/// A query, the detail of what is wrong, and the column at which it is; 0 if any will do.
const MISTAKES: &[(&str, &str, u64)] = &[
    ("RETURN nobody", "UndefinedVariable", 8),
    ("MATCH (a) RETURN b", "UndefinedVariable", 18),
    ("MATCH (a {n: b.n}) RETURN a", "UndefinedVariable", 14),
    ("MATCH (a) WITH a.n AS n RETURN a", "UndefinedVariable", 32),
    ("MATCH (a) WHERE b.n = 1 RETURN a", "UndefinedVariable", 17),
    (
        "MATCH (a) RETURN DISTINCT a.n ORDER BY a.m",
        "UndefinedVariable",
        40,
    ),
    (
        "MATCH (a) WITH DISTINCT a.n AS n WHERE a.m = 1 RETURN n",
        "UndefinedVariable",
        40,
    ),
    (
        "MATCH (a) WITH a.n AS n, count(*) AS c WHERE a.m = 1 RETURN n",
        "UndefinedVariable",
        46,
    ),
    (
        "MATCH (a) RETURN count(*) ORDER BY a.n",
        "UndefinedVariable",
        36,
    ),
    ("MERGE (a) ON CREATE SET b.n = 1", "UndefinedVariable", 25),
    ("MATCH (a) DELETE b", "UndefinedVariable", 18),
    (
        "MATCH (a) WHERE (a)-->(b) RETURN a",
        "UndefinedVariable",
        24,
    ),
    (
        "MATCH (n) RETURN shortestPath((n)-[:E*]->(zz))",
        "UndefinedVariable",
        43,
    ),
    (
        "MATCH (n), (m) RETURN allShortestPaths((n)-[r:E*]->(m))",
        "UndefinedVariable",
        45,
    ),
    (
        "MATCH (a) WITH a MATCH ()-[a]->() RETURN a",
        "VariableTypeConflict",
        28,
    ),
    ("MATCH (a)-[a]->() RETURN a", "VariableTypeConflict", 12),
    ("WITH 1 AS a MATCH (a) RETURN a", "VariableTypeConflict", 20),
    (
        "MATCH ()-[r*]->() MATCH (r) RETURN r",
        "VariableTypeConflict",
        26,
    ),
    (
        "MATCH (p) MATCH p = ()-->() RETURN p",
        "VariableAlreadyBound",
        17,
    ),
    ("MATCH (a) CREATE (a)", "VariableAlreadyBound", 19),
    (
        "MATCH (a) CREATE (a:L)-[:T]->()",
        "VariableAlreadyBound",
        19,
    ),
    ("MATCH (a) MERGE (a)", "VariableAlreadyBound", 18),
    (
        "MATCH ()-[r]->() CREATE ()-[r:T]->()",
        "VariableAlreadyBound",
        29,
    ),
    (
        "UNWIND [1] AS a UNWIND [2] AS a RETURN a",
        "VariableAlreadyBound",
        31,
    ),
    (
        "MATCH (a)-[r]->()-[r]->() RETURN r",
        "RelationshipUniquenessViolation",
        20,
    ),
    ("CREATE ()-->()", "NoSingleRelationshipType", 0),
    ("CREATE ()-[:A|B]->()", "NoSingleRelationshipType", 0),
    ("CREATE ()-[:A]-()", "RequiresDirectedRelationship", 0),
    ("CREATE ()-[:A*2]->()", "CreatingVarLength", 0),
    (
        "MATCH ()-[:A*-1]->() RETURN 1",
        "InvalidRelationshipPattern",
        0,
    ),
    ("MATCH (a $p) RETURN a", "InvalidParameterUse", 10),
    ("RETURN $p", "MissingParameter", 0),
    ("RETURN nothing(1)", "UnknownFunction", 8),
    ("CALL nothing.at.all()", "ProcedureNotFound", 0),
    ("RETURN size(1, 2)", "InvalidNumberOfArguments", 0),
    (
        "MATCH (a) WHERE count(a) > 1 RETURN a",
        "InvalidAggregation",
        17,
    ),
    (
        "MATCH (a) RETURN a ORDER BY count(a)",
        "InvalidAggregation",
        29,
    ),
    (
        "MATCH (a) RETURN [x IN [1] | count(a)]",
        "InvalidAggregation",
        30,
    ),
    ("RETURN count(count(*))", "NestedAggregation", 14),
    (
        "MATCH (a)--(b) RETURN a.n + count(b)",
        "AmbiguousAggregationExpression",
        23,
    ),
    ("MATCH (a) WITH a.n RETURN 1", "NoExpressionAlias", 16),
    ("RETURN 1 AS a, 2 AS a", "ColumnNameConflict", 21),
    (
        "RETURN 1 AS a UNION RETURN 2 AS b",
        "DifferentColumnsInUnion",
        0,
    ),
    ("MATCH () RETURN *", "NoVariablesInScope", 0),
    (
        "RETURN 1 MATCH (a) RETURN a",
        "InvalidClauseComposition",
        10,
    ),
    (
        "RETURN 1 AS a UNION RETURN 1 AS a UNION ALL RETURN 1 AS a",
        "InvalidClauseComposition",
        0,
    ),
    ("RETURN 1 LIMIT -1", "NegativeIntegerArgument", 16),
    ("RETURN 1 LIMIT 1.5", "InvalidArgumentType", 16),
    ("MATCH (a) RETURN a LIMIT a.n", "NonConstantExpression", 26),
    ("RETURN 1 AND true", "InvalidArgumentType", 8),
    ("RETURN NOT 'a'", "InvalidArgumentType", 12),
    ("RETURN 1 IN 2", "InvalidArgumentType", 13),
    ("MATCH (a) RETURN type(a)", "InvalidArgumentType", 23),
    ("MATCH (a) WHERE (a) RETURN a", "InvalidArgumentType", 0),
    ("MATCH (a) DELETE a:L", "InvalidDelete", 18),
    ("MATCH (a) DELETE 1 + 1", "InvalidArgumentType", 18),
    ("RETURN 9223372036854775808", "IntegerOverflow", 8),
    ("RETURN 1e999", "FloatingPointOverflow", 8),
    ("RETURN 12abc", "InvalidNumberLiteral", 8),
    ("RETURN '\\uH'", "InvalidUnicodeLiteral", 0),
    ("RETURN 'a", "UnexpectedSyntax", 8),
    ("MATCH (a) RETRUN a", "UnexpectedSyntax", 11),
    ("RETURN [1,]", "UnexpectedSyntax", 11),
    ("MATCH (a) RETURN (a)-->()", "UnexpectedSyntax", 0),
    (
        "MATCH (a) WHERE EXISTS { MATCH (a) SET a.n = 1 } RETURN a",
        "InvalidClauseComposition",
        0,
    ),
];

#[test]
fn each_mistake_has_its_name_and_its_place() {
    let database = database(&[]);
    let mut wrong = Vec::new();
    for (text, detail, column) in MISTAKES {
        let said = match database.query(text, ()) {
            Ok(_) => "nothing".to_string(),
            Err(Error::Query(error)) => {
                let at = error
                    .position()
                    .map_or(0, |position| position.column.into());
                if error.detail().name() == *detail && (*column == 0 || *column == at) {
                    assert!(!error.message().is_empty(), "{text}");
                    continue;
                }
                format!("{} at column {at}", error.detail().name())
            }
            Err(other) => other.to_string(),
        };
        wrong.push(format!(
            "{text}: {detail} at column {column} was expected, and it was {said}"
        ));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is near to a name that is known is said.
#[test]
fn hints_name_what_was_meant() {
    let database = database(&[]);
    for (text, hint) in [
        ("MATCH (person) RETURN persn.name", "person"),
        ("RETURN toUper('a')", "toUpper"),
        ("MATCH (a) WITH a.n RETURN 1", "AS"),
    ] {
        let Err(Error::Query(error)) = database.query(text, ()) else {
            panic!("{text} is wrong");
        };
        let said = error.hint().unwrap_or_default();
        assert!(said.contains(hint), "{text}: {said}");
    }
}

/// As deep as texts may nest, and deeper, on the stack of a thread that has 2 MiB.
#[test]
fn whatever_nests_is_answered_on_a_small_stack() {
    let nests: &[(&str, &str, &str, &str)] = &[
        ("RETURN ", "(", "1", ")"),
        ("RETURN ", "[", "1", "]"),
        ("RETURN ", "{a: ", "1", "}"),
        ("RETURN ", "NOT ", "true", ""),
        ("RETURN ", "- ", "1", ""),
        ("RETURN ", "abs(", "1", ")"),
        ("RETURN ", "CASE WHEN true THEN ", "1", " END"),
        ("RETURN ", "[x IN [1] | ", "1", "]"),
        ("RETURN ", "all(x IN [1] WHERE ", "true", ")"),
        ("RETURN ", "reduce(s = 0, x IN [1] | s + ", "1", ")"),
        ("RETURN ", "EXISTS { MATCH (n) WHERE ", "true", " }"),
        ("RETURN ", "COLLECT { RETURN ", "1", " AS x }"),
        ("MATCH (n) RETURN ", "[(n)-->() | ", "1", "]"),
        ("", "CALL { ", "RETURN 1 AS x", " } RETURN x"),
    ];
    let run = move || {
        let database = database(&["CREATE (:A)-[:T]->(:B)"]);
        for (before, open, inside, close) in nests {
            for depth in [10, 30, 60, 120, 128, 5_000] {
                let (open, close) = (open.repeat(depth), close.repeat(depth));
                let text = format!("{before}{open}{inside}{close}");
                let done = database
                    .query(&text, ())
                    .and_then(stratigraph::Rows::finish);
                if let Err(error) = done {
                    let said = error.to_string();
                    assert!(
                        said.contains("NestingTooDeep") && depth > 10,
                        "{before}{open}: {said}"
                    );
                }
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
    thread.unwrap().join().unwrap();
}

/// Each relationship of a pattern knows all before it: unbounded, one statement would take a core for minutes.
#[test]
fn a_pattern_has_a_limit() {
    let database = database(&[]);
    for (before, again, behind) in [
        ("MATCH (a)", "-->()", " RETURN a"),
        ("MATCH p = ANY (a)", "-->()", " RETURN p"),
        ("MATCH (a) (()", "-->()", "){1,2} RETURN a"),
        ("MATCH (a)", ", (a)-->(a)", " RETURN a"),
    ] {
        let ask = |times| {
            let text = format!("{before}{}{behind}", again.repeat(times));
            database.query(&text, ()).map(drop)
        };
        assert!(ask(1000).is_ok(), "{before}");
        let refused = ask(1001).unwrap_err().to_string();
        assert!(
            refused.contains("at most 1000 relationships") && refused.contains("hint: divide it"),
            "{refused}"
        );
        assert!(ask(100_000).is_err());
    }
}
