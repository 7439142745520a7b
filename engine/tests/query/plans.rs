//! Which plans are made, as `EXPLAIN` shows them, and when they are made anew.
//!
//! Next: `profiles.rs`.

use super::{database, one};
use stratigraph::{Database, Procedure, ProcedureType, Value};

fn plan(database: &Database, text: &str) -> String {
    let rows = database.query(&format!("EXPLAIN {text}"), ()).unwrap();
    let plan = rows.summary().plan().map(str::to_string);
    plan.unwrap()
}

/// Whether rows are gathered before they go on, where a clause could see what another one writes.
#[test]
fn rows_wait_where_a_write_could_be_seen() {
    let database = database(&["CREATE (:A {n: 1})-[:T]->(:B)"]);
    for (text, waits) in [
        ("MATCH (a) RETURN a", false),
        ("MATCH (a)-->(b) WITH a MATCH (a)-->(c) RETURN c", false),
        ("MATCH (a) CREATE (b)", true),
        ("MATCH (a) CREATE (a)-[:T]->(b) RETURN b", true),
        ("MATCH (a) SET a.n = 2", true),
        ("MATCH (a) REMOVE a.n", true),
        ("MATCH (a) MERGE (b {n: a.n})", true),
        ("MATCH (a) FOREACH (x IN [1] | CREATE (b))", true),
        ("CREATE (a) RETURN a", true),
        ("CREATE (a) WITH a MATCH (b) RETURN b", true),
        ("CREATE (a) CREATE (b)", false),
        ("UNWIND [1, 2] AS x CREATE (a {n: x})", false),
        (
            "UNWIND [1, 2] AS x CREATE (a {n: x}) WITH a LIMIT 1 RETURN a",
            true,
        ),
        // Rows of groups have waited already.
        ("MATCH (a) WITH count(a) AS c CREATE (b {n: c})", false),
        ("MATCH (a) CALL (a) { CREATE (b) RETURN b } RETURN b", true),
        ("CALL { CREATE (b) RETURN b } MATCH (c) RETURN c", true),
    ] {
        let plan = plan(&database, text);
        assert_eq!(plan.contains("Eager"), waits, "{text}\n{plan}");
    }
}

#[test]
fn the_start_is_where_least_is() {
    let database = database(&[
        "UNWIND range(1, 50) AS n CREATE (:Many {n: n})",
        "CREATE (:Few {n: 1})",
        "CREATE INDEX many_n FOR (m:Many) ON (m.n)",
    ]);
    for (text, has, has_not) in [
        (
            "MATCH (a:Many)-->(b:Few) RETURN a",
            "NodesByLabel (b:Few)",
            "AllNodes",
        ),
        (
            "MATCH (a)-->(b:Few) RETURN a",
            "NodesByLabel (b:Few)",
            "AllNodes",
        ),
        (
            "MATCH (a:Many {n: 7}) RETURN a",
            "IndexSeek (a) many_n = 7",
            "NodesByLabel",
        ),
        (
            "MATCH (a:Many) WHERE a.n IN [1, 2] RETURN a",
            "IndexSeek (a) many_n IN [1, 2]",
            "NodesByLabel",
        ),
        (
            "MATCH (a:Many) WHERE a.n > 3 RETURN a",
            "IndexSeek (a) many_n > 3",
            "NodesByLabel",
        ),
        (
            "MATCH (a) WHERE id(a) = 3 RETURN a",
            "NodeById (a) 3",
            "AllNodes",
        ),
        (
            "MATCH (a:Many) RETURN a ORDER BY a.n LIMIT 3",
            "Top 3 BY a.n",
            "Sort",
        ),
    ] {
        let plan = plan(&database, text);
        assert!(plan.contains(has), "{text}: no {has}\n{plan}");
        assert!(!plan.contains(has_not), "{text}: {has_not}\n{plan}");
    }
}

/// A plan that was kept must not outlive what it was made with.
#[test]
fn plans_are_made_anew_when_declarations_change() {
    let database = database(&["UNWIND range(1, 20) AS n CREATE (:P {n: n})"]);
    let text = "MATCH (p:P {n: 7}) RETURN count(p)";
    assert_eq!(one(&database, text), 1);
    assert!(!plan(&database, text).contains("IndexSeek"));
    let index = "CREATE INDEX p_n FOR (p:P) ON (p.n)";
    database.query(index, ()).unwrap().finish().unwrap();
    assert!(plan(&database, text).contains("IndexSeek (p) p_n"));
    assert_eq!(one(&database, text), 1);
    database
        .query("DROP INDEX p_n", ())
        .unwrap()
        .finish()
        .unwrap();
    assert!(!plan(&database, text).contains("IndexSeek"));
    assert_eq!(one(&database, text), 1);
}

#[test]
fn a_procedure_that_comes_later_is_found() {
    let database = database(&[]);
    let text = "CALL my.seven() YIELD n RETURN n";
    let error = database.query(text, ()).err().unwrap().to_string();
    assert!(error.contains("ProcedureNotFound"), "{error}");
    let seven = Procedure::new("my.seven")
        .yields("n", ProcedureType::INTEGER)
        .run(|_| Ok(vec![vec![Value::from(7)]]));
    database.register(seven).unwrap();
    assert_eq!(one(&database, text), 7);
}

/// Results may not depend on what the optimiser does, nor on the text's being known already.
#[test]
fn the_same_text_twice_gives_the_same() {
    let database = database(&["CREATE (:A {n: 1}), (:A {n: 2})"]);
    for _ in 0..2 {
        assert_eq!(one(&database, "MATCH (a:A) RETURN sum(a.n)"), 3);
        database
            .query("CREATE (:A {n: 0})", ())
            .unwrap()
            .finish()
            .unwrap();
    }
    assert_eq!(one(&database, "MATCH (a:A) RETURN count(a)"), 4);
}
