//! What readers and writers see of a vector index.

use super::*;
use stratigraph::{Effort, Error, How, NO_PROPERTIES, ReadTxn, ServedBy};

fn four(db: &Database) -> Vec<NodeId> {
    let mut txn = db.write().unwrap();
    let rows = [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [-1.0, 0.0]];
    let nodes = rows.map(|row| txn.create_node(["Chunk"], [("v", value(row))]).unwrap());
    txn.commit().unwrap();
    nodes.to_vec()
}

fn chunks() -> VectorIndex {
    VectorIndex::on_nodes("Chunk", "v", 2).named("chunks")
}

fn ids(read: &impl Read, query: [f32; 2], k: usize) -> Vec<Entity> {
    let answer = read
        .search_vectors("chunks", &VectorSearch::new(&query, k))
        .unwrap();
    entities(&answer)
}

#[test]
fn an_index_holds_what_was_there_and_what_comes() {
    let db = Database::in_memory().unwrap();
    let nodes = four(&db);
    db.create_vector_index(chunks()).unwrap();
    assert_eq!(
        ids(&db.read().unwrap(), [1.0, 0.1], 2),
        [nodes[0].into(), nodes[1].into()]
    );
    let mut txn = db.write().unwrap();
    let new = txn
        .create_node(["Chunk"], [("v", value([1.0, 0.1]))])
        .unwrap();
    txn.remove_label(nodes[0], "Chunk").unwrap();
    txn.set_property(nodes[3], "v", value([0.9, 0.1])).unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    assert_eq!(ids(&read, [1.0, 0.1], 2), [new.into(), nodes[3].into()]);
    assert_eq!(ids(&read, [1.0, 0.1], 9).len(), 4);
    let answer = read
        .search_vectors("chunks", &VectorSearch::new(&[1.0, 0.1], 1))
        .unwrap();
    assert_eq!(answer.served_by, ServedBy::Index);
    assert!((answer.hits[0].score - 1.0).abs() < 1e-6);
    // Whoever gets the label again is found again, without writing the vector.
    let mut txn = db.write().unwrap();
    txn.add_label(nodes[0], "Chunk").unwrap();
    txn.delete_node(new).unwrap();
    txn.commit().unwrap();
    assert_eq!(
        ids(&db.read().unwrap(), [1.0, 0.1], 2),
        [nodes[3].into(), nodes[0].into()]
    );
}

#[test]
fn a_transaction_sees_its_own_changes_and_nobody_else_does() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(chunks()).unwrap();
    let nodes = four(&db);
    let mut txn = db.write().unwrap();
    let new = txn
        .create_node(["Chunk"], [("v", value([0.0, -1.0]))])
        .unwrap();
    txn.delete_node(nodes[2]).unwrap();
    txn.set_property(nodes[0], "v", value([0.1, -0.9])).unwrap();
    assert_eq!(ids(&txn, [0.0, -1.0], 2), [new.into(), nodes[0].into()]);
    assert!(!ids(&txn, [0.0, 1.0], 9).contains(&nodes[2].into()));
    assert_eq!(ids(&db.read().unwrap(), [0.0, 1.0], 1), [nodes[2].into()]);
    let before = txn.savepoint().unwrap();
    txn.remove_property(new, "v").unwrap();
    assert_eq!(ids(&txn, [0.0, -1.0], 1), [nodes[0].into()]);
    txn.rollback_to(before).unwrap();
    assert_eq!(ids(&txn, [0.0, -1.0], 1), [new.into()]);
    txn.rollback();
    assert_eq!(ids(&db.read().unwrap(), [0.0, 1.0], 9).len(), 4);
    assert_eq!(ids(&db.write().unwrap(), [0.0, -1.0], 9).len(), 4);
}

