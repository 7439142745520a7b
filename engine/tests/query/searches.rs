//! Searches in vector and full-text indexes by procedures: rows, scales, and what is refused.
//!
//! Next: `hierarchies.rs`.

use super::{database, mistake, one};
use stratigraph::{Database, Detail, Metric, QueryError, TextIndex, VectorIndex};

/// Three chunks with vectors and texts, one without; a relationship with both between the first two.
fn library() -> Database {
    let database = database(&["
        CREATE (a:Chunk {n: 'a', text: 'layers of rock'}), (b:Chunk {n: 'b', text: 'rock and rock again'}),
               (c:Chunk {n: 'c', text: 'rivers'}), (:Chunk {n: 'd'}), (a)-[r:NEXT {n: 'r', text: 'rock follows'}]->(b)
        WITH a, b, c, r
        CALL db.create.setNodeVectorProperty(a, 'v', [1, 0])
        CALL db.create.setNodeVectorProperty(b, 'v', [3, 4])
        CALL db.create.setNodeVectorProperty(c, 'v', [-2, 0])
        CALL db.create.setRelationshipVectorProperty(r, 'v', [0, 1])
        FINISH",
        // An index is on a property of its own.
        "MATCH (c:Chunk) WHERE c.v IS NOT NULL SET c.e = c.v, c.d = c.v",
    ]);
    for (name, property, metric) in [
        ("by_cosine", "v", Metric::Cosine),
        ("by_distance", "e", Metric::Euclidean),
        ("by_dot", "d", Metric::Dot),
    ] {
        let index = VectorIndex::on_nodes("Chunk", property, 2);
        database
            .create_vector_index(index.metric(metric).named(name))
            .unwrap();
    }
    let index = VectorIndex::on_relationships("NEXT", "v", 2).named("next_vectors");
    database.create_vector_index(index).unwrap();
    database
        .create_text_index(TextIndex::on_nodes("Chunk", ["text"]).named("texts"))
        .unwrap();
    let index = TextIndex::on_relationships("NEXT", ["text"]).named("next_texts");
    database.create_text_index(index).unwrap();
    database
}

/// Names and scores.
fn scored(database: &Database, text: &str) -> Vec<(String, f64)> {
    let rows = database.query(text, ()).unwrap();
    rows.map(|row| row.unwrap().to().unwrap()).collect()
}

fn near(index: &str, k: i64, query: &str) -> String {
    format!(
        "CALL db.index.vector.queryNodes('{index}', {k}, {query}) YIELD node, score \
         RETURN node.n AS n, score"
    )
}

#[test]
fn scores_are_on_the_scale_of_each_metric() {
    let database = library();
    let found = |index: &str| scored(&database, &near(index, 5, "[1, 0]"));
    let named = |rows: &[(&str, f64)]| -> Vec<(String, f64)> {
        rows.iter()
            .map(|(name, score)| ((*name).to_owned(), *score))
            .collect()
    };
    let cosine = f64::midpoint(1.0, f64::from(0.6_f32));
    assert_eq!(
        found("by_cosine"),
        named(&[("a", 1.0), ("b", cosine), ("c", 0.0)])
    );
    assert_eq!(
        found("by_distance"),
        named(&[("a", 1.0), ("c", 1.0 / 10.0), ("b", 1.0 / 21.0)])
    );
    assert_eq!(
        found("by_dot"),
        named(&[("b", 3.0), ("a", 1.0), ("c", -2.0)])
    );
    assert_eq!(scored(&database, &near("by_cosine", 1, "[0, 2]"))[0].0, "b");
    let relationship = scored(
        &database,
        "CALL db.index.vector.queryRelationships('next_vectors', 3, [0, 5]) YIELD relationship, score \
         RETURN relationship.n AS n, score",
    );
    assert_eq!(relationship, named(&[("r", 1.0)]));
}

