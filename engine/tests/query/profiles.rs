//! What `PROFILE` says of each operator.
//!
//! Next: `runs.rs`.

use super::database;
use stratigraph::{PlanOperator, QueryOptions, Summary};

fn profile(statements: &[&str], text: &str) -> Summary {
    let database = database(statements);
    let options = QueryOptions::new().batch_rows(2);
    let rows = database.query_with(text, (), &options).unwrap();
    rows.finish().unwrap()
}

/// The operators by their first words, with the rows that they gave.
fn rows_of(summary: &Summary) -> Vec<(String, Option<u64>)> {
    let word = |operator: &PlanOperator| {
        let word = operator.text().split(' ').next().unwrap_or_default();
        (word.to_owned(), operator.work().map(|work| work.rows))
    };
    summary.operators().iter().map(word).collect()
}

const GRAPH: &str = "UNWIND range(1, 5) AS n CREATE (:N {n: n})-[:T]->(:M {m: n})";

#[test]
fn each_operator_says_what_it_has_done() {
    let text = "PROFILE MATCH (n:N)-[:T]->(m) WHERE n.n > 2 RETURN m.m AS m ORDER BY m";
    let summary = profile(&[GRAPH], text);
    let found = rows_of(&summary);
    let expected = [
        ("NodesByLabel", 5),
        ("Filter", 3),
        ("Expand", 3),
        ("Compute", 3),
        ("Sort", 3),
    ];
    let expected: Vec<(String, Option<u64>)> = expected
        .map(|(word, rows)| (word.to_owned(), Some(rows)))
        .into();
    assert_eq!(found, expected);
    let works: Vec<_> = summary
        .operators()
        .iter()
        .map(|one| *one.work().unwrap())
        .collect();
    // The label's set is one look, each property one, the relationships of each node one.
    assert_eq!([works[0].seeks, works[0].batches], [1, 3]);
    assert_eq!([works[1].seeks, works[1].properties], [5, 5]);
    assert_eq!([works[2].seeks, works[2].properties], [3, 0]);
    assert_eq!(works[3].properties, 3);
    assert!(works[4].memory_bytes > 0, "a sort holds its rows");
    // A record has a key of 8 bytes and some more; a sort reads nothing.
    assert!(works[1].read_bytes > 5 * 8, "{:?}", works[1]);
    assert!(works[2].read_bytes > 0, "{:?}", works[2]);
    assert_eq!(works[4].read_bytes, 0);
    let plan = summary.plan().unwrap();
    let heads: Vec<&str> = plan.lines().next().unwrap().split_whitespace().collect();
    let wanted = "operator rows batches seeks properties bytes distances memory time";
    assert_eq!(heads.join(" "), wanted);
    assert_eq!(plan.lines().count(), 6);
}

#[test]
fn several_properties_of_one_entity_are_one_read_of_a_snapshot() {
    let (long, wide) = ("x".repeat(5000), "y".repeat(1000));
    let database = database(&[
        &format!(
            "UNWIND range(1, 3) AS i CREATE (:N {{a: i, b: 'b' + i, long: '{long}'}})-[:T {{a: -i, c: i}}]->(:M {{b: 0}})"
        ),
        // Records that are too long to be kept.
        &format!(
            "UNWIND range(1, 3) AS i MATCH (m:M) SET m.w1 = '{wide}1', m.w2 = '{wide}22', m.w3 = '{wide}', m.w4 = '{wide}', m.w5 = '{wide}'"
        ),
    ]);
    let text = "PROFILE MATCH (n:N)-[t:T]->(m) WITH n, t, m ORDER BY n.a
        RETURN n.a, n.b, n.c, size(n.long), t.a, t.c, t.b, m.a, m.b, size(m.w1), size(m.w2)";
    let read = |mut rows: stratigraph::Rows<'_>| {
        let shown = |row: stratigraph::Row| {
            let values = row.values().iter();
            values.map(ToString::to_string).collect::<Vec<_>>()
        };
        let values: Vec<_> = rows.by_ref().map(|row| shown(row.unwrap())).collect();
        let summary = rows.finish().unwrap();
        let compute = summary
            .operators()
            .iter()
            .rfind(|one| one.text().starts_with("Compute"));
        let work = *compute.unwrap().work().unwrap();
        (values, work.seeks, work.properties)
    };
    let (kept, seeks, properties) = read(database.query(text, ()).unwrap());
    assert_eq!(kept.len(), 3);
    let expected = [
        "1", "'b1'", "null", "5000", "-1", "1", "null", "null", "0", "1001", "1002",
    ];
    assert_eq!(kept[0], expected);
    // One of the node, one of the relationship, and four of the record that is not kept.
    assert_eq!((seeks, properties), (3 * 6, 3 * 11));
    // Whoever may write reads anew.
    let mut txn = database.write().unwrap();
    let (anew, seeks, properties) = read(txn.query(text, ()).unwrap());
    assert_eq!(format!("{anew:?}"), format!("{kept:?}"));
    assert_eq!((seeks, properties), (3 * 11, 3 * 11));
    for (change, b) in [
        ("MATCH (n:N {a: 1}) SET n.b = 'c'", "'c'"),
        ("MATCH (n:N {a: 1}) REMOVE n.b", "null"),
    ] {
        txn.query(&format!("{change} RETURN n.a"), ())
            .unwrap()
            .finish()
            .unwrap();
        let found = txn
            .query("MATCH (n:N {a: 1}) RETURN n.a, n.b", ())
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        assert_eq!(found.value(1).unwrap().to_string(), b);
    }
}

