//! What searches and traversals hold counts as memory of the query, and what is never there does not.
//!
//! Next: `stops.rs`.

use super::database;
use stratigraph::{Database, Error, QueryOptions, Rows};

/// What a query says that may hold so many bytes.
fn with_memory(database: &Database, bytes: u64, text: &str) -> String {
    let options = QueryOptions::new().memory_bytes(bytes);
    let ended = database.query_with(text, (), &options);
    match ended.and_then(Rows::finish) {
        Ok(summary) => format!("{} rows", summary.rows()),
        Err(Error::Query(error)) => error.detail().name().to_owned(),
        Err(other) => other.to_string(),
    }
}

const LIMIT: &str = "MemoryLimit";

#[test]
fn what_a_search_may_find_is_held() {
    let database = database(&[
        "UNWIND range(1, 20000) AS i CREATE (:A {v: vector([1, i]), text: 'word', k: i})",
        "CREATE VECTOR INDEX near FOR (n:A) ON n.v OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
        "CREATE FULLTEXT INDEX said FOR (n:A) ON EACH [n.text]",
    ]);
    for index in [
        "VECTOR INDEX near FOR [1, 1]",
        "FULLTEXT INDEX said FOR 'word'",
    ] {
        // A bit for each of 20,000.
        let text = format!("MATCH (n) SEARCH n IN ({index} WHERE n.k % 2 = 0 LIMIT 1) RETURN n.k");
        assert_eq!(with_memory(&database, 2000, &text), LIMIT, "{text}");
        assert_eq!(with_memory(&database, 40_000, &text), "1 rows", "{text}");
        // One that can only be asked of each node by itself.
        let text = format!(
            "MATCH (n) SEARCH n IN ({index} WHERE NOT EXISTS {{ (n)-[:R]->() }} LIMIT 1) RETURN n.k"
        );
        assert_eq!(with_memory(&database, 2000, &text), LIMIT, "{text}");
    }
}

#[test]
fn only_what_an_index_may_hold_is_room_for_hits() {
    let database = database(&[
        "UNWIND range(1, 20000) AS i CREATE (:B {k: i})",
        "UNWIND range(1, 10) AS i CREATE (:A {v: vector([1, i]), text: 'word', k: i})",
        "CREATE VECTOR INDEX near FOR (n:A) ON n.v OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
        "CREATE FULLTEXT INDEX said FOR (n:A) ON EACH [n.text]",
    ]);
    for index in [
        "VECTOR INDEX near FOR [1, 1]",
        "FULLTEXT INDEX said FOR 'word'",
    ] {
        let text = format!("MATCH (n) SEARCH n IN ({index} LIMIT 1000000000) RETURN n.k");
        assert_eq!(with_memory(&database, 100_000, &text), "10 rows", "{text}");
    }
    let text = "CALL db.index.fulltext.queryNodes('said', 'word') YIELD node RETURN node";
    assert_eq!(with_memory(&database, 100_000, text), "10 rows");
}

#[test]
fn hits_of_texts_are_held_too() {
    let database = database(&[
        "UNWIND range(1, 5000) AS i CREATE (:A {text: 'word'})",
        "CREATE FULLTEXT INDEX said FOR (n:A) ON EACH [n.text]",
    ]);
    let text = "MATCH (n) SEARCH n IN (FULLTEXT INDEX said FOR 'word' LIMIT 5000) RETURN n";
    // What is kept of a hit is less than what it takes to find it.
    assert_eq!(with_memory(&database, 200_000, text), LIMIT);
    assert_eq!(with_memory(&database, 1 << 20, text), "5000 rows");
}

#[test]
fn roots_and_ways_of_a_traversal_are_held() {
    let database = database(&[
        "UNWIND range(1, 500) AS i CREATE (:Root {k: i})",
        "CREATE (:Hub)",
        "UNWIND range(1, 500) AS i CREATE (:Leaf {k: i})",
        "MATCH (r:Root), (h:Hub) CREATE (r)-[:HAS]->(h)",
        "MATCH (h:Hub), (l:Leaf) CREATE (h)-[:HAS]->(l)",
        "UNWIND range(1, 2000) AS i CREATE (:Link {k: i})",
        "CREATE INDEX FOR (n:Link) ON (n.k)",
        "MATCH (a:Link) MATCH (b:Link {k: a.k + 1}) CREATE (a)-[:NEXT]->(b)",
    ]);
    // Each of 500 leaves has 500 roots.
    let to_leaves = |columns: &str| {
        format!("TRAVERSE FROM (r:Root) STEP (a)-[:HAS]->(b) YIELD {columns} RETURN count(*) AS c")
    };
    assert_eq!(
        with_memory(&database, 1 << 20, &to_leaves("node")),
        "1 rows"
    );
    assert_eq!(with_memory(&database, 1 << 20, &to_leaves("roots")), LIMIT);
    assert_eq!(
        with_memory(&database, 1 << 25, &to_leaves("roots")),
        "1 rows"
    );
    // The ways of a batch along a chain of 2,000.
    let along = |columns: &str| {
        format!(
            "MATCH (first:Link {{k: 1}}) TRAVERSE FROM first STEP (a)-[:NEXT]->(b) \
             YIELD {columns} RETURN count(*) AS c"
        )
    };
    assert_eq!(with_memory(&database, 1 << 20, &along("node")), "1 rows");
    assert_eq!(with_memory(&database, 1 << 20, &along("path")), LIMIT);
    assert_eq!(with_memory(&database, 1 << 28, &along("path")), "1 rows");
    let roots = "TRAVERSE FROM (r:Link) STEP (a)-[:NONE]->(b) LEVELS 0..0 YIELD node \
                 RETURN count(*) AS c";
    assert_eq!(with_memory(&database, 20_000, roots), LIMIT);
    assert_eq!(with_memory(&database, 200_000, roots), "1 rows");
}
