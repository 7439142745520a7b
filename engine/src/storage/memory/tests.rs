//! What only the store in memory promises: it forgets what nobody can read.
//!
//! What it shares with other stores is tested by [`conformance`](crate::storage::conformance).

use super::MemoryStore;
use crate::error::Error;
use crate::storage::batch::Batch;
use crate::storage::family::Family;
use crate::storage::range::{Direction, KeyRange};
use crate::storage::store::{ScanOptions, Snapshot, Store};
use std::path::Path;
use std::sync::Arc;

/// How many values are kept, in all families.
fn kept_values(store: &MemoryStore) -> usize {
    Family::all()
        .map(|family| store.state.tree(family).read().kept_values())
        .sum()
}

fn put(store: &MemoryStore, key: &[u8], value: &[u8]) {
    let mut batch = Batch::new();
    batch.put(Family::Nodes, key, value);
    store.append(&batch).expect("append");
}

fn delete(store: &MemoryStore, key: &[u8]) {
    let mut batch = Batch::new();
    batch.delete(Family::Nodes, key);
    store.append(&batch).expect("append");
}

fn get(snapshot: &Arc<dyn Snapshot>, key: &[u8]) -> Option<Vec<u8>> {
    snapshot
        .multi_get(Family::Nodes, &[key])
        .expect("multi_get")
        .remove(0)
}

#[test]
fn without_snapshots_only_the_newest_values_stay() {
    let store = MemoryStore::new();
    for round in 0_u8..50 {
        for key in 0_u8..20 {
            put(&store, &[key], &[round]);
        }
    }
    assert_eq!(kept_values(&store), 20);
    for key in 0_u8..20 {
        delete(&store, &[key]);
    }
    assert_eq!(kept_values(&store), 0, "deletes leave nothing behind");
    assert_eq!(
        store.metrics().memtable_bytes,
        0,
        "and the count of bytes agrees"
    );
    assert!(store.stale.lock().is_empty());
}

#[test]
fn overwrites_under_a_recent_snapshot_do_not_pile_up() {
    let store = MemoryStore::new();
    let mut recent = store.snapshot();
    for round in 0_u32..2_000 {
        put(&store, &[(round % 50) as u8], &round.to_be_bytes());
        recent = store.snapshot();
        assert!(
            kept_values(&store) <= 110,
            "{} values in round {round}",
            kept_values(&store)
        );
    }
    drop(recent);
}

#[test]
fn keys_that_are_written_and_deleted_once_do_not_pile_up() {
    // The journal does this: no key comes back, so that only the sweep can find the rests.
    let store = MemoryStore::new();
    let mut recent = store.snapshot();
    for round in 0_u32..2_000 {
        put(&store, &round.to_be_bytes(), b"entry");
        recent = store.snapshot();
        delete(&store, &round.to_be_bytes());
        assert!(
            kept_values(&store) <= 10,
            "{} values in round {round}",
            kept_values(&store)
        );
    }
    drop(recent);
}

#[test]
fn an_old_snapshot_keeps_its_own_values_and_no_others() {
    let store = MemoryStore::new();
    for key in 0_u8..30 {
        put(&store, &[key], b"old");
    }
    let old = store.snapshot();
    for round in 0_u8..100 {
        for key in 0_u8..30 {
            put(&store, &[key], &[round]);
        }
    }
    assert!(
        kept_values(&store) <= 3 * 30,
        "{} values",
        kept_values(&store)
    );
    store.compact(Family::Nodes).expect("compact");
    assert_eq!(kept_values(&store), 2 * 30);
    for key in 0_u8..30 {
        assert_eq!(get(&old, &[key]), Some(b"old".to_vec()));
    }
    drop(old);
    store.compact(Family::Nodes).expect("compact");
    assert_eq!(kept_values(&store), 30);
}

#[test]
fn a_small_batch_works_off_a_part_of_what_a_dropped_snapshot_kept() {
    let store = MemoryStore::new();
    let mut batch = Batch::new();
    for key in 0_u16..1_000 {
        batch.put(Family::Nodes, &key.to_be_bytes(), b"value");
    }
    store.append(&batch).expect("append");
    let held = store.snapshot();
    store.append(&batch).expect("append");
    assert_eq!(kept_values(&store), 2_000);
    drop(held);
    put(&store, b"x", b"");
    let after_one = kept_values(&store);
    assert!(
        (1_900..2_000).contains(&after_one),
        "one batch swept too much: {after_one}"
    );
    for _ in 0..20 {
        put(&store, b"x", b"");
    }
    assert_eq!(kept_values(&store), 1_001);
}

#[test]
fn metrics_count_keys_that_have_a_value() {
    let store = MemoryStore::new();
    let held = store.snapshot();
    put(&store, b"a", b"1");
    put(&store, b"a", b"2");
    put(&store, b"b", b"1");
    delete(&store, b"b");
    delete(&store, b"c");
    let metrics = store.metrics();
    assert_eq!(metrics.families[Family::Nodes.index()].keys, 1);
    assert_eq!(metrics.live_files, 0);
    drop(held);
}

#[test]
fn a_stretch_of_deleted_keys_is_crossed_in_both_directions() {
    let store = MemoryStore::new();
    let (mut puts, mut deletes) = (Batch::new(), Batch::new());
    for key in 0_u16..2_000 {
        puts.put(Family::Nodes, &key.to_be_bytes(), b"");
        if (1..1_999).contains(&key) {
            deletes.delete(Family::Nodes, &key.to_be_bytes());
        }
    }
    store.append(&puts).expect("append");
    let held = store.snapshot();
    store.append(&deletes).expect("append");
    let snapshot = store.snapshot();
    for direction in [Direction::Forward, Direction::Backward] {
        let options = ScanOptions {
            direction,
            ..ScanOptions::default()
        };
        let mut cursor = snapshot.cursor(Family::Nodes, &KeyRange::all(), options);
        let mut keys = Vec::new();
        while let Some(entry) = cursor.next().expect("next") {
            keys.push(entry.key.to_vec());
        }
        keys.sort();
        assert_eq!(
            keys,
            [0_u16.to_be_bytes(), 1_999_u16.to_be_bytes()],
            "{direction:?}"
        );
    }
    drop(held);
}

#[test]
fn a_checkpoint_needs_a_disk() {
    let refused = MemoryStore::new().checkpoint(Path::new("anywhere"));
    assert!(matches!(
        refused,
        Err(Error::NeedsDisk {
            operation: "checkpoint"
        })
    ));
}
