//! One ranking of what is near and what has the words.

use super::*;
use stratigraph::{Fusion, Value, Vector, VectorIndex, VectorSearch};

#[test]
fn both_are_asked_at_one_commit() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(VectorIndex::on_nodes("Chunk", "v", 2).named("vectors"))
        .unwrap();
    db.create_text_index(TextIndex::on_nodes("Chunk", ["text"]).named("texts"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let mut chunk = |text: &str, v: [f32; 2]| {
        let v = Value::Vector(Vector::new(v).unwrap());
        txn.create_node(["Chunk"], [("text", Value::from(text)), ("v", v)])
            .unwrap()
    };
    let both = chunk("layers of rock", [1.0, 0.1]);
    let near = chunk("strata", [1.0, 0.0]);
    let worded = chunk("rock music", [0.0, 1.0]);
    let neither = chunk("jazz", [-1.0, 0.0]);
    let vectors = VectorSearch::new(&[1.0, 0.0], 2);
    let texts = TextSearch::new("rock layers", 3);
    let ask = |read: &dyn Fn(Fusion) -> Vec<stratigraph::HybridHit>, fusion| -> Vec<Entity> {
        read(fusion).iter().map(|hit| hit.entity).collect()
    };
    let own = |fusion| {
        txn.search_hybrid(("vectors", &vectors), ("texts", &texts), fusion, 3)
            .unwrap()
    };
    for fusion in [
        Fusion::default(),
        Fusion::NormalisedScore { vector_weight: 1.0 },
    ] {
        let hits = ask(&own, fusion);
        assert_eq!(hits[0], both.into(), "{fusion:?}");
        assert!(hits.contains(&near.into()) && hits.contains(&worded.into()));
        assert!(!hits.contains(&neither.into()));
    }
    let first = own(Fusion::default())[0];
    assert!(first.vector_score.is_some() && first.text_score.is_some());
    let read = db.read().unwrap();
    let outside = read.search_hybrid(
        ("vectors", &vectors),
        ("texts", &texts),
        Fusion::default(),
        3,
    );
    assert!(outside.unwrap().is_empty(), "nothing is committed yet");
}

#[test]
fn equal_hits_come_in_one_order() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", 2).named("vectors"))
        .unwrap();
    db.create_text_index(TextIndex::on_any_relationship(["text"]).named("texts"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let v = || Value::Vector(Vector::new([1.0, 0.0]).unwrap());
    let node = txn.create_node(["N"], [("v", v())]).unwrap();
    txn.create_relationship(node, "R", node, [("text", "alpha")])
        .unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let vectors = VectorSearch::new(&[1.0, 0.0], 2);
    let texts = TextSearch::new("alpha", 3);
    let ask = || {
        let hits = read.search_hybrid(
            ("vectors", &vectors),
            ("texts", &texts),
            Fusion::default(),
            1,
        );
        hits.map(|hits| hits.first().map(|hit| hit.entity))
    };
    // Which of two kinds is first must not depend on chance.
    let first = ask().unwrap();
    assert!(first.is_some());
    for _ in 0..64 {
        assert_eq!(ask().unwrap(), first);
    }
}

#[test]
fn a_fusion_that_is_no_number_is_refused() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", 2).named("vectors"))
        .unwrap();
    db.create_text_index(texts_by(Analysis::Plain)).unwrap();
    let mut txn = db.write().unwrap();
    txn.create_node(["N"], [("text", "alpha")]).unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let vectors = VectorSearch::new(&[1.0, 0.0], 2);
    let texts = TextSearch::new("alpha", 3);
    for (constant, vector_weight) in [
        (-1.0, 1.0),
        (f32::NAN, 1.0),
        (60.0, -1.0),
        (60.0, f32::INFINITY),
    ] {
        let fusion = Fusion::ReciprocalRank {
            constant,
            vector_weight,
        };
        let hits = read.search_hybrid(("vectors", &vectors), ("texts", &texts), fusion, 1);
        assert!(
            matches!(
                hits,
                Err(stratigraph::Error::BadDeclaration { what: "fusion", .. })
            ),
            "{constant}, {vector_weight}: {hits:?}"
        );
    }
}
