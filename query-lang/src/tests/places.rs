//! Where the parts of a tree stand in the text, and what may stand at a place.

use crate::Completion::{self, *};
use crate::ast::{Body, Clause, Projection};
use crate::{complete, parse};

fn returned(text: &str) -> Projection {
    let statement = parse(text).unwrap();
    let Body::Query(query) = statement.body else {
        panic!("{text} is a query");
    };
    match query.parts[0].clauses.last() {
        Some(Clause::Return(projection)) => projection.clone(),
        other => panic!("{text} returns nothing: {other:?}"),
    }
}

#[test]
fn a_column_is_called_as_it_is_written() {
    for (text, name) in [
        ("RETURN  1+ 2 ", "1+ 2"),
        ("RETURN (n:Foo)", "(n:Foo)"),
        ("RETURN (list[1]).missing, 2", "(list[1]).missing"),
        ("RETURN count( * ) AS c", "count( * )"),
        ("RETURN - ( 1 )", "- ( 1 )"),
        ("RETURN ((1)) ORDER BY 1", "((1))"),
        ("RETURN 'é' + é", "'é' + é"),
        ("RETURN NOT a AND b", "NOT a AND b"),
        ("RETURN (a)-->(b)", "(a)-->(b)"),
        ("RETURN n { .a }.a", "n { .a }.a"),
    ] {
        assert_eq!(returned(text).items[0].expression.span.of(text), name);
    }
}

#[test]
fn positions_count_lines_and_characters() {
    let text = "MATCH (n)\nWHERE é 5";
    let mistake = parse(text).unwrap_err();
    let position = mistake.span.position(text);
    assert_eq!(
        (position.line, position.column, position.offset),
        (2, 9, 19)
    );
}

