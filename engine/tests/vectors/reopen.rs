//! What an open finds again: after a close, after a crash, from a backup, and without writing.

use super::*;
use std::path::Path;
use stratigraph::{ServedBy, VectorIndexState};

const DIMENSIONS: usize = 16;

fn filled(folder: &Path, count: usize) -> Database {
    let db = Database::builder()
        .create_if_missing(true)
        .open(folder)
        .unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", DIMENSIONS).named("n"))
        .unwrap();
    add(&db, count, 1);
    db
}

fn add(db: &Database, count: usize, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let mut txn = db.write().unwrap();
    for _ in 0..count {
        txn.create_node(["N"], [("v", value(random(&mut rng, DIMENSIONS)))])
            .unwrap();
    }
    txn.commit().unwrap();
}

/// The answers to some questions, and who has answered.
fn answers(db: &Database) -> Vec<(Vec<Entity>, ServedBy)> {
    let mut rng = Rng::with_seed(99);
    let read = db.read().unwrap();
    let ask = |query: &[f32]| {
        read.search_vectors("n", &VectorSearch::new(query, 10))
            .unwrap()
    };
    (0..20)
        .map(|_| ask(&random(&mut rng, DIMENSIONS)))
        .map(|answer| (entities(&answer), answer.served_by))
        .collect()
}

fn journaled(db: &Database) -> u64 {
    db.vector_indexes().unwrap()[0].journaled
}

#[test]
fn a_closed_database_has_its_index_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let db = filled(folder.path(), 3000);
    let before = answers(&db);
    assert_eq!(journaled(&db), 3000);
    db.close().unwrap();
    let db = Database::open(folder.path()).unwrap();
    assert!(matches!(
        db.vector_indexes().unwrap()[0].state,
        VectorIndexState::Ready
    ));
    assert_eq!(journaled(&db), 0, "the snapshot has everything");
    assert_eq!(answers(&db), before);
    // Again with a little more: parts that did not change are not written again.
    add(&db, 10, 2);
    let before = answers(&db);
    db.close().unwrap();
    let db = Database::open(folder.path()).unwrap();
    assert_eq!(answers(&db), before);
}

#[test]
fn a_killed_database_reads_its_journal() {
    let folder = tempfile::tempdir().unwrap();
    let db = filled(&folder.path().join("first"), 1000);
    db.close().unwrap();
    let db = Database::open(folder.path().join("first")).unwrap();
    add(&db, 500, 3);
    let mut txn = db.write().unwrap();
    for id in 0..100 {
        txn.delete_node(NodeId::new(id)).unwrap();
    }
    txn.commit().unwrap();
    // As a crash would leave it.
    folder::copy(&folder.path().join("first"), &folder.path().join("second"));
    let copy = Database::open(folder.path().join("second")).unwrap();
    assert_eq!(journaled(&copy), 600);
    let sets = |db: &Database| -> Vec<RoaringTreemap> {
        let answers = answers(db).into_iter();
        answers
            .map(|(hits, _)| hits.iter().map(|hit| hit.number()).collect())
            .collect()
    };
    let (ours, theirs) = (sets(&copy), sets(&db));
    let same: u64 = ours
        .iter()
        .zip(&theirs)
        .map(|(left, right)| left.intersection_len(right))
        .sum();
    assert!(same >= 195, "{same} of 200");
    assert!(
        answers(&copy)
            .iter()
            .all(|(_, served_by)| *served_by == ServedBy::Index)
    );
}

#[test]
fn a_reader_of_files_needs_to_write_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let db = filled(folder.path(), 2000);
    let before = answers(&db);
    db.close().unwrap();
    let db = Database::builder().open_read_only(folder.path()).unwrap();
    assert_eq!(answers(&db), before);
}

#[test]
fn a_restored_backup_has_its_index() {
    let folder = tempfile::tempdir().unwrap();
    let (home, backups, back) = (
        folder.path().join("home"),
        folder.path().join("backups"),
        folder.path().join("back"),
    );
    let db = filled(&home, 2000);
    let before = answers(&db);
    db.close().unwrap();
    let db = Database::open(&home).unwrap();
    let watch = &mut Watch::quiet();
    db.backup(&backups, watch).unwrap();
    stratigraph::restore(&backups, None, &back, watch).unwrap();
    let db = Database::open(&back).unwrap();
    wait(&db);
    assert_eq!(answers(&db), before);
}