#[test]
fn an_index_and_a_function_say_the_same() {
    let database = library();
    for (index, function) in [
        ("by_cosine", "vector.similarity.cosine(node.v, q)"),
        ("by_distance", "vector.similarity.euclidean(node.e, q)"),
        ("by_dot", "vector.dot(node.d, q)"),
    ] {
        let text = format!(
            "UNWIND [[1, 0], [0.3, 0.7], [-1e-3, 123.456]] AS q \
             CALL db.index.vector.queryNodes('{index}', 5, q) YIELD node, score \
             RETURN count(CASE WHEN score = {function} THEN 1 END) AS same"
        );
        assert_eq!(one(&database, &text), 9, "{index}");
    }
}

#[test]
fn a_transaction_finds_what_it_has_written() {
    let database = library();
    let mut txn = database.write().unwrap();
    let set = "MATCH (d:Chunk {n: 'd'}) SET d.text = 'rock of mine' \
               WITH d CALL db.create.setNodeVectorProperty(d, 'v', vector([0, 9])) RETURN d";
    let summary = txn.query(set, ()).unwrap().finish().unwrap();
    assert_eq!(summary.counters().properties_set(), 2);
    let mut rows = txn.query(&near("by_cosine", 1, "[0, 1]"), ()).unwrap();
    assert_eq!(
        rows.next().unwrap().unwrap().get::<String>("n").unwrap(),
        "d"
    );
    let texts = "CALL db.index.fulltext.queryNodes('texts', 'mine') YIELD node RETURN node.n AS n";
    assert_eq!(txn.query(texts, ()).unwrap().count(), 1);
    drop(rows);
    drop(txn);
    assert_eq!(database.query(texts, ()).unwrap().count(), 0);
}

#[test]
fn texts_are_found_by_their_words() {
    let database = library();
    let find = |options: &str| -> Vec<String> {
        let text = format!(
            "CALL db.index.fulltext.queryNodes('texts', 'rock'{options}) YIELD node, score \
             RETURN node.n AS n, score"
        );
        let rows = scored(&database, &text);
        assert!(rows.is_sorted_by(|one, other| one.1 >= other.1), "{rows:?}");
        rows.into_iter().map(|row| row.0).collect()
    };
    assert_eq!(find(""), ["b", "a"]);
    assert_eq!(find(", {limit: 1}"), ["b"]);
    assert_eq!(find(", {skip: 1}"), ["a"]);
    assert_eq!(find(", {skip: 1, limit: 7}"), ["a"]);
    assert!(find(", {skip: 9}").is_empty() && find(", {limit: 0}").is_empty());
    let relationships = "CALL db.index.fulltext.queryRelationships('next_texts', 'follows') \
                         YIELD relationship, score RETURN relationship.n AS n, score";
    assert_eq!(scored(&database, relationships)[0].0, "r");
}

#[test]
fn what_is_missing_is_near_to_nothing() {
    let database = library();
    for query in ["null", "[0, 0]", "[1, null]"] {
        assert!(
            scored(&database, &near("by_cosine", 5, query)).is_empty(),
            "{query}"
        );
    }
    assert!(scored(&database, &near("by_cosine", 0, "[1, 0]")).is_empty());
    assert_eq!(
        scored(&database, &near("by_distance", 5, "[0, 0]")).len(),
        3
    );
    let text = "CALL db.index.fulltext.queryNodes('texts', null) YIELD node RETURN node";
    assert_eq!(database.query(text, ()).unwrap().count(), 0);
}