#[test]
fn completion_knows_what_may_stand_there() {
    let cases: &[(&str, &[Completion], &[Completion])] = &[
        (
            "",
            &[Keyword("MATCH"), Keyword("CREATE"), Keyword("EXPLAIN")],
            &[Label],
        ),
        ("MATCH (n:", &[Label], &[Property, Keyword("MATCH")]),
        ("MATCH (n:Per", &[Label], &[Property]),
        ("MATCH ()-[r:", &[Type], &[Label]),
        ("MATCH (n) WHERE n.", &[Property], &[Variable]),
        ("MATCH (n {", &[Property], &[Variable]),
        (
            "MATCH (n) ",
            &[Keyword("WHERE"), Keyword("RETURN")],
            &[Keyword("EXPLAIN")],
        ),
        ("MATCH (n) RET", &[Keyword("RETURN")], &[Keyword("WHERE")]),
        ("MATCH (n) ret", &[Keyword("RETURN")], &[]),
        (
            "MATCH (n) RETURN ",
            &[Variable, Function, Keyword("DISTINCT"), Keyword("CASE")],
            &[Label],
        ),
        (
            "MATCH (n) RETURN n ",
            &[
                Keyword("ORDER"),
                Keyword("LIMIT"),
                Keyword("AS"),
                Keyword("AND"),
            ],
            &[],
        ),
        ("MATCH (n) RETURN n ORDER ", &[Keyword("BY")], &[Variable]),
        ("CALL ", &[Procedure], &[Variable]),
        ("CALL db.", &[Procedure], &[Property]),
        ("RETURN $", &[Parameter], &[Variable]),
        ("RETURN $na", &[Parameter], &[Variable]),
        ("RETURN 1; MATCH (n:", &[Label], &[]),
        ("RETURN 'abc ", &[], &[Variable]),
        ("RETURN 1 // abc ", &[], &[Variable]),
        ("SET n:", &[Label], &[]),
        (
            "DROP ",
            &[
                Keyword("INDEX"),
                Keyword("CONSTRAINT"),
                Keyword("HIERARCHY"),
            ],
            &[],
        ),
        (
            "CREATE ",
            &[
                Keyword("VECTOR"),
                Keyword("FULLTEXT"),
                Keyword("INDEX"),
                Keyword("HIERARCHY"),
            ],
            &[Keyword("MATCH")],
        ),
        ("CREATE VECTOR ", &[Keyword("INDEX")], &[]),
        ("CREATE FULLTEXT INDEX FOR (n:", &[Label], &[]),
        (
            "CREATE FULLTEXT INDEX FOR (n:A) ON ",
            &[Keyword("EACH")],
            &[],
        ),
        ("CREATE VECTOR INDEX FOR ()-[r:", &[Type], &[]),
        ("CREATE VECTOR INDEX FOR (n) ON n.", &[Property], &[]),
        (
            "CREATE VECTOR INDEX FOR (n) ON n.a ",
            &[Keyword("WITH"), Keyword("OPTIONS")],
            &[],
        ),
        ("CREATE HIERARCHY h FOR ()-[:", &[Type], &[]),
        ("MATCH (n) CREATE ", &[], &[Keyword("VECTOR")]),
        (
            "OPTIONAL ",
            &[Keyword("MATCH"), Keyword("CALL"), Keyword("TRAVERSE")],
            &[],
        ),
        ("MATCH (n) S", &[Keyword("SEARCH")], &[]),
        ("MATCH (n) WHERE n.x ", &[Keyword("SEARCH")], &[]),
        ("MATCH (n) SEARCH ", &[Variable], &[]),
        (
            "MATCH (n) SEARCH n IN (",
            &[Keyword("VECTOR"), Keyword("FULLTEXT")],
            &[],
        ),
        (
            "MATCH (n) SEARCH n IN (VECTOR INDEX i FOR $q LIMIT 5 ",
            &[Keyword("EXACT")],
            &[],
        ),
        (
            "MATCH (n) SEARCH n IN (VECTOR INDEX i FOR $q LIMIT 5) ",
            &[Keyword("SCORE"), Keyword("WHERE"), Keyword("RETURN")],
            &[Keyword("SEARCH")],
        ),
        ("TRAVERSE ", &[Keyword("FROM")], &[]),
        ("TRAVERSE FROM ", &[Variable, Parameter], &[]),
        (
            "TRAVERSE FROM a ",
            &[Keyword("UNFILTERED"), Keyword("STEP")],
            &[],
        ),
        ("TRAVERSE FROM (a:", &[Label], &[Type]),
        ("TRAVERSE FROM a STEP (a)-[:", &[Type], &[Label]),
        (
            "TRAVERSE FROM a STEP (a)-->(b) EMIT KEPT ",
            &[
                Keyword("LEVELS"),
                Keyword("SCORE"),
                Keyword("KEEP"),
                Keyword("RECOVER"),
                Keyword("BUDGET"),
                Keyword("YIELD"),
            ],
            &[Keyword("EMIT")],
        ),
        (
            "TRAVERSE FROM a STEP (a)-->(b) KEEP ",
            &[Keyword("TOP"), Keyword("WHERE")],
            &[],
        ),
        (
            "TRAVERSE FROM a STEP (a)-->(b) KEEP TOP 3 ",
            &[Keyword("PER"), Keyword("WHERE")],
            &[],
        ),
        (
            "TRAVERSE FROM a STEP (a)-->(b) BUDGET 3 ",
            &[Keyword("NODES"), Keyword("EDGES"), Keyword("MILLISECONDS")],
            &[],
        ),
        ("SHOW ", &[Keyword("INDEXES"), Keyword("VECTOR")], &[]),
    ];
    for (text, there, not_there) in cases {
        let completions = complete(text, text.len());
        for wanted in *there {
            assert!(
                completions.contains(wanted),
                "{text}: {wanted:?} is not among {completions:?}"
            );
        }
        for unwanted in *not_there {
            assert!(
                !completions.contains(unwanted),
                "{text}: {unwanted:?} is among {completions:?}"
            );
        }
    }
    // Anywhere in anything, also inside a character.
    let text = "MATCH (é:A) WHERE é.x = '😀' RETURN $p";
    for offset in 0..text.len() + 3 {
        let _ = complete(text, offset);
    }
}
