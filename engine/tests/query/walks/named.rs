//! Counts of matches that somebody has thought of: what they come to, what they read, and what they may read.
//!
//! Next: `../main.rs`.

use super::super::database;
use super::{change, is_counted, sorted};
use stratigraph::{Database, Error, PlannerRule, QueryOptions, Rows};

/// Rows and seeks of the operators, by their first words.
fn works(database: &Database, text: &str, optimise: bool) -> Vec<(String, u64, u64)> {
    let options = QueryOptions::new().optimise(optimise);
    let rows = database.query_with(&format!("PROFILE {text}"), (), &options);
    let summary = rows.unwrap().finish().unwrap();
    let works = summary.operators().iter().map(|one| {
        let word = one.text().split(' ').next().unwrap_or_default();
        let work = one.work().unwrap();
        (word.to_owned(), work.rows, work.seeks)
    });
    works.collect()
}

/// 300 nodes with twenty relationships each.
fn hubs() -> Database {
    database(&[
        "CREATE INDEX n_k FOR (n:N) ON (n.k)",
        "UNWIND range(0, 299) AS k CREATE (:N {k: k, v: k % 7})",
        "MATCH (n:N) UNWIND range(1, 20) AS i MATCH (m:N {k: (n.k * 7 + i * i) % 300}) CREATE (n)-[:T {w: i % 3}]->(m)",
    ])
}

#[test]
fn a_count_makes_one_row_and_reads_each_node_once() {
    let database = hubs();
    let text = "MATCH (n:N {k: 3})-[:T]->()-[:T]->()-[:T]->(m:N) RETURN count(*) AS n";
    let works_of = |optimise| works(&database, text, optimise);
    let (found, rows) = (works_of(true), works_of(false));
    let made = |works: &[(String, u64, u64)]| works.iter().map(|one| one.1).sum::<u64>();
    let words: Vec<&str> = found.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(words, ["IndexSeek", "Walks", "Compute"]);
    assert!(made(&found) <= 3, "{found:?}");
    assert!(made(&rows) > 8_000, "{rows:?}");
    // The rows of twenty nodes beside the first, the degrees of at most 300, and nothing twice.
    assert!(found[1].2 <= 1 + 20 + 300, "{found:?}");
    let rows: u64 = rows.iter().map(|one| one.2).sum();
    assert!(rows > 8_000, "{rows}");
}

#[test]
fn a_whole_graph_is_read_once_for_each_commit() {
    let database = hubs();
    let text = "MATCH (a:N)-[:T]->(b)-[:T]->(c), (a)-[:T]->(c) RETURN count(*) AS n";
    let (first, second) = (works(&database, text, true), works(&database, text, true));
    assert_eq!(first[0].0, "Walks");
    assert_eq!(first[0].1, 1);
    assert!(second[0].2 <= 10, "it is kept: {second:?}");
    let count = |optimise| {
        let options = QueryOptions::new().optimise(optimise);
        sorted(database.query_with(text, (), &options))
    };
    let before = count(true);
    assert_eq!(before, count(false));
    change(&database, "MATCH (a:N {k: 5}) DETACH DELETE a");
    assert_eq!(count(true), count(false));
    assert_ne!(count(true), before);
}

/// How many relationships there are of a type, with labels that all of them have, is known.
#[test]
fn what_is_counted_already_is_not_counted() {
    let database = hubs();
    let text = "MATCH (:N)-[r:T]->(:N) RETURN count(r) AS n";
    assert!(works(&database, text, true)[0].2 < 10);
    let rows = sorted(database.query(text, ()));
    assert_eq!(
        rows,
        sorted(database.query_with(text, (), &QueryOptions::new().optimise(false)))
    );
    // One without the label, and it has to be looked at.
    change(&database, "MATCH (a:N {k: 5}) CREATE (a)-[:T]->(:Other)");
    assert_eq!(rows, sorted(database.query(text, ())));
    assert_ne!(
        rows,
        sorted(database.query("MATCH ()-[r:T]->() RETURN count(r) AS n", ()))
    );
}

/// The same with the rules and without: `(number of rows, the count)` is checked too, so that nothing is compared with
/// nothing.
fn agrees(database: &Database, text: &str, count: &str) {
    assert!(is_counted(database, text), "{text}");
    is_the_same(database, text, count);
}

fn is_the_same(database: &Database, text: &str, count: &str) {
    let plain = QueryOptions::new().optimise(false);
    let rows = sorted(database.query(text, ()));
    assert_eq!(
        rows,
        sorted(database.query_with(text, (), &plain)),
        "{text}"
    );
    assert_eq!(rows, [count], "{text}");
}

