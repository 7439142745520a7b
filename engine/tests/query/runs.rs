//! What bounds a run, and what is left of one that fails.
//!
//! Next: `main.rs`.

use super::{database, one};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use stratigraph::clock::Clock;
use stratigraph::{Database, Error, Parameters, Procedure, ProcedureType, QueryOptions, Value};

const NODES: &str = "MATCH (n) RETURN count(n)";

fn detail(error: &Error) -> String {
    match error {
        Error::Query(error) => error.detail().name().to_string(),
        other => other.to_string(),
    }
}

/// Runs a statement to its end.
fn fails(database: &Database, text: &str, options: &QueryOptions) -> String {
    fails_with(database, text, (), options)
}

fn fails_with(
    database: &Database,
    text: &str,
    parameters: impl Into<Parameters>,
    options: &QueryOptions,
) -> String {
    let done = database
        .query_with(text, parameters, options)
        .and_then(stratigraph::Rows::finish);
    done.err()
        .map_or_else(|| "nothing".into(), |error| detail(&error))
}

#[test]
fn a_statement_that_fails_changes_nothing_and_the_transaction_goes_on() {
    let database = database(&[]);
    let mut transaction = database.write().unwrap();
    transaction
        .query("CREATE (:Kept {n: 1})", ())
        .unwrap()
        .finish()
        .unwrap();
    for text in [
        "UNWIND [1, 0] AS x CREATE (:Lost {n: 1 / x})",
        "MATCH (k:Kept) SET k.n = 2 WITH k CREATE (:Lost {n: 1 / 0})",
        "MATCH (k:Kept) DELETE k CREATE (:Lost {n: {a: 1}})",
    ] {
        let failed = transaction
            .query(text, ())
            .and_then(stratigraph::Rows::finish);
        assert!(failed.is_err(), "{text}");
    }
    transaction
        .query("CREATE (:Kept {n: 10})", ())
        .unwrap()
        .finish()
        .unwrap();
    transaction.commit().unwrap();
    assert_eq!(one(&database, "MATCH (k:Kept) RETURN sum(k.n)"), 11);
    assert_eq!(one(&database, NODES), 2);
}

#[test]
fn a_statement_on_its_own_is_undone_as_a_whole() {
    let database = database(&["CREATE (:A)"]);
    let options = QueryOptions::new();
    let text = "UNWIND [2, 1, 0] AS x CREATE (:B {n: 1 / x}) RETURN x";
    assert_eq!(fails(&database, text, &options), "DivisionByZero");
    assert_eq!(one(&database, NODES), 1);
}

#[test]
fn a_read_transaction_refuses_to_write() {
    let database = database(&["CREATE (:A)"]);
    let transaction = database.read().unwrap();
    for text in [
        "CREATE (:B)",
        "MATCH (a) SET a.n = 1",
        "MERGE (:C)",
        "MATCH (a) DELETE a",
    ] {
        let refused = transaction
            .query(text, ())
            .and_then(stratigraph::Rows::finish);
        assert!(refused.is_err(), "{text}");
    }
    drop(transaction);
    assert_eq!(one(&database, NODES), 1);
}

/// Whoever stops reading early has still written everything.
#[test]
fn rows_that_nobody_reads_were_written_all_the_same() {
    let database = database(&[]);
    let mut rows = database
        .query("UNWIND range(1, 500) AS n CREATE (a {n: n}) RETURN a", ())
        .unwrap();
    assert!(rows.next().is_some());
    drop(rows);
    assert_eq!(one(&database, NODES), 500);
    for text in [
        "CREATE (a) RETURN a LIMIT 0",
        "CREATE (a) RETURN a ORDER BY a.n LIMIT 0",
    ] {
        database.query(text, ()).unwrap().finish().unwrap();
    }
    assert_eq!(one(&database, NODES), 502);
}

