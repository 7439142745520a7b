//! What bounds algorithms: memory, time, and whoever cancels them. What rows they give is tested by scripts.
//!
//! Next: `plans.rs`.

use super::{database, mistake};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use stratigraph::clock::Clock;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Detail, Error, QueryOptions};

const ALGORITHMS: &[&str] = &[
    "CALL graph.components() YIELD node RETURN count(*)",
    "CALL graph.components(null, {strong: true}) YIELD node RETURN count(*)",
    "CALL graph.pagerank() YIELD node RETURN count(*)",
    "CALL graph.degree() YIELD node RETURN count(*)",
    "CALL graph.communities() YIELD node RETURN count(*)",
    "CALL graph.triangles() YIELD node RETURN count(*)",
    "CALL graph.dbscan(null, {property: 'v', eps: 0.1, minPoints: 2}) YIELD node RETURN count(*)",
    "MATCH (s:N {i: 1}), (t:N {i: 5}) CALL graph.shortestPath(null, {source: s, target: t}) YIELD path RETURN path",
];

fn ring() -> stratigraph::Database {
    database(&[
        "UNWIND range(1, 3000) AS i CREATE (:N {i: i, v: vector([i, 1, 2, 3])})",
        "MATCH (n:N) WITH collect(n) AS all UNWIND range(0, 2999) AS i
         WITH all[i] AS a, all[(i + 1) % 3000] AS b CREATE (a)-[:T]->(b)",
    ])
}

/// What a query fails with.
fn failure(database: &stratigraph::Database, text: &str, options: &QueryOptions) -> Error {
    let rows = database.query_with(text, (), options);
    match rows.and_then(stratigraph::Rows::finish) {
        Err(error) => error,
        Ok(_) => panic!("{text} did not fail"),
    }
}

#[test]
fn memory_is_refused_before_it_is_taken() {
    let database = ring();
    let options = QueryOptions::new().memory_bytes(20_000);
    for text in ALGORITHMS {
        let Error::Query(error) = failure(&database, text, &options) else {
            panic!("{text}");
        };
        assert_eq!(
            error.detail(),
            Detail::MemoryLimit,
            "{text}: {}",
            error.message()
        );
        let enough = QueryOptions::new().memory_bytes(16 << 20);
        let rows = database.query_with(text, (), &enough).unwrap();
        rows.finish().unwrap();
    }
}

#[test]
fn what_an_algorithm_held_is_given_back() {
    let database = ring();
    // Run after run, each fits alone.
    let text = "UNWIND range(1, 20) AS i CALL graph.components() YIELD component RETURN count(component) AS c";
    let options = QueryOptions::new().memory_bytes(2 << 20);
    let mut rows = database.query_with(text, (), &options).unwrap();
    assert_eq!(
        rows.next().unwrap().unwrap().get::<i64>("c").unwrap(),
        60_000
    );
}

#[test]
fn whoever_cancels_is_heard() {
    let database = ring();
    for text in ALGORITHMS {
        let token = CancelToken::new();
        token.cancel();
        let error = failure(&database, text, &QueryOptions::new().cancel(token));
        assert!(matches!(error, Error::Cancelled), "{text}: {error}");
    }
}

/// A clock that goes on by a second whenever it is read.
#[derive(Default)]
struct Hasty(AtomicU64);

impl Clock for Hasty {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[test]
fn an_algorithm_ends_when_the_time_is_over() {
    let database = ring();
    let options = QueryOptions::new()
        .timeout(Duration::from_secs(1))
        .clock(Arc::new(Hasty::default()));
    let text = "CALL graph.communities() YIELD node RETURN count(*)";
    let Error::Query(error) = failure(&database, text, &options) else {
        panic!("no error of the query");
    };
    assert_eq!(error.detail(), Detail::TimeLimit);
}

#[test]
fn refusals_name_the_setting_and_what_was_meant() {
    let database = database(&["CREATE (a:A {n: 1})-[:T {w: 'heavy'}]->(:A {n: 2})"]);
    for (text, part) in [
        (
            "CALL graph.pagerank(null, {dampng: 1})",
            "did you mean `damping`?",
        ),
        ("CALL graph.pagerank(null, {x: 1})", "it has types, weight"),
        (
            "CALL graph.pagerank({types: ['T']})",
            "settings are the second",
        ),
        (
            "CALL graph.pagerank(null, {damping: 1.5})",
            "`damping` = 1.5",
        ),
        (
            "CALL graph.communities(null, {maxPasses: 0})",
            "`maxPasses` = 0",
        ),
        (
            "CALL graph.communities(null, {quality: 'best'})",
            "'constantPotts'",
        ),
        (
            "CALL graph.components(null, {types: []})",
            "leave `types` out",
        ),
        (
            "CALL graph.degree(null, {weight: 'w'})",
            "weights are numbers",
        ),
        (
            "CALL graph.dbscan(null, {property: 'v'})",
            "needs the setting `eps`",
        ),
        (
            "CALL graph.shortestPath(null, {source: null})",
            "needs the setting `target`",
        ),
        (
            "MATCH (a:A {n: 1}), (b:A {n: 2}) CALL graph.shortestPath([a], {source: a, target: b}) YIELD path RETURN path",
            "is not in the part of the graph",
        ),
        (
            "MATCH (a:A) CALL graph.pagerank(null, {sourceNodes: a, sourceWeights: [1, 2]}) YIELD node RETURN node",
            "2 numbers for 1 nodes",
        ),
    ] {
        let (detail, message, hint) = mistake(&database, text);
        assert_eq!(detail, Detail::InvalidArgumentValue, "{text}: {message}");
        assert!(
            message.contains(part) || hint.contains(part),
            "{text}: {message} ({hint})"
        );
    }
}