/// All that have a relationship may have a label, and what need not have it may not.
#[test]
fn a_label_is_asked_where_a_link_need_not_be_there() {
    let database = database(&[
        "CREATE (a:A), (b:B), (c:C), (c)-[:X]->(a), (c)-[:X]->(b), (a)-[:Y]->(b), (a)-[:Y]->(c)",
    ]);
    agrees(
        &database,
        "MATCH (c)-[:X]->(a:A) OPTIONAL MATCH (a)-[:Y]->(z) RETURN count(*) AS n",
        "2",
    );
    agrees(
        &database,
        "MATCH (c)-[:X]->(b) OPTIONAL MATCH (b)-[:Y]->(z) RETURN count(*) AS n",
        "3",
    );
}

/// What must not be there may be written from either end.
#[test]
fn what_is_not_there_is_seen_from_either_end() {
    let database = database(&[
        "CREATE (a:A)-[:X]->(b:B), (a)-[:Y]->(b), (a)-[:X]->(c:B), (c)-[:Y]->(a), (a)-[:X]->(:B)",
    ]);
    for (condition, count) in [
        ("NOT (a)-[:Y]->(b)", "2"),
        ("NOT (b)<-[:Y]-(a)", "2"),
        ("NOT (b)-[:Y]->(a)", "2"),
        ("NOT (a)-[:Y]-(b)", "1"),
        ("NOT EXISTS { (b)-[:Y]->(a) } AND NOT (b)<-[:Y]-(a)", "1"),
        ("NOT (b)-[:X]->(a)", "3"),
    ] {
        let text = format!("MATCH (a:A)-[:X]->(b:B) WHERE {condition} RETURN count(*) AS n");
        agrees(&database, &text, count);
    }
}

/// Whether values are equal is not always a matter of classes.
#[test]
fn what_differs_is_what_is_not_equal() {
    for (values, count) in [
        ("[1, 2, 2, 1.0]", "8"),
        ("[1, 'x', null, 'x']", "4"),
        ("[0.0 / 0.0, 0.0 / 0.0, 1, 1]", "10"),
        ("[[1, 2], [1, 2], [2], 1]", "10"),
        ("[[0.0 / 0.0], [0.0 / 0.0], 1, 1]", "10"),
    ] {
        let database = database(&[&format!(
            "CREATE (m:M) WITH m UNWIND {values} AS v CREATE (m)-[:X]->(:N {{v: v}})"
        )]);
        // Of four values, in twelve pairs.
        let text = "MATCH (a)<-[:X]-(m:M)-[:X]->(b) WHERE a.v <> b.v RETURN count(*) AS n";
        agrees(&database, text, count);
    }
}

/// A figure may be turned more than once, each time along other relationships.
#[test]
fn a_figure_is_turned_along_several_types() {
    let text = "CREATE (a:A)-[:X]->(b:B)-[:X]->(c:C), (b)-[:Y]->(d:D)-[:Y]->(e:E), (b)-[:Z]->(e)";
    for (pattern, count) in [
        ("(a:A)-[:X]->(b)-[:X]->(c), (b)-[:Y]->(d)-[:Y]->(e)", "1"),
        ("(b)-[:Y]->(d)-[:Y]->(e), (a)-[:X]->(b)-[:X]->(c)", "1"),
        ("(a:A)-[:X]->(b)-[:X]->(c), (b)-[:Z]->(d)-[:Y]->(e)", "0"),
        (
            "(a:A)-[:X]->(b)-[:X]->(c), (b)-[:Y]->(d)-[:Y]->(e), (b)-[:Z]->(f)",
            "1",
        ),
    ] {
        // Anew each time: what was built for another query must not help.
        let database = database(&[text]);
        let text = format!("MATCH {pattern} RETURN count(*) AS n");
        agrees(&database, &text, count);
    }
}

/// Where only the lengths of rows were read, nobody knows where they lead.
#[test]
fn lengths_of_rows_are_not_taken_for_rows() {
    let others = "UNWIND range(1, 40) AS i CREATE (:O {k: i})-[:X]->(:O)";
    let database = database(&[
        others,
        "CREATE (a:A)-[:Y]->(d), (a)-[:X]->(d)",
        "CREATE (a:B)-[:Y]->(:D), (a)-[:X]->(:D)",
    ]);
    for (label, count) in [("A", "0"), ("B", "1")] {
        let text = format!(
            "MATCH (a:{label})-[:Y]->(d) WHERE NOT (a)-[:X]->(d) MATCH (a)-[:X]->(c) RETURN count(*) AS n"
        );
        agrees(&database, &text, count);
    }
}