#[test]
fn bytes_are_those_of_the_store_however_the_query_runs() {
    let long = "x".repeat(10_000);
    // Two nodes, so that it begins with the label: whether a node has one is read in another way within a transaction.
    let database = database(&[&format!("CREATE (:N {{text: '{long}'}}), ()")]);
    let text = "PROFILE MATCH (n:N) RETURN size(n.text) AS s";
    let read = |summary: &Summary| {
        let works = summary.operators().iter().filter_map(PlanOperator::work);
        works.map(|work| work.read_bytes).sum::<u64>()
    };
    let alone = read(&database.query(text, ()).unwrap().finish().unwrap());
    assert!((10_000..11_000).contains(&alone), "{alone}");
    let snapshot = database.read().unwrap();
    for _ in 0..2 {
        let within = snapshot.query(text, ()).unwrap().finish().unwrap();
        assert_eq!(read(&within), alone);
    }
    let mut txn = database.write().unwrap();
    let within = txn.query(text, ()).unwrap().finish().unwrap();
    assert_eq!(read(&within), alone);
    // Portions go on counting.
    let text =
        "PROFILE MATCH (n:N) CALL (n) { SET n.size = size(n.text) } IN TRANSACTIONS OF 1 ROW";
    drop(txn);
    let portions = read(&database.query(text, ()).unwrap().finish().unwrap());
    assert!(portions >= alone, "{portions}");
}

#[test]
fn what_is_nested_counts_for_itself_and_subqueries_of_expressions_do_not() {
    let text = "PROFILE MATCH (n:N) CALL (n) { MATCH (n)-->(m) RETURN m.m AS m } RETURN m";
    let summary = profile(&[GRAPH], text);
    let apply = summary
        .operators()
        .iter()
        .find(|one| one.text() == "Subquery");
    assert_eq!(apply.unwrap().work().unwrap().seeks, 0);
    let expand = summary
        .operators()
        .iter()
        .find(|one| one.text().starts_with("Expand"));
    let expand = expand.unwrap();
    assert_eq!((expand.depth(), expand.work().unwrap().rows), (1, 5));

    let text = "PROFILE MATCH (n:N) RETURN COUNT { (n)-->() } AS c";
    let summary = profile(&[GRAPH], text);
    let compute = summary.operators().last().unwrap();
    assert_eq!(compute.work().unwrap().seeks, 5, "{:?}", summary.plan());
}

#[test]
fn changes_are_counted_too_and_explain_counts_nothing() {
    let summary = profile(&[GRAPH], "PROFILE MATCH (n:N) SET n.x = 1");
    let set = summary.operators().last().unwrap();
    assert_eq!((set.text(), set.work().unwrap().rows), ("Set", 5));
    let summary = profile(&[GRAPH], "EXPLAIN MATCH (n:N) SET n.x = 1");
    assert!(!summary.operators().is_empty());
    assert!(summary.operators().iter().all(|one| one.work().is_none()));
    assert!(
        profile(&[GRAPH], "MATCH (n) RETURN n")
            .operators()
            .is_empty()
    );
}
