//! A disk that is full while vectors are written, and while their index is kept: what was acknowledged is found,
//! before there is room again and after.

use super::small_disk::{SmallDisk, builder};
use std::path::Path;
use stratigraph::storage::cancel::Watch;
use stratigraph::{
    Database, Effort, ErrorKind, NodeId, Read as _, ServedBy, Value, Vector, VectorIndex,
    VectorSearch,
};
use stratigraph_tests::driver::indexes;

const DIMENSIONS: usize = 128;
/// So many are written by one transaction.
const AT_ONCE: u64 = 20;

fn row(id: u64) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(id);
    (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()
}

/// Writes until it is refused, or there are enough. Returns how many there are.
fn write(db: &Database, from: u64, to: u64) -> (u64, Option<stratigraph::Error>) {
    let mut next = from;
    while next < to {
        let mut txn = db.write().unwrap();
        for id in next..next + AT_ONCE {
            let vector = Value::Vector(Vector::new(row(id)).unwrap());
            txn.create_node(["N"], [("v", vector)]).unwrap();
        }
        if let Err(error) = txn.commit() {
            return (next, Some(error));
        }
        next += AT_ONCE;
    }
    (next, None)
}

/// Whether everybody is found, and nobody else.
fn finds(db: &Database, count: u64) {
    let read = db.read().unwrap();
    for id in (0..count).step_by(37) {
        let query = row(id);
        let search = VectorSearch::new(&query, 1).effort(Effort::Exact);
        let hit = read.search_vectors("n", &search).unwrap().hits[0];
        assert_eq!(hit.entity, NodeId::new(id).into());
    }
    let query = row(0);
    let all = VectorSearch::new(&query, 100_000).effort(Effort::Exact);
    let found = read.search_vectors("n", &all).unwrap().hits.len();
    assert_eq!(found as u64, count);
}

fn filled(dir: &Path) -> Database {
    let db = builder().create_if_missing(true).open(dir).unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", DIMENSIONS).named("n"))
        .unwrap();
    db
}

/// With room again: opened, it finds the same by its index, and that is what is stored.
/// Returns how many changes were only in the journal.
fn is_well(dir: &Path, count: u64) -> u64 {
    let db = builder().open(dir).expect("there is room again");
    let journaled = db.vector_indexes().unwrap()[0].journaled;
    assert_eq!(indexes::differences(&db).unwrap(), [""; 0]);
    finds(&db, count);
    let query = row(0);
    let answer = db.read().unwrap();
    let answer = answer
        .search_vectors("n", &VectorSearch::new(&query, 1))
        .unwrap();
    assert_eq!(answer.served_by, ServedBy::Index);
    let report = db.check(&mut Watch::quiet());
    assert!(report.unwrap().is_clean());
    let (more, refused) = write(&db, count, count + 1000);
    assert!(refused.is_none(), "{refused:?}");
    finds(&db, more);
    db.close().unwrap();
    let left = std::fs::read_dir(dir.join("vectors")).unwrap();
    let left = left.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.collect::<Vec<_>>(), ["0.rows"]);
    journaled
}

#[test]
fn vectors_are_refused_whole_when_the_disk_is_full() {
    let Some(disk) = SmallDisk::new(8 << 20) else {
        return;
    };
    let dir = disk.path().join("database");
    let db = filled(&dir);
    let (count, refused) = write(&db, 0, 100_000);
    let refused = refused.expect("8 MiB hold less than that");
    eprintln!("{count} vectors, then: {refused}");
    assert_eq!(refused.kind(), ErrorKind::Unavailable, "{refused:?}");
    assert_eq!(
        db.info().failure,
        None,
        "nothing was written, so nothing is poisoned"
    );
    finds(&db, count);
    db.close().unwrap();
    disk.grow(64 << 20);
    is_well(&dir, count);
}

#[test]
fn a_snapshot_that_finds_no_room_leaves_the_last_one() {
    for left in [0, 64 << 10, 512 << 10] {
        let Some(disk) = SmallDisk::new(32 << 20) else {
            return;
        };
        let dir = disk.path().join("database");
        let db = filled(&dir);
        let (count, _) = write(&db, 0, 2000);
        db.close().unwrap();
        // One is kept. The next is begun when there is little room.
        let db = builder().open(&dir).unwrap();
        let (count, _) = write(&db, count, count + 2000);
        disk.fill_but(left);
        // Whether RocksDB was just then writing a file or not, the logs have what the files have not.
        if let Err(refused) = db.close() {
            assert_eq!(refused.kind(), ErrorKind::Unavailable, "{refused:?}");
        }
        disk.free_up();
        disk.grow(64 << 20);
        assert_eq!(is_well(&dir, count), 2000, "with {left} bytes left");
    }
}
