//! What is derived may be lost: answers stay right, and the index comes back.

use super::*;
use std::fs;
use std::path::{Path, PathBuf};
use stratigraph::ServedBy;
use stratigraph::keys::KeyRead as _;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;

const DIMENSIONS: usize = 384;
const COUNT: u64 = 1500;

fn filled(folder: &Path) -> Database {
    let db = Database::builder()
        .create_if_missing(true)
        .open(folder)
        .unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", DIMENSIONS).named("n"))
        .unwrap();
    let mut txn = db.write().unwrap();
    for id in 0..COUNT {
        txn.create_node(["N"], [("v", value(row(id)))]).unwrap();
    }
    txn.commit().unwrap();
    db
}

fn row(id: u64) -> Vec<f32> {
    random(&mut Rng::with_seed(id), DIMENSIONS)
}

/// Whether all are found by their own vectors, and who has found the last.
fn finds_all(db: &Database) -> ServedBy {
    let read = db.read().unwrap();
    let mut last = ServedBy::Index;
    for id in (0..COUNT).step_by(7) {
        let answer = read
            .search_vectors("n", &VectorSearch::new(&row(id), 1))
            .unwrap();
        assert_eq!(answer.hits[0].entity.number(), id);
        assert!((answer.hits[0].score - 1.0).abs() < 1e-5);
        last = answer.served_by;
    }
    last
}

fn rows_file(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder.join("vectors")).unwrap();
    let mut files = entries.map(|entry| entry.unwrap().path());
    files
        .find(|path| path.extension().is_some_and(|end| end == "rows"))
        .unwrap()
}

#[test]
fn a_row_that_was_changed_is_never_used() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).close().unwrap();
    let rows = rows_file(folder.path());
    let mut bytes = fs::read(&rows).unwrap();
    // As if half of it had not reached the disk, with one bit turned besides.
    let half = bytes.len() / 2;
    bytes[half..].fill(0);
    bytes[100] ^= 1;
    fs::write(&rows, bytes).unwrap();
    let db = Database::open(folder.path()).unwrap();
    finds_all(&db);
    wait(&db);
    assert_eq!(finds_all(&db), ServedBy::Index);
    db.close().unwrap();
    let db = Database::open(folder.path()).unwrap();
    assert_eq!(
        finds_all(&db),
        ServedBy::Index,
        "what was lost is there again"
    );
}

#[test]
fn rows_that_are_gone_are_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).close().unwrap();
    fs::remove_dir_all(folder.path().join("vectors")).unwrap();
    let db = Database::open(folder.path()).unwrap();
    assert_eq!(finds_all(&db), ServedBy::Index);
}

#[test]
fn a_snapshot_that_is_damaged_or_gone_is_made_anew() {
    type Harm = fn(&mut stratigraph::keys::KeyWriteTxn, &[(Vec<u8>, Vec<u8>)]);
    let harms: [(&str, Harm); 4] = [
        ("no head", |txn, pairs| {
            txn.delete(Family::VectorSnapshot, &pairs[0].0).unwrap();
        }),
        ("a head of other bytes", |txn, pairs| {
            txn.put(Family::VectorSnapshot, &pairs[0].0, b"other")
                .unwrap();
        }),
        ("no part", |txn, pairs| {
            txn.delete(Family::VectorSnapshot, &pairs[2].0).unwrap();
        }),
        ("a part with a bit turned", |txn, pairs| {
            let (key, mut part) = pairs[1].clone();
            part[1000] ^= 16;
            txn.put(Family::VectorSnapshot, &key, &part).unwrap();
        }),
    ];
    for (what, harm) in harms {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path()).close().unwrap();
        let db = Database::open(folder.path()).unwrap();
        let mut txn = db.key_write().unwrap();
        let mut pairs = Vec::new();
        let mut scan = txn.scan(Family::VectorSnapshot, &KeyRange::all()).unwrap();
        while let Some(entry) = scan.next().unwrap() {
            pairs.push((entry.key.to_vec(), entry.value.to_vec()));
        }
        drop(scan);
        assert_eq!(pairs.len(), 1 + 6, "a head and a part for every 256");
        harm(&mut txn, &pairs);
        txn.commit().unwrap();
        db.close().unwrap();
        let db = Database::open(folder.path()).unwrap();
        finds_all(&db);
        wait(&db);
        assert_eq!(finds_all(&db), ServedBy::Index, "{what}");
        db.close().unwrap();
        let db = Database::open(folder.path()).unwrap();
        assert_eq!(finds_all(&db), ServedBy::Index, "{what}");
    }
}