#[test]
fn refusals_say_what_would_have_been_right() {
    let database = library();
    let texts = |name: &str, options: &str| {
        format!("CALL db.index.fulltext.queryNodes('{name}', 'x'{options}) YIELD node RETURN node")
    };
    for (text, detail, part) in [
        (
            near("by_cosin", 5, "[1, 0]"),
            Detail::VectorIndexNotFound,
            "did you mean `by_cosine`?",
        ),
        (
            near("nothing", 5, "[1, 0]"),
            Detail::VectorIndexNotFound,
            "SHOW VECTOR INDEXES",
        ),
        (
            near("texts", 5, "[1, 0]"),
            Detail::VectorIndexNotFound,
            "is a full-text index",
        ),
        (
            near("next_vectors", 5, "[1, 0]"),
            Detail::InvalidArgumentValue,
            "queryRelationships",
        ),
        (
            near("by_cosine", 5, "[1, 0, 0]"),
            Detail::VectorDimensionMismatch,
            "has vectors of 2 dimensions, and this one has 3",
        ),
        (
            near("by_cosine", -1, "[1, 0]"),
            Detail::NumberOutOfRange,
            "cannot be negative",
        ),
        (
            near("by_cosine", 1, "'ab'"),
            Detail::InvalidArgumentType,
            "a vector is needed",
        ),
        (
            near("by_cosine", 1, "[1e300, 0]"),
            Detail::InvalidArgumentValue,
            "32 bits",
        ),
        (
            texts("text", ""),
            Detail::FulltextIndexNotFound,
            "did you mean `texts`?",
        ),
        (
            texts("by_dot", ""),
            Detail::FulltextIndexNotFound,
            "is a vector index",
        ),
        (
            texts("next_texts", ""),
            Detail::InvalidArgumentValue,
            "queryRelationships",
        ),
        (
            texts("texts", ", {limt: 1}"),
            Detail::InvalidArgumentValue,
            "did you mean `limit`?",
        ),
        (
            texts("texts", ", {limit: 'x'}"),
            Detail::InvalidArgumentType,
            "an integer",
        ),
    ] {
        let (found, message, hint) = mistake(&database, &text);
        assert_eq!(found, detail, "{text}: {message}");
        assert!(
            message.contains(part) || hint.contains(part),
            "{text}: {message} {hint}"
        );
    }
}

#[test]
fn a_snapshot_refuses_to_set_vectors() {
    let database = library();
    let text = "MATCH (n:Chunk) CALL db.create.setNodeVectorProperty(n, 'v', [1, 2]) RETURN n";
    assert!(database.prepare(text).unwrap().writes());
    let Err(stratigraph::Error::Query(error)) = database.read().unwrap().query(text, ()) else {
        panic!("a snapshot was written to");
    };
    assert_eq!(QueryError::detail(&error), Detail::ReadOnlyQuery);
    // What an index cannot hold is refused with the statement.
    let wrong = "MATCH (n:Chunk) CALL db.create.setNodeVectorProperty(n, 'v', [1, 2, 3]) RETURN n";
    assert_eq!(mistake(&database, wrong).0, Detail::ConstraintBroken);
}

#[test]
fn indexes_are_counted() {
    let database = library();
    let count = |name: &str| {
        let text = format!("CALL db.stats() YIELD name, count WHERE name = '{name}' RETURN count");
        one(&database, &text)
    };
    assert_eq!((count("by_cosine"), count("next_vectors")), (3, 1));
    assert_eq!((count("Chunk"), count("NEXT")), (4, 1));
}

#[test]
fn a_transaction_counts_what_it_has_written() {
    let database = library();
    let count = "CALL db.stats() YIELD name, count WHERE name = 'by_cosine' RETURN count";
    let mut txn = database.write().unwrap();
    for (change, counted) in [
        (
            "MATCH (d:Chunk {n: 'd'}) CALL db.create.setNodeVectorProperty(d, 'v', [1, 1]) FINISH",
            4,
        ),
        ("MATCH (b:Chunk {n: 'b'}) SET b.v = vector([5, 5])", 4),
        ("MATCH (a:Chunk {n: 'a'}) REMOVE a.v", 3),
        ("MATCH (c:Chunk {n: 'c'}) DETACH DELETE c", 2),
    ] {
        txn.query(change, ()).unwrap().finish().unwrap();
        let mut rows = txn.query(count, ()).unwrap();
        let seen: i64 = rows.next().unwrap().unwrap().get("count").unwrap();
        assert_eq!(seen, counted, "{change}");
    }
    drop(txn);
    assert_eq!(one(&database, count), 3);
}