#[test]
fn rows_may_be_dropped_half_way_and_the_database_closed() {
    let database = database(&["UNWIND range(1, 5000) AS n CREATE ({n: n})"]);
    let mut rows = database.query("MATCH (a), (b) RETURN a, b", ()).unwrap();
    assert!(rows.next().unwrap().is_ok());
    drop(rows);
    database
        .query("CREATE (:Later)", ())
        .unwrap()
        .finish()
        .unwrap();
    database.close().unwrap();
}

/// Each look at the clock takes a second.
#[derive(Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[test]
fn a_query_stops_when_its_time_is_over() {
    let database = database(&["UNWIND range(1, 300) AS n CREATE ({n: n})"]);
    for text in [
        "MATCH (a), (b), (c) RETURN count(*)",
        "UNWIND range(1, 1000000) AS x RETURN count(x)",
        "RETURN size([x IN range(1, 1000000) | x])",
        "RETURN reduce(s = 0, x IN range(1, 1000000) | s + x)",
        "MATCH (a) RETURN count(COUNT { MATCH (b), (c) })",
        "RETURN size([x IN range(1, 100) | size(range(1, 10000))])",
        "WITH range(1, 10000) AS list RETURN [x IN range(1, 100) WHERE 0.5 IN list]",
    ] {
        let options = QueryOptions::new()
            .timeout(Duration::from_secs(20))
            .clock(Arc::new(Ticking::default()));
        assert_eq!(fails(&database, text, &options), "TimeLimit", "{text}");
    }
}

#[test]
fn a_query_that_is_cancelled_stops() {
    let database = database(&["UNWIND range(1, 300) AS n CREATE ({n: n})"]);
    let token = stratigraph::storage::cancel::CancelToken::new();
    token.cancel();
    let options = QueryOptions::new().cancel(token);
    let text = "MATCH (a), (b), (c) RETURN count(*)";
    let done = database
        .query_with(text, (), &options)
        .and_then(stratigraph::Rows::finish);
    assert!(matches!(done, Err(Error::Cancelled)));
}

#[test]
fn a_query_takes_no_more_memory_than_it_may() {
    let database = database(&["UNWIND range(1, 3000) AS n CREATE ({n: n})"]);
    let options = QueryOptions::new().memory_bytes(200_000);
    for text in [
        "MATCH (a), (b) WITH a, b ORDER BY a.n RETURN sum(a.n)",
        "MATCH (a), (b) RETURN DISTINCT a, b",
        "MATCH (a), (b) RETURN a, b, count(*)",
        "MATCH (a), (b) RETURN collect(toString(a.n))",
        "MATCH (a), (b) RETURN count(DISTINCT [a, b])",
        "RETURN size([x IN range(1, 1000000) | toString(x)])",
        "RETURN size([x IN range(1, 1000) | range(1, 1000)])",
        "RETURN size(COLLECT { MATCH (a), (b) RETURN a.n })",
        "MATCH (a), (b) CREATE (c)",
        "RETURN size([range(1, 5000), range(1, 5000)])",
        "RETURN size(keys({a: range(1, 5000), b: range(1, 5000)}))",
        // Nobody but the map itself holds both of these at once.
        "UNWIND [1] AS i RETURN {a: range(i, 5000), b: range(i, 5000)}.a[0] AS first",
    ] {
        assert_eq!(fails(&database, text, &options), "MemoryLimit", "{text}");
    }
    assert_eq!(one(&database, NODES), 3000);
}

