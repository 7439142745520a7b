//! Texts whose vectors are made by something that fails now and then: a text is never found with the vector of
//! the one before it.

use super::*;
use fastrand::Rng;
use std::sync::atomic::{AtomicBool, Ordering};
use stratigraph::{Effort, Fusion, Value, Vector, VectorIndex, VectorSearch};

const NODES: u64 = 40;
const DIMENSIONS: usize = 4;

/// What a model makes of a text, which tells it from every other.
fn embedding(version: u64) -> Vec<f32> {
    let mut rng = Rng::with_seed(version);
    (0..DIMENSIONS).map(|_| rng.f32() - 0.5).collect()
}

fn vector(version: u64) -> Value {
    Value::Vector(Vector::new(embedding(version)).unwrap())
}

#[test]
fn a_text_is_never_found_by_the_vector_of_an_older_one() {
    let db = Database::in_memory().unwrap();
    let vectors = VectorIndex::on_nodes("N", "v", DIMENSIONS).named("v");
    db.create_vector_index(vectors).unwrap();
    db.create_text_index(TextIndex::on_nodes("N", ["t"]).named("t"))
        .unwrap();
    let mut txn = db.write().unwrap();
    for id in 0..NODES {
        let node = [("t", Value::from(format!("text {id}"))), ("v", vector(id))];
        txn.create_node(["N"], node).unwrap();
    }
    txn.commit().unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut rng = Rng::with_seed(1);
            for version in NODES..4000 {
                let node = NodeId::new(rng.u64(..NODES));
                let mut txn = db.write().unwrap();
                txn.set_property(node, "t", format!("text {version}"))
                    .unwrap();
                // Three of ten times there is no vector: then the old one goes with the old text.
                let made = match rng.u8(..10) {
                    0..3 => Value::Null,
                    _ => vector(version),
                };
                txn.set_property(node, "v", made).unwrap();
                txn.commit().unwrap();
            }
            done.store(true, Ordering::Release);
        });
        for _ in 0..2 {
            scope.spawn(|| {
                let mut rng = Rng::with_seed(2);
                let mut looks = 0;
                while !done.load(Ordering::Acquire) || looks < 100 {
                    looks += 1;
                    looks_right(&db, &embedding(rng.u64(..4000)));
                }
            });
        }
    });
    let read = db.read().unwrap();
    let pending = (0..NODES).filter(|id| {
        let vector = read.property(NodeId::new(*id), "v").unwrap();
        matches!(vector, Value::Null)
    });
    let found = db.vector_indexes().unwrap()[0].vectors;
    let pending = pending.count() as u64;
    assert!(pending > 0, "nothing failed");
    assert_eq!(found, NODES - pending);
}

/// Whether everything that one reader finds, by its vector or by its text, has the vector of that text.
fn looks_right(db: &Database, query: &[f32]) {
    let read = db.read().unwrap();
    let near = VectorSearch::new(query, 50).effort(Effort::Exact);
    let words = TextSearch::new("text", 50);
    let hits = read
        .search_hybrid(("v", &near), ("t", &words), Fusion::default(), 100)
        .unwrap();
    assert_eq!(hits.len() as u64, NODES);
    let with_vectors = read.search_vectors("v", &near).unwrap().hits;
    for hit in &with_vectors {
        let text = read.property(hit.entity, "t").unwrap();
        let Value::String(text) = text else {
            panic!("{text:?}")
        };
        let version = text.split(' ').next_back().unwrap().parse().unwrap();
        let stored = read.property(hit.entity, "v").unwrap();
        assert!(
            stored.equivalent(&vector(version)),
            "{stored:?}, and {version}"
        );
    }
}