#[test]
fn an_old_reader_sees_what_was_there() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(chunks()).unwrap();
    let nodes = four(&db);
    let old = db.read().unwrap();
    for round in 0..300 {
        let mut txn = db.write().unwrap();
        let angle = round as f32;
        for node in &nodes {
            txn.set_property(*node, "v", value([angle.cos(), angle.sin() + 2.0]))
                .unwrap();
        }
        txn.create_node(["Chunk"], [("v", value([1.0, 0.001]))])
            .unwrap();
        txn.commit().unwrap();
        assert_eq!(
            ids(&old, [1.0, 0.1], 3),
            [nodes[0], nodes[1], nodes[2]].map(Into::into)
        );
        assert_eq!(ids(&old, [1.0, 0.0], 1000).len(), 4);
    }
    assert_eq!(ids(&db.read().unwrap(), [1.0, 0.0], 1000).len(), 304);
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(chunks()).unwrap();
    let nodes = four(&db);
    let before = ids(&db.read().unwrap(), [1.0, 0.1], 9);
    let mut txn = db.write().unwrap();
    let refused = |error: Error, wanted: &str| {
        let text = error.to_string();
        assert!(text.contains(wanted), "{text}");
    };
    for (bad, wanted) in [
        (value([1.0]), "a vector of 1 dimensions met one of 2"),
        (
            value([1.0, 2.0, 3.0]),
            "a vector of 3 dimensions met one of 2",
        ),
        (value([0.0, 0.0]), "has no direction"),
        (
            Value::from("text"),
            "has a string where vector index chunks needs a vector of 2 dimensions",
        ),
        (Value::from(vec![1.0, 2.0]), "has a list where"),
    ] {
        let error = txn
            .create_node(["Chunk"], [("v", bad.clone())])
            .unwrap_err();
        refused(error, wanted);
        refused(
            txn.set_property(nodes[0], "v", bad.clone()).unwrap_err(),
            wanted,
        );
        // Without the label it is nobody's business, until it gets it.
        let other = txn.create_node(["Other"], [("v", bad)]).unwrap();
        refused(txn.add_label(other, "Chunk").unwrap_err(), wanted);
    }
    assert!(
        Vector::new(vec![1.0, f32::NAN]).is_err(),
        "nobody can write one"
    );
    txn.commit().unwrap();
    let read = db.read().unwrap();
    assert_eq!(ids(&read, [1.0, 0.1], 9), before);
    for query in [
        &[1.0][..],
        &[0.0, 0.0],
        &[f32::NAN, 1.0],
        &[f32::INFINITY, 0.0],
        &[],
    ] {
        let error = read
            .search_vectors("chunks", &VectorSearch::new(query, 1))
            .unwrap_err();
        assert!(matches!(error, Error::VectorIndex { .. }), "{error}");
    }
    let error = read
        .search_vectors("none", &VectorSearch::new(&[1.0, 0.0], 1))
        .unwrap_err();
    refused(error, "there is no vector index none");
}

#[test]
fn relationships_have_vectors_too() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(VectorIndex::on_relationships("CITES", "v", 2).named("cites"))
        .unwrap();
    db.create_vector_index(VectorIndex::on_any_relationship("v", 2).named("all"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let [a, b] = [(); 2].map(|()| txn.create_node(["N"], NO_PROPERTIES).unwrap());
    let cites = txn
        .create_relationship(a, "CITES", b, [("v", value([1.0, 0.0]))])
        .unwrap();
    let likes = txn
        .create_relationship(a, "LIKES", b, [("v", value([0.9, 0.1]))])
        .unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let found = |index: &str, search: VectorSearch<'_>| {
        entities(&read.search_vectors(index, &search).unwrap())
    };
    let search = VectorSearch::new(&[1.0, 0.0], 9);
    assert_eq!(found("cites", search.clone()), [cites.into()]);
    assert_eq!(found("all", search.clone()), [cites.into(), likes.into()]);
    assert_eq!(found("all", search.labelled("LIKES")), [likes.into()]);
    let mut txn = db.write().unwrap();
    txn.detach_delete_node(a).unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let search = VectorSearch::new(&[1.0, 0.0], 9);
    assert!(read.search_vectors("all", &search).unwrap().hits.is_empty());
}

