//! What is kept of an index, and what is left of it.

use super::beside::*;
use super::*;
use std::collections::BTreeMap;
use std::fs;
use stratigraph::keys::KeyRead as _;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;
use stratigraph::{Effort, VectorIndexState};

/// Touches much and leaves nothing.
fn touch(db: &Database, times: u64) {
    for _ in 0..times {
        let mut txn = db.write().unwrap();
        for id in 0..10_000 {
            let node = txn.create_node(["N"], [("v", value(row(id, 2)))]).unwrap();
            txn.delete_node(node).unwrap();
        }
        txn.commit().unwrap();
    }
}

fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn who_only_reads_writes_no_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::create(folder.path()).unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", 32).named("n"))
        .unwrap();
    add(&db, 0..2000, 32);
    db.close().unwrap();
    let db = Database::open(folder.path()).unwrap();
    let mut txn = db.key_write().unwrap();
    let mut scan = txn.scan(Family::VectorSnapshot, &KeyRange::all()).unwrap();
    let head = scan.next().unwrap().unwrap().key.to_vec();
    drop(scan);
    txn.delete(Family::VectorSnapshot, &head).unwrap();
    txn.commit().unwrap();
    db.close().unwrap();
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    files(folder.path(), &mut before);
    let db = Database::builder().open_read_only(folder.path()).unwrap();
    wait(&db);
    idle();
    files(folder.path(), &mut after);
    assert_eq!(after, before);
}

#[test]
fn a_database_in_memory_does_not_keep_after_every_commit() {
    let db = Database::in_memory().unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", 2).named("n"))
        .unwrap();
    touch(&db, 11);
    idle();
    let before = db.read().unwrap().commit_seq().get();
    for id in 0..20 {
        add(&db, id..id + 1, 2);
        idle();
    }
    let commits = db.read().unwrap().commit_seq().get() - before;
    let journaled = db.vector_indexes().unwrap()[0].journaled;
    assert_eq!(commits, 20, "with {journaled} in the journal");
    assert!(journaled < 100_000, "{journaled}");
}

#[test]
fn a_dropped_index_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::create(folder.path()).unwrap();
    add(&db, 0..3000, 384);
    for _ in 0..5 {
        db.create_vector_index(VectorIndex::on_nodes("N", "v", 384).named("n"))
            .unwrap();
        db.drop_vector_index("n").unwrap();
        idle();
    }
    let read = db.key_read().unwrap();
    let mut scan = read.scan(Family::VectorSnapshot, &KeyRange::all()).unwrap();
    let (mut pairs, mut bytes) = (0, 0);
    while let Some(entry) = scan.next().unwrap() {
        pairs += 1;
        bytes += entry.value.len();
    }
    assert_eq!((pairs, bytes), (0, 0), "{}", findings(&db));
}

#[test]
fn an_intent_of_other_bytes_reserves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::create(folder.path()).unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", 2).named("n"))
        .unwrap();
    add(&db, 0..10, 2);
    let id = db.vector_indexes().unwrap()[0].definition.id.get();
    let mut txn = db.key_write().unwrap();
    let mut key = id.to_be_bytes().to_vec();
    key.extend([0xFF; 4]);
    // 2 097 151 parts; there may be 4 294 967 295.
    txn.put(Family::VectorSnapshot, &key, &[1, 9, 0xFF, 0xFF, 0x7F])
        .unwrap();
    txn.commit().unwrap();
    db.close().unwrap();
    // `close` has written a snapshot and with it removed the intent: as if it had been killed before.
    let db = Database::open(folder.path()).unwrap();
    let mut txn = db.key_write().unwrap();
    txn.put(Family::VectorSnapshot, &key, &[1, 9, 0xFF, 0xFF, 0x7F])
        .unwrap();
    txn.commit().unwrap();
    db.close().unwrap();
    let before = peak_kib();
    let db = Database::open(folder.path()).unwrap();
    // The kernel counts a process's pages roughly: its peak may be a little lower than it was.
    let more = peak_kib().saturating_sub(before);
    drop(db);
    assert!(more < 64 << 10, "{more} KiB for an index of ten vectors");
}

#[test]
fn a_damaged_journal_entry_does_not_end_an_index_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::create(folder.path()).unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", 2).named("n"))
        .unwrap();
    add(&db, 0..10, 2);
    let id = db.vector_indexes().unwrap()[0].definition.id.get();
    db.close().unwrap();
    let db = Database::open(folder.path()).unwrap();
    // Of a commit that the snapshot has: nobody needs it.
    let mut key = id.to_be_bytes().to_vec();
    key.extend(1_u64.to_be_bytes());
    let mut txn = db.key_write().unwrap();
    txn.put(Family::Journal, &key, b"other").unwrap();
    txn.commit().unwrap();
    db.close().unwrap();
    for _ in 0..2 {
        let db = Database::open(folder.path()).unwrap();
        idle();
        let state = db.vector_indexes().unwrap()[0].state.clone();
        assert!(matches!(state, VectorIndexState::Ready), "{state:?}");
    }
}

#[test]
fn a_snapshot_is_of_a_whole_commit() {
    const DIMENSIONS: usize = 32;
    let folder = tempfile::tempdir().unwrap();
    let db = Database::builder()
        .create_if_missing(true)
        .vector_threads(1)
        .open(folder.path())
        .unwrap();
    let index = VectorIndex::on_nodes("N", "v", DIMENSIONS)
        .links(32)
        .breadth(1000);
    db.create_vector_index(index.named("n")).unwrap();
    idle();
    // Nearly enough to be worth a snapshot.
    for _ in 0..7 {
        let mut txn = db.write().unwrap();
        let doomed = value(row(0, DIMENSIONS));
        for _ in 0..10_900 {
            let node = txn.create_node(["N"], [("v", doomed.clone())]).unwrap();
            txn.delete_node(node).unwrap();
        }
        txn.commit().unwrap();
    }
    assert!(db.vector_indexes().unwrap()[0].journaled < 80_000);
    // Now it is, and there is much to link: whoever makes the snapshot waits until that is done.
    add(&db, 0..3800, DIMENSIONS);
    // Now a load: the index is suspended, and catches up while the snapshot is begun.
    let mut load = db.bulk_load().unwrap();
    for id in 3800..13_000 {
        load.add_node(["N"], [("v", value(row(id, DIMENSIONS)))])
            .unwrap();
    }
    load.finish(&mut Watch::quiet()).unwrap();
    wait(&db);
    idle();
    assert_eq!(findings(&db), "");
    db.close().unwrap();
    let db = Database::open(folder.path()).unwrap();
    wait(&db);
    let query = row(1, DIMENSIONS);
    let search = VectorSearch::new(&query, 50_000).effort(Effort::Exact);
    let answer = db.read().unwrap().search_vectors("n", &search).unwrap();
    assert_eq!(answer.hits.len(), 13_000, "{:?}", answer.served_by);
}
