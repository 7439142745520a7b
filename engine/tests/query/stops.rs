//! What works long below the operators ends when somebody stops the query, and when its time is over.
//!
//! The clock goes on by a millisecond whenever it is asked, so that a query is late only if what works long asks.
//!
//! Next: `main.rs`.

use super::database;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use stratigraph::clock::Clock;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, Error, QueryOptions, Result, Rows, Summary};

/// How often a query may ask for the time until it is late, or stopped: more often than one that does not ask while
/// an index works.
const ASKED: u64 = 12;

struct Ticking {
    asked: AtomicU64,
    /// Cancelled after so many questions.
    cancels: CancelToken,
}

impl Clock for Ticking {
    fn now(&self) -> Duration {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        if asked == ASKED {
            self.cancels.cancel();
        }
        Duration::from_millis(asked)
    }
}

/// Options with which a query is late after that many questions, or is stopped then.
fn options(late: bool) -> QueryOptions {
    let cancels = CancelToken::new();
    let timeout = match late {
        true => Duration::from_millis(ASKED),
        false => Duration::from_secs(1000),
    };
    QueryOptions::new()
        .timeout(timeout)
        .cancel(match late {
            true => CancelToken::new(),
            false => cancels.clone(),
        })
        .clock(Arc::new(Ticking {
            asked: AtomicU64::new(0),
            cancels,
        }))
}

/// That it was late, or stopped.
fn assert_ended(ended: Result<Summary>, late: bool, text: &str) {
    match (ended, late) {
        (Err(Error::Query(error)), true) => {
            assert_eq!(error.detail().name(), "TimeLimit", "{text}");
        }
        (Err(Error::Cancelled), false) => {}
        (other, _) => panic!("late {late}, {text}: {other:?}"),
    }
}

/// 5,000 nodes that have vectors and texts.
fn library() -> Database {
    database(&[
        "UNWIND range(1, 5000) AS i \
         CREATE (:A {v: vector([1, i]), w: vector([i, 1]), text: 'rock and ' + i, k: i})",
        "CREATE VECTOR INDEX near FOR (n:A) ON n.v OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
        "CREATE FULLTEXT INDEX said FOR (n:A) ON EACH [n.text]",
    ])
}

/// What works long within an index.
const SEARCHES: &[&str] = &[
    "MATCH (n) SEARCH n IN (VECTOR INDEX near FOR [1, 7] LIMIT 3 EXACT) RETURN n",
    "MATCH (n) SEARCH n IN (VECTOR INDEX near FOR [1, 7] LIMIT 400) RETURN n",
    "MATCH (n) SEARCH n IN (VECTOR INDEX near FOR [1, 7] WHERE n.k > 100 LIMIT 400) RETURN n",
    // Asked of each node by itself.
    "MATCH (n) SEARCH n IN (VECTOR INDEX near FOR [1, 7] WHERE NOT EXISTS { (n)-[:R]->() } LIMIT 3) RETURN n",
    "MATCH (n) SEARCH n IN (FULLTEXT INDEX said FOR 'rock' LIMIT 4000) RETURN count(n)",
    "MATCH (n) SEARCH n IN (FULLTEXT INDEX said FOR '\"rock and\"' LIMIT 3) RETURN n",
    "CALL db.index.vector.queryNodes('near', 400, [1, 7]) YIELD node RETURN count(node)",
    "CALL db.index.fulltext.queryNodes('said', 'rock') YIELD node RETURN count(node)",
];

#[test]
fn searches_end_while_an_index_works() {
    let database = library();
    for text in SEARCHES {
        for late in [true, false] {
            let ended = database.query_with(text, (), &options(late));
            assert_ended(ended.and_then(Rows::finish), late, text);
            let read = database.read().unwrap();
            let ended = read.query_with(text, (), &options(late));
            assert_ended(ended.and_then(Rows::finish), late, text);
            // The transaction itself goes on.
            assert!(read.query(text, ()).and_then(Rows::finish).is_ok());
        }
    }
}