/// What need not be there is asked about where something else need not be there.
#[test]
fn what_need_not_be_there_may_depend_on_what_is_not() {
    let database = database(&["CREATE (a:A)-[:X]->(b:B), (a)-[:Y]->(), (a)-[:Y]->()"]);
    for (condition, count) in [
        ("x IS NOT NULL", "1"),
        ("a IS NOT NULL", "2"),
        ("b IS NOT NULL", "2"),
    ] {
        let text = format!(
            "MATCH (a)-[:X]->(b) OPTIONAL MATCH (b)-[:Z]->(x) OPTIONAL MATCH (a)-[:Y]->(d) WHERE {condition} RETURN count(*) AS n"
        );
        is_the_same(&database, &text, count);
    }
}

/// A name that is computed may be none: it is asked of those alone that are matched.
#[test]
fn labels_that_are_computed_are_asked_of_matches() {
    let database = database(&["CREATE (:A), (:B)"]);
    let rows = database.query_with(
        "MATCH (a:A)-[:X]->(b:$($x)) RETURN count(*) AS n",
        [("x", 5)],
        &QueryOptions::new(),
    );
    let rows: Vec<i64> = rows
        .unwrap()
        .map(|row| row.unwrap().get("n").unwrap())
        .collect();
    assert_eq!(rows, [0]);
}

/// What is found from a node is asked of a node that may be met often, and that may be the first, the last, or between.
#[test]
fn what_hangs_on_a_node_is_one_or_nothing() {
    let database = database(&[
        "CREATE (a:A), (b:B), (c:C), (d:D {v: 1}), (a)-[:X]->(b), (a)-[:X]->(b), (a)-[:X]->(c), (c)-[:X]->(c)",
        "MATCH (b:B), (c:C), (d:D) CREATE (b)-[:Y]->(d), (b)-[:Y]->(d), (c)-[:Y]->(b)-[:Z]->(b), (d)-[:Y]->(c)",
    ]);
    for (condition, count) in [
        // Twice to b, once to c, and c to itself.
        ("EXISTS { (m)-[:Y]->() }", "4"),
        ("EXISTS { (m)-[:Y|Y]->(:D) }", "2"),
        ("NOT EXISTS { (m)-[:Y]->(:D) }", "2"),
        ("EXISTS { (m)-[:Y]->(e) WHERE e.v = 1 }", "2"),
        ("EXISTS { (n)-[:Y]->() }", "1"),
        ("NOT (n)-[:Y]->()", "3"),
        ("COUNT { (m)-[:Y]->() } = 2", "2"),
        ("COUNT { (m)-[:Y]->() } = 1", "2"),
        ("COUNT { (n)-[:X]->() } < 3", "1"),
        (
            "COUNT { (m)-[:Y]->() } > 1 AND 1 < COUNT { (n)-[:X]->() }",
            "2",
        ),
        ("COUNT { (m)-[:Y]-() } >= 3", "2"),
        // A loop is one relationship, whichever way it is met.
        ("COUNT { (m)-[:X]-() } = 2", "4"),
        ("COUNT { (m)-[:Z]-() } = 1", "2"),
        ("COUNT { (m)-[:Y]->() } < 0", "0"),
        ("COUNT { (m)-[:Y]->() } > -1", "4"),
        ("NOT EXISTS { (m)-[:None]->() }", "4"),
        ("EXISTS { (m)-[:Y]->()-[:Z]->() }", "2"),
        ("COUNT { (m)<-[:X]-()-[:Y]->() } < 1", "2"),
        // Of a relationship and the same one again there is no chain.
        ("EXISTS { (m)-[:X]->()-[:X]->() }", "0"),
    ] {
        let text = format!("MATCH (n)-[:X]->(m) WHERE {condition} RETURN count(*) AS n");
        is_the_same(&database, &text, count);
    }
    for condition in ["EXISTS { (m)-[:Y]->(:D) }", "COUNT { (n)-[:X]->() } > 2"] {
        for wanted in [
            "m.v AS v, count(*)",
            "count(DISTINCT n)",
            "count(DISTINCT m)",
        ] {
            let text = format!("MATCH (n)-[:X]->(m) WHERE {condition} RETURN {wanted} AS n");
            assert!(is_counted(&database, &text), "{text}");
            let plain = QueryOptions::new().optimise(false);
            let rows = sorted(database.query(&text, ()));
            assert_eq!(
                rows,
                sorted(database.query_with(&text, (), &plain)),
                "{text}"
            );
        }
    }
}

