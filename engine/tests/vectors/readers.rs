//! Commits and readers beside each other: nobody is ahead of the index, or behind it.

use super::beside::*;
use super::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stratigraph::{Durability, Effort, ServedBy};

/// How many searches found less than what their transaction has, while a commit went on, and how many of one
/// label are found after it.
fn behind(db: &Database, count: u64) -> (u64, usize) {
    db.create_vector_index(VectorIndex::on_any_node("v", 32).named("n"))
        .unwrap();
    let done = AtomicBool::new(false);
    let mut behind = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            add(db, 0..count, 32);
            done.store(true, Ordering::Release);
        });
        let query = row(1, 32);
        let all = VectorSearch::new(&query, count as usize).effort(Effort::Exact);
        loop {
            let ends = done.load(Ordering::Acquire);
            let read = db.read().unwrap();
            let stored = read.node_count(Some("N")).unwrap();
            let answer = read.search_vectors("n", &all).unwrap();
            let labelled = read
                .search_vectors("n", &all.clone().labelled("N"))
                .unwrap();
            assert_eq!(answer.served_by, ServedBy::Index);
            assert!(labelled.hits.len() as u64 <= count);
            behind += u64::from(answer.hits.len() as u64 != stored);
            if ends {
                break;
            }
            sleep(1);
        }
    });
    let query = row(1, 32);
    let all = VectorSearch::new(&query, count as usize).effort(Effort::Exact);
    let answer = db.read().unwrap().search_vectors("n", &all.labelled("N"));
    (behind, answer.unwrap().hits.len())
}

#[test]
fn no_reader_is_ahead_of_the_index_when_syncs_are_periodic() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::builder()
        .create_if_missing(true)
        .durability(Durability::Periodic(Duration::from_secs(3600)))
        .open(folder.path())
        .unwrap();
    assert_eq!(behind(&db, 8000), (0, 8000));
}

#[test]
fn no_reader_is_ahead_of_the_index_when_others_sync() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::builder()
        .create_if_missing(true)
        .open(folder.path())
        .unwrap();
    let stop = AtomicBool::new(false);
    let found = std::thread::scope(|scope| {
        // As any other writer's group commit would.
        scope.spawn(|| {
            while !stop.load(Ordering::Acquire) {
                db.sync().unwrap();
                sleep(1);
            }
        });
        let found = behind(&db, 8000);
        stop.store(true, Ordering::Release);
        found
    });
    assert_eq!(found, (0, 8000));
}

#[test]
fn a_commit_does_not_wait_for_the_graph() {
    let db = Database::builder()
        .write_queue_timeout(Duration::from_secs(3))
        .in_memory()
        .unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", 32).breadth(1000).named("n"))
        .unwrap();
    let mut txn = db.write().unwrap();
    for id in 0..20_000 {
        txn.create_node(["N"], [("v", value(row(id, 32)))]).unwrap();
    }
    std::thread::scope(|scope| {
        scope.spawn(|| txn.commit().unwrap());
        sleep(10);
        let other = db.write().map(drop);
        assert!(other.is_ok(), "{other:?}");
    });
}

#[test]
fn a_savepoint_that_was_taken_back_and_labels_that_move_are_followed() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(VectorIndex::on_nodes("A", "v", 2).named("a"))
        .unwrap();
    db.create_vector_index(VectorIndex::on_any_node("v", 2).named("any"))
        .unwrap();
    let mut rng = Rng::with_seed(7);
    let mut nodes = Vec::new();
    for round in 0..300 {
        let mut txn = db.write().unwrap();
        let mut before = None;
        let mut made = Vec::new();
        let mut gone = Vec::new();
        for _ in 0..rng.usize(1..12) {
            let node = nodes.get(rng.usize(0..nodes.len().max(1))).copied();
            match (rng.u8(..7), node) {
                (0, _) | (_, None) => {
                    let node = txn.create_node(["A"], [("v", value([1.0, rng.f32()]))]);
                    made.push(node.unwrap());
                }
                (1, Some(node)) => drop(txn.set_property(node, "v", value([rng.f32(), 1.0]))),
                (2, Some(node)) => drop(txn.remove_label(node, "A")),
                (3, Some(node)) => drop(txn.add_label(node, "A")),
                (4, Some(node)) => drop(txn.set_property(node, "v", Value::Null)),
                (5, Some(node)) => {
                    if txn.delete_node(node).is_ok() && before.is_none() {
                        gone.push(node);
                    }
                }
                _ => match before {
                    None => before = Some((txn.savepoint().unwrap(), made.len())),
                    Some((savepoint, count)) => {
                        txn.rollback_to(savepoint).unwrap();
                        made.truncate(count);
                    }
                },
            }
            let query = [1.0, 0.5];
            let search = VectorSearch::new(&query, 10_000).effort(Effort::Exact);
            let labelled = txn.search_vectors("a", &search).unwrap().hits;
            let any = txn
                .search_vectors("any", &search.clone().labelled("A"))
                .unwrap();
            assert_eq!(labelled, any.hits, "round {round}");
        }
        if rng.u8(..4) == 0 {
            txn.rollback();
        } else {
            txn.commit().unwrap();
            nodes.extend(made);
            nodes.retain(|node| !gone.contains(node));
        }
        assert_eq!(findings(&db), "");
    }
}