#[test]
fn a_transaction_goes_on_after_a_search_of_it_was_stopped() {
    let database = library();
    let mut txn = database.write().unwrap();
    let change = "MATCH (n:A {k: 1}) SET n.text = 'rock of mine', n.v = vector([1, 7.5])";
    txn.query(change, ()).unwrap().finish().unwrap();
    for text in SEARCHES {
        for late in [true, false] {
            let ended = txn.query_with(text, (), &options(late));
            assert_ended(ended.and_then(Rows::finish), late, text);
        }
    }
    txn.commit().unwrap();
    let found = "MATCH (n) SEARCH n IN (FULLTEXT INDEX said FOR 'mine' LIMIT 5) RETURN count(n)";
    assert_eq!(super::one(&database, found), 1);
}

#[test]
fn ancestors_and_traversals_end_too() {
    let database = database(&[
        "UNWIND range(1, 3000) AS i CREATE (:S {k: i, v: vector([1, i])})",
        "CREATE INDEX FOR (n:S) ON (n.k)",
        "MATCH (a:S) MATCH (b:S {k: a.k + 1}) CREATE (a)-[:HAS]->(b)",
        "CREATE HIERARCHY parts FOR ()-[:HAS]->()",
    ]);
    for text in [
        "MATCH (n:S {k: 3000}) RETURN size(ancestors(n, 'parts'))",
        "MATCH (n:S {k: 1}) TRAVERSE FROM n STEP (a)-[:HAS]->(b) YIELD node RETURN count(node)",
    ] {
        for late in [true, false] {
            let ended = database.query_with(text, (), &options(late));
            assert_ended(ended.and_then(Rows::finish), late, text);
        }
    }
}

#[test]
fn reading_a_property_of_everything_ends_too() {
    let database = database(&[
        "CREATE (a:A) WITH a UNWIND range(1, 50000) AS i CREATE (a)-[:T]->(a)",
        "CREATE (:A)-[:T {w: 1}]->(:B)",
    ]);
    let text = "MATCH (a)-[r:T]->(b) RETURN r.w, count(*) AS n";
    for late in [true, false] {
        let ended = database.query_with(text, (), &options(late));
        assert_ended(ended.and_then(Rows::finish), late, text);
    }
    // Once it is read there is little left to ask for.
    database.query(text, ()).and_then(Rows::finish).unwrap();
    for late in [true, false] {
        let ended = database.query_with(text, (), &options(late));
        assert!(ended.and_then(Rows::finish).is_ok(), "late {late}");
    }
}

#[test]
fn counting_what_a_transaction_has_changed_ends_too() {
    let database = library();
    let mut txn = database.write().unwrap();
    let text = "CALL db.stats() YIELD name, count WHERE name = 'near' RETURN count";
    // Each is looked up, and then none has to be: the index is not on it any more.
    for change in [
        "MATCH (n:A) SET n.v = vector([n.k, 2])",
        "MATCH (n:A) REMOVE n:A",
    ] {
        txn.query(change, ()).unwrap().finish().unwrap();
        for late in [true, false] {
            let ended = txn.query_with(text, (), &options(late));
            assert_ended(ended.and_then(Rows::finish), late, text);
        }
    }
}

#[test]
fn declarations_end_when_they_are_cancelled_and_leave_nothing() {
    let database = database(&[
        "UNWIND range(1, 50) AS i CREATE (:A {k: i, t: 'word' + i, e: vector([i, 1])})-[:T]->(:B)",
    ]);
    for text in [
        "CREATE INDEX i FOR (a:A) ON (a.k)",
        "CREATE CONSTRAINT c FOR (a:A) REQUIRE a.t IS UNIQUE",
        "CREATE FULLTEXT INDEX f FOR (a:A) ON EACH [a.t]",
        "CREATE VECTOR INDEX v FOR (a:A) ON (a.e) OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
        "CREATE HIERARCHY h FOR ()-[:T]->()",
    ] {
        let cancelled = CancelToken::new();
        cancelled.cancel();
        let options = QueryOptions::new().cancel(cancelled);
        let ended = database.query_with(text, (), &options);
        assert!(
            matches!(ended, Err(Error::Cancelled)),
            "{text}: {:?}",
            ended.err()
        );
        database.query(text, ()).unwrap();
    }
}