/// Of what is null nothing is found: a condition on it is not one on places.
#[test]
fn what_hangs_on_what_is_not_there_is_not_counted() {
    let database = database(&["CREATE (:A)-[:X]->(:B)-[:Y]->(:C), (:A)-[:X]->(:D)"]);
    for (condition, count) in [
        ("NOT EXISTS { (c)-[:Z]->() }", "2"),
        ("COUNT { (c)-[:Z]->() } = 0", "2"),
        ("EXISTS { (c)<-[:Y]-() }", "1"),
        ("NOT EXISTS { (c)<-[:Y]-() }", "1"),
    ] {
        let text = format!(
            "MATCH (a:A)-[:X]->(b) OPTIONAL MATCH (b)-[:Y]->(c) WITH a, b, c WHERE {condition} RETURN count(*) AS n"
        );
        is_the_same(&database, &text, count);
        let text = format!(
            "MATCH (a:A)-[:X]->(b) OPTIONAL MATCH (b)-[:Y]->(c) WHERE {condition} RETURN count(*) AS n"
        );
        is_the_same(&database, &text, "2");
    }
}

/// Each node that is met is asked once, and only for the length of its row.
#[test]
fn what_hangs_on_a_node_is_read_once_for_each_node() {
    let database = hubs();
    for text in [
        "MATCH (n:N {k: 3})-[:T]->()-[:T]->(m) WHERE EXISTS { (m)<-[:T]-() } RETURN count(*) AS n",
        "MATCH (n:N {k: 3})-[:T]->()-[:T]->(m) WHERE COUNT { (m)<-[:T]-() } > 3 RETURN count(*) AS n",
        "MATCH (n:N {k: 3})-[:T]->()-[:T]->(m) WHERE NOT EXISTS { (m)<-[:T]-() } RETURN count(*) AS n",
    ] {
        let found = works(&database, text, true);
        let words: Vec<&str> = found.iter().map(|one| one.0.as_str()).collect();
        assert_eq!(words, ["IndexSeek", "Walks", "Compute"], "{text}");
        // One start, twenty rows, and the lengths of at most 300.
        assert!(found[1].2 <= 1 + 20 + 300, "{text}: {found:?}");
        assert!(found.iter().map(|one| one.1).sum::<u64>() <= 3, "{found:?}");
        let rows = works(&database, text, false);
        assert!(rows.iter().map(|one| one.2).sum::<u64>() > 400, "{rows:?}");
        let plain = QueryOptions::new().optimise(false);
        assert_eq!(
            sorted(database.query(text, ())),
            sorted(database.query_with(text, (), &plain))
        );
    }
    // Over the whole graph no node is asked by itself once the rows are there.
    let text = "MATCH (n:N)-[:T]->(m) WHERE EXISTS { (m)-[:T]->() } AND NOT EXISTS { (n)<-[:T]-(:Other) } RETURN count(*) AS n";
    works(&database, text, true);
    let again = works(&database, text, true);
    assert_eq!(again[0].0, "Walks", "{again:?}");
    assert!(again[0].2 <= 10, "{again:?}");
}

/// A number is added as often as its node is met. What depends on the order of rows, or fails, is left to them.
#[test]
fn sums_and_extremes_are_those_of_the_rows() {
    let whole = i64::MAX;
    for (values, wanted, expected) in [
        (
            "[1, 2, null, 4]",
            "sum(b.v), avg(b.v), count(b.v), min(b.v), max(b.v)",
            "[21 | 3.0 | 7 | 1 | 4]",
        ),
        (
            "[null, null]",
            "sum(b.v), avg(b.v), count(b.v), min(b.v), max(b.v)",
            "[0 | null | 0 | null | null]",
        ),
        ("[]", "sum(b.v), avg(b.v), max(b.v)", "[0 | null | null]"),
        ("['b', 'a', 3, true]", "min(b.v), max(b.v)", "['a' | 3]"),
        (
            "[0.5, 0.25]",
            "sum(b.v), avg(b.v)",
            "[1.0 | 0.3333333333333333]",
        ),
        ("[1, 2.5]", "sum(b.v), max(b.v)", "[6.0 | 2.5]"),
        (
            &format!("[{whole}, -{whole}]"),
            "sum(b.v)",
            &format!("[-{whole}]"),
        ),
        (&format!("[{whole}]"), "sum(b.v)", &format!("[{whole}]")),
        (&format!("[0, {whole}]"), "sum(b.v)", "IntegerOverflow"),
        ("[1, 'x']", "sum(b.v)", "InvalidArgument"),
    ] {
        // The first is met once, the second twice, and so on.
        let database = database(&[
            "CREATE (:A)",
            &format!(
                "MATCH (a:A) UNWIND range(1, size({values})) AS i CREATE (a)-[:X]->(:B {{i: i, v: {values}[i - 1]}})"
            ),
            "MATCH (a:A), (b:B) UNWIND range(2, b.i) AS i CREATE (a)-[:X]->(b)",
        ]);
        let text = format!("MATCH (a:A)-[:X]->(b:B) RETURN {wanted}");
        assert!(is_counted(&database, &text), "{text}");
        for options in [QueryOptions::new(), QueryOptions::new().optimise(false)] {
            let rows = database.query_with(&text, (), &options);
            let rows: Result<Vec<String>, Error> = rows.and_then(|rows| {
                let rows = rows.map(|row| {
                    row.map(|row| {
                        let values = row.values().iter().map(ToString::to_string);
                        values.collect::<Vec<_>>().join(" | ")
                    })
                });
                rows.collect()
            });
            let found = match rows {
                Ok(rows) => format!("[{}]", rows.join(", ")),
                Err(error) => error.to_string(),
            };
            assert!(found.contains(expected), "{values}, {wanted}: {found}");
        }
    }
}