/// A text that a row and what is kept of it share is held all the same.
#[test]
fn texts_that_are_kept_count_wherever_they_come_from() {
    let database = database(&["UNWIND range(1, 300) AS n CREATE ({n: n})"]);
    let options = QueryOptions::new().memory_bytes(200_000);
    let texts = "MATCH (a) WITH toString(a.n) + $long AS text";
    for end in [
        "RETURN DISTINCT text",
        "RETURN text, count(*)",
        "RETURN count(DISTINCT text)",
        "WITH text ORDER BY text RETURN sum(size(text))",
        "WITH text ORDER BY reverse(text) RETURN count(*)",
        "WITH DISTINCT split(text, '.') AS parts RETURN count(*)",
        "UNWIND split(text, '.') AS part RETURN DISTINCT part",
        "RETURN text UNION RETURN '' AS text",
    ] {
        let text = format!("{texts} {end}");
        let refused = fails_with(&database, &text, [("long", "x".repeat(2000))], &options);
        assert_eq!(refused, "MemoryLimit", "{text}");
    }
    // Nodes leave a query with their properties, and wait for its commit.
    let text = "UNWIND range(1, 300) AS n CREATE (a {text: $long + toString(n)}) RETURN a";
    let refused = fails_with(&database, text, [("long", "x".repeat(2000))], &options);
    assert_eq!(refused, "MemoryLimit");
}

#[test]
fn what_a_procedure_gave_and_rows_that_wait_for_a_portion_are_held() {
    let database = database(&[]);
    let many = Procedure::new("my.many")
        .yields("text", ProcedureType::STRING)
        .run(|_| {
            Ok((0..300)
                .map(|n| vec![format!("{n:02000}").into()])
                .collect())
        });
    database.register(many).unwrap();
    let options = QueryOptions::new().memory_bytes(200_000);
    for text in [
        "CALL my.many() YIELD text RETURN count(text)",
        "UNWIND range(1, 100000) AS n CALL (n) { CREATE ({n: n}) } IN TRANSACTIONS OF 50000 ROWS",
    ] {
        assert_eq!(fails(&database, text, &options), "MemoryLimit", "{text}");
    }
    assert_eq!(one(&database, NODES), 0);
}

#[test]
fn what_goes_with_a_detached_node_is_remembered_within_the_limit() {
    let database =
        database(&["CREATE (h:Hub) FOREACH (n IN range(1, 3000) | CREATE (h)-[:T]->(:Leaf))"]);
    let options = QueryOptions::new().memory_bytes(50_000);
    let text = "MATCH (h:Hub) DETACH DELETE h";
    assert_eq!(fails(&database, text, &options), "MemoryLimit");
    assert_eq!(one(&database, NODES), 3001);
}

#[test]
fn portions_that_delete_do_not_add_up() {
    let database = database(&["UNWIND range(1, 3000) AS n CREATE ({n: n})"]);
    // The rows of all portions fit, what all of them delete would not.
    let options = QueryOptions::new().memory_bytes(150_000);
    let text = "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 100 ROWS";
    assert_eq!(fails(&database, text, &options), "nothing");
    assert_eq!(one(&database, NODES), 0);
}

/// Loads that other systems write out have a name for every node.
#[test]
fn a_statement_may_have_very_many_names() {
    const NAMES: usize = 30_000;
    let database = database(&[]);
    let nodes: Vec<String> = (0..NAMES).map(|n| format!("(n{n} {{v: $p{n}}})")).collect();
    let links = (1..NAMES).map(|n| format!("(n{n})-[:T]->(n{})", n / 2));
    let links: Vec<String> = links.collect();
    let text = format!("CREATE {}, {}", nodes.join(", "), links.join(", "));
    let parameters: Vec<(String, i64)> = (0_i64..)
        .take(NAMES)
        .map(|n| (format!("p{n}"), n))
        .collect();
    database.query(&text, parameters).unwrap().finish().unwrap();
    assert_eq!(one(&database, "MATCH ()-->(n) RETURN max(n.v)"), 14_999);
}

#[test]
fn a_statement_without_rows_tells_its_steps_too() {
    let database = database(&[]);
    let text = "UNWIND range(1, 100) AS n CREATE ({n: n})";
    let summary = database.query(text, ()).unwrap().finish().unwrap();
    assert!(summary.steps() >= 200, "{} steps", summary.steps());
    assert_eq!(summary.counters().nodes_created(), 100);
}

