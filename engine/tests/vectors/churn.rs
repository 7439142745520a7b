//! Much that comes and goes: ids with other vectors, transactions that are taken back, readers that stay.

use super::beside::findings;
use super::*;
use stratigraph::{Durability, Effort, ServedBy, TextIndex, TextSearch};

const DIMENSIONS: usize = 8;
/// As many nodes are changed again and again.
const NODES: u64 = 500;

fn vectors() -> VectorIndex {
    VectorIndex::on_nodes("N", "v", DIMENSIONS).named("n")
}

fn nearest_one(read: &impl Read, query: &[f32]) -> (u64, f32, ServedBy) {
    let search = VectorSearch::new(query, 1).effort(Effort::Exact);
    let answer = read.search_vectors("n", &search).unwrap();
    let hit = answer.hits[0];
    (hit.entity.number(), hit.score, answer.served_by)
}

/// A hundred thousand vectors that others replace, with a restart after each thousand: what is found is what is
/// stored, and at the distance of what is stored.
#[test]
fn an_id_with_another_vector_is_found_by_that_one_only() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        Database::builder()
            .create_if_missing(true)
            .durability(Durability::Periodic(std::time::Duration::from_secs(1)))
            .open(folder.path())
            .unwrap()
    };
    let mut rng = Rng::with_seed(5);
    let mut db = open();
    db.create_vector_index(vectors()).unwrap();
    let mut rows: Vec<Vec<f32>> = (0..NODES).map(|_| random(&mut rng, DIMENSIONS)).collect();
    let mut txn = db.write().unwrap();
    for row in &rows {
        txn.create_node(["N"], [("v", value(row.clone()))]).unwrap();
    }
    txn.commit().unwrap();
    for round in 0..100 {
        for _ in 0..4 {
            let mut txn = db.write().unwrap();
            for _ in 0..250 {
                let id = rng.u64(..NODES);
                let node = NodeId::new(id);
                let row = random(&mut rng, DIMENSIONS);
                // Some go first, in the same transaction.
                if rng.u8(..3) == 0 {
                    txn.set_property(node, "v", Value::Null).unwrap();
                }
                txn.set_property(node, "v", value(row.clone())).unwrap();
                rows[id as usize] = row;
            }
            txn.commit().unwrap();
        }
        db.close().unwrap();
        db = open();
        let read = db.read().unwrap();
        for _ in 0..20 {
            let id = rng.u64(..NODES);
            let (found, score, served_by) = nearest_one(&read, &rows[id as usize]);
            assert_eq!((found, served_by), (id, ServedBy::Index), "round {round}");
            assert!((score - 1.0).abs() < 1e-5, "{score} in round {round}");
        }
        assert_eq!(db.vector_indexes().unwrap()[0].vectors, NODES);
    }
    assert_eq!(findings(&db), "");
}

/// Ten thousand transactions that come to nothing, each in its own way, leave indexes as they were.
#[test]
fn what_is_taken_back_leaves_no_trace() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(vectors()).unwrap();
    db.create_text_index(TextIndex::on_nodes("N", ["t"]).named("t"))
        .unwrap();
    let mut rng = Rng::with_seed(6);
    let mut txn = db.write().unwrap();
    for id in 0..100 {
        let row = value(random(&mut rng, DIMENSIONS));
        let node = [("v", row), ("t", format!("word{} and more", id % 7).into())];
        txn.create_node(["N"], node).unwrap();
    }
    txn.commit().unwrap();
    db.tend_vector_index("n").unwrap();
    let query = random(&mut rng, DIMENSIONS);
    let digest = || {
        let read = db.read().unwrap();
        let search = VectorSearch::new(&query, 1000).effort(Effort::Exact);
        let near = read.search_vectors("n", &search).unwrap().hits;
        let texts = read
            .search_text("t", &TextSearch::new("word3 more", 1000))
            .unwrap();
        let info = &db.vector_indexes().unwrap()[0];
        let kept = (info.vectors, info.journaled, info.memory_bytes);
        (near, texts.hits, kept, read.commit_seq())
    };
    // Searches that go on share what they work in, which counts.
    digest();
    let before = digest();
    for round in 0..10_000_u64 {
        let token = CancelToken::new();
        let mut txn = db.write().unwrap().with_cancel(token.clone());
        let node = NodeId::new(rng.u64(..100));
        let before = txn.savepoint().unwrap();
        txn.set_property(node, "v", value(random(&mut rng, DIMENSIONS)))
            .unwrap();
        txn.set_property(node, "t", "word3 again").unwrap();
        match round % 4 {
            0 => txn.rollback(),
            1 => {
                txn.delete_node(node).unwrap();
                drop(txn);
            }
            2 => {
                txn.rollback_to(before).unwrap();
                txn.set_property(node, "v", value([1.0])).unwrap_err();
                txn.commit().unwrap();
            }
            _ => {
                token.cancel();
                txn.commit().unwrap_err();
            }
        }
    }
    assert_eq!(digest(), before);
    assert_eq!(findings(&db), "");
}

/// A reader stays while a hundred thousand vectors and texts are replaced: it finds what it found, and no more.
#[test]
fn a_reader_keeps_its_index() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(vectors()).unwrap();
    db.create_text_index(TextIndex::on_nodes("N", ["t"]).named("t"))
        .unwrap();
    let mut rng = Rng::with_seed(7);
    let mut txn = db.write().unwrap();
    for id in 0..NODES {
        let row = value(random(&mut rng, DIMENSIONS));
        let node = [("v", row), ("t", format!("old{}", id % 5).into())];
        txn.create_node(["N"], node).unwrap();
    }
    txn.commit().unwrap();
    let queries: Vec<Vec<f32>> = (0..10).map(|_| random(&mut rng, DIMENSIONS)).collect();
    let asked = |read: &stratigraph::ReadTxn| {
        let near = queries.iter().map(|query| {
            let search = VectorSearch::new(query, 20).effort(Effort::Exact);
            read.search_vectors("n", &search).unwrap().hits
        });
        let near: Vec<_> = near.collect();
        let old = read
            .search_text("t", &TextSearch::new("old3", 1000))
            .unwrap();
        let new = read
            .search_text("t", &TextSearch::new("new", 1000))
            .unwrap();
        (near, old.hits, new.hits.len())
    };
    let early = db.read().unwrap();
    let before = asked(&early);
    assert_eq!((before.1.len(), before.2), (100, 0));
    for round in 0..200 {
        let mut txn = db.write().unwrap();
        for id in 0..NODES {
            let node = NodeId::new(id);
            txn.set_property(node, "v", value(random(&mut rng, DIMENSIONS)))
                .unwrap();
            txn.set_property(node, "t", format!("new {round}")).unwrap();
        }
        txn.commit().unwrap();
        if round % 50 == 0 {
            assert_eq!(asked(&early), before, "round {round}");
        }
    }
    assert_eq!(asked(&early), before);
    let late = asked(&db.read().unwrap());
    assert_eq!((late.1.len(), late.2), (0, 500));
    drop(early);
    assert_eq!(findings(&db), "");
}