#[test]
fn searches_are_limited_by_labels_ids_and_properties() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    for year in 0..100_i64 {
        let angle = year as f32 / 100.0;
        let labels: &[&str] = if year % 2 == 0 { &["Even"] } else { &["Odd"] };
        let properties = [
            ("v", value([angle.cos(), angle.sin()])),
            ("year", year.into()),
        ];
        txn.create_node(labels, properties).unwrap();
    }
    txn.commit().unwrap();
    let index = VectorIndex::on_any_node("v", 2)
        .filterable(["year"])
        .named("all");
    db.create_vector_index(index).unwrap();
    let read = db.read().unwrap();
    let years = |search: &VectorSearch<'_>| -> Vec<u64> {
        let answer = read.search_vectors("all", search).unwrap();
        answer.hits.iter().map(|hit| hit.entity.number()).collect()
    };
    let search = VectorSearch::new(&[1.0, 0.0], 3);
    assert_eq!(years(&search), [0, 1, 2]);
    assert_eq!(years(&search.clone().labelled("Odd")), [1, 3, 5]);
    assert_eq!(years(&search.clone().labelled("Nobody")), [0_u64; 0]);
    assert_eq!(
        years(&search.clone().where_range("year", Value::from(10)..)),
        [10, 11, 12]
    );
    assert_eq!(years(&search.clone().where_equal("year", 77)), [77]);
    let among: RoaringTreemap = (50..60).collect();
    let narrow = search.clone().among(&among).labelled("Odd");
    assert_eq!(
        years(&narrow.where_range("year", ..Value::from(55))),
        [51, 53]
    );
    let far = search.clone().threshold(0.9999);
    assert_eq!(years(&far), [0, 1]);
    let exact = search.effort(Effort::Exact);
    assert_eq!(read.search_vectors("all", &exact).unwrap().how, How::Exact);
    let other = VectorSearch::new(&[1.0, 0.0], 3).where_equal("month", 1);
    let error = read.search_vectors("all", &other).unwrap_err();
    assert!(
        error.to_string().contains("declare it with `filterable`"),
        "{error}"
    );
}

#[test]
fn what_was_allowed_at_one_commit_is_not_at_another() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(chunks().filterable(["year"]))
        .unwrap();
    let add = |year: i64| {
        let mut txn = db.write().unwrap();
        let properties = [("v", value([1.0, year as f32])), ("year", year.into())];
        let node = txn.create_node(["Chunk"], properties).unwrap();
        txn.commit().unwrap();
        node
    };
    let (one, two) = (add(1), add(2));
    let found = |read: &ReadTxn, search: &VectorSearch<'_>| -> Vec<Entity> {
        let answer = read.search_vectors("chunks", search).unwrap();
        assert_eq!(answer.served_by, ServedBy::Index);
        entities(&answer)
    };
    let search = VectorSearch::new(&[1.0, 0.0], 5);
    let first = search.clone().where_equal("year", 1);
    let late = search.clone().where_range("year", Value::from(2)..);
    let before = db.read().unwrap();
    for _ in 0..2 {
        assert_eq!(found(&before, &first), [one.into()]);
        assert_eq!(found(&before, &late), [two.into()]);
    }
    let mut txn = db.write().unwrap();
    txn.set_property(one, "year", 3).unwrap();
    // Nor is what a transaction has changed itself taken for what others have asked for.
    let changed = txn.search_vectors("chunks", &first).unwrap();
    assert!(changed.hits.is_empty());
    txn.commit().unwrap();
    let after = db.read().unwrap();
    for _ in 0..2 {
        assert!(found(&after, &first).is_empty());
        assert_eq!(found(&after, &late), [one.into(), two.into()]);
        assert_eq!(found(&before, &first), [one.into()]);
    }
}
