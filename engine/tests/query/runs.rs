//! What bounds a run, and what is left of one that fails.
//!
//! Next: `main.rs`.

use super::{database, one};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use stratigraph::clock::Clock;
use stratigraph::{Database, Error, QueryOptions};

const NODES: &str = "MATCH (n) RETURN count(n)";

fn detail(error: &Error) -> String {
    match error {
        Error::Query(error) => error.detail().name().to_string(),
        other => other.to_string(),
    }
}

/// Runs a statement to its end.
fn fails(database: &Database, text: &str, options: &QueryOptions) -> String {
    let done = database
        .query_with(text, (), options)
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
        "MATCH (a), (b) WITH a, b ORDER BY a.n RETURN count(*)",
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
    ] {
        assert_eq!(fails(&database, text, &options), "MemoryLimit", "{text}");
    }
    assert_eq!(one(&database, NODES), 3000);
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