/// A property is read once for each node, however often that is met.
#[test]
fn a_sum_reads_each_node_once() {
    let database = hubs();
    let text = "MATCH (n:N {k: 3})-[:T]->()-[:T]->(m) RETURN sum(m.v) AS n";
    let found = works(&database, text, true);
    let words: Vec<&str> = found.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(words, ["IndexSeek", "Walks", "Compute"]);
    assert!(found[1].1 == 1 && found[1].2 <= 1 + 20 + 300, "{found:?}");
    let plain = QueryOptions::new().without_rule(PlannerRule::SumOverCounts);
    assert_eq!(
        sorted(database.query(text, ())),
        sorted(database.query_with(text, (), &plain))
    );
}

/// What is read around a start counts, and ends a query that may do no more.
#[test]
fn a_count_has_its_limits() {
    let database = hubs();
    for text in [
        "MATCH (n:N {k: 3})-[:T]->()-[:T]->()-[:T]->(m) RETURN count(DISTINCT m) AS n",
        "MATCH (a:N)-[:T]->()-[:T]->()-[:T]->()-[:T]->(m) RETURN count(*) AS n",
    ] {
        let options = QueryOptions::new().max_steps(500);
        let error = database.query_with(text, (), &options);
        let error = error.and_then(Rows::finish).err().unwrap().to_string();
        assert!(error.contains("StepLimit"), "{text}: {error}");
    }
}

/// The length of a row is one thing to read, however long it is.
#[test]
fn what_only_hangs_there_is_one_step() {
    let database = database(&[
        "CREATE (s:S)-[:T]->(h:H) WITH h UNWIND range(1, 3000) AS i CREATE (h)-[:F]->(:P)",
    ]);
    let text = "MATCH (s:S)-[:T]->(h) WHERE EXISTS { (h)-[:F]->() } RETURN count(*) AS n";
    assert!(is_counted(&database, text));
    let options = QueryOptions::new().max_steps(1000);
    let rows = sorted(database.query_with(text, (), &options));
    assert_eq!(rows, sorted(database.query("RETURN 1 AS n", ())));
}

/// Relationships that no way has from the first node are not asked about, if asking may fail.
#[test]
fn a_way_is_looked_for_from_both_ends_where_that_is_harmless() {
    let database = database(&[
        "CREATE (a:A)-[:X {w: 1}]->(:M)-[:X {w: 1}]->(b:B), (a)-[:X {w: 1}]->(:M), (a)-[:X {w: 1}]->(:M), (:Z)-[:X {w: 0}]->(b)",
    ]);
    for (condition, from_both) in [("1 / r.w > 0", false), ("r.w > 0", true)] {
        let text = format!(
            "MATCH (a:A), (b:B) MATCH p = ANY SHORTEST (a)-[r:X WHERE {condition}]->+(b) RETURN length(p) AS n"
        );
        let rows = sorted(database.query(&text, ()));
        assert_eq!(rows, sorted(database.query("RETURN 2 AS n", ())), "{text}");
        let plan = database.query(&format!("EXPLAIN {text}"), ());
        let plan = plan.unwrap().summary().plan().unwrap().to_string();
        assert_eq!(plan.contains("from both ends"), from_both, "{plan}");
    }
}