/// Lists that share their parts take little memory, and for ever to look through.
#[test]
fn lists_that_double_themselves_are_refused() {
    let database = database(&[]);
    let options = QueryOptions::new();
    for text in [
        "RETURN reduce(s = [1], x IN range(1, 60) | [s, s])",
        "RETURN reduce(s = {}, x IN range(1, 60) | {a: s, b: s})",
        "RETURN reduce(s = [1], x IN range(1, 60) | s + s)",
        "RETURN reduce(s = 'a', x IN range(1, 60) | s + s)",
    ] {
        assert_eq!(fails(&database, text, &options), "MemoryLimit", "{text}");
    }
}

#[test]
fn a_query_goes_through_no_more_than_it_may() {
    let database = database(&["UNWIND range(1, 40) AS n CREATE (:P)-[:R]->(:P)"]);
    let options = QueryOptions::new().max_steps(10_000);
    for (text, ended) in [
        ("MATCH (a:P)-[:R]->(b) RETURN count(*)", "nothing"),
        (
            "MATCH (a:P), (b:P), (c:P), (d:P) RETURN count(*)",
            "StepLimit",
        ),
        (
            "MATCH (a:P), (b:P) WITH a, b MATCH (a)-[:R*0..]->(c) RETURN count(*)",
            "StepLimit",
        ),
    ] {
        assert_eq!(fails(&database, text, &options), ended, "{text}");
    }
}

#[test]
fn a_query_gives_no_more_rows_than_it_may() {
    let database = database(&[]);
    let options = QueryOptions::new().max_rows(10);
    assert_eq!(
        fails(&database, "UNWIND range(1, 10) AS x RETURN x", &options),
        "nothing"
    );
    assert_eq!(
        fails(&database, "UNWIND range(1, 11) AS x RETURN x", &options),
        "RowLimit"
    );
}

#[test]
fn a_seed_gives_the_same_numbers_again() {
    let database = database(&[]);
    let numbers = |seed| {
        let options = QueryOptions::new().seed(seed);
        let text = "UNWIND range(1, 5) AS n RETURN rand() AS r, randomUUID() AS u";
        let rows = database.query_with(text, (), &options).unwrap();
        let rows: Vec<String> = rows.map(|row| format!("{:?}", row.unwrap())).collect();
        rows
    };
    let first = numbers(7);
    assert_eq!(first, numbers(7));
    assert_ne!(first, numbers(8));
    assert_ne!(first[0], first[1], "each row has a number of its own");
}

/// What a procedure gives, and rows that wait for their portion, are held like any others.
#[test]
fn what_procedures_give_and_what_waits_for_a_portion_takes_memory() {
    let database = database(&[]);
    let many = Procedure::new("my.many")
        .yields("text", ProcedureType::STRING)
        .run(|_| {
            let row = |n: usize| vec![Value::from(format!("{n}").repeat(1000))];
            Ok((0..2000).map(row).collect())
        });
    database.register(many).unwrap();
    let tight = QueryOptions::new().memory_bytes(1 << 20);
    let text = "CALL my.many() YIELD text RETURN count(text) AS n";
    assert_eq!(fails(&database, text, &tight), "MemoryLimit");
    let wide = QueryOptions::new().memory_bytes(64 << 20);
    assert_eq!(fails(&database, text, &wide), "nothing");
    // It is given back when the last row was taken: what comes afterwards needs as much.
    let text = "CALL my.many() YIELD text WITH count(text) AS n RETURN size(range(n, 400000)) AS x";
    let enough_for_one = QueryOptions::new().memory_bytes(12 << 20);
    assert_eq!(fails(&database, text, &enough_for_one), "nothing");

    let text =
        "UNWIND range(1, 30000) AS n CALL (n) { CREATE (:N {n: n}) } IN TRANSACTIONS OF 25000 ROWS";
    assert_eq!(fails(&database, text, &tight), "MemoryLimit");
    let small = text.replace("25000", "1000");
    assert_eq!(fails(&database, &small, &tight), "nothing");
}
