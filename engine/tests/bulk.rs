//! Bulk load: what it adds appears whole and at once, and a load that is cut short leaves no trace.

mod folder;

use folder::copy;
use std::fs;
use std::path::Path;
use std::time::Duration;
use stratigraph::codec::CommitSeq;
use stratigraph::keys::{KeyBulkLoad, KeyRead};
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;
use stratigraph::{Database, Durability, Error, Result};

fn open(path: &Path) -> Result<Database> {
    let builder = Database::builder().create_if_missing(true);
    builder
        .disk_reserve_bytes(0)
        .write_buffer_bytes(1 << 20)
        .open(path)
}

/// A test on a database in memory and on one in a folder, each with one commit.
fn on_both(test: impl Fn(&Database)) {
    let folder = tempfile::tempdir().unwrap();
    for db in [
        Database::in_memory().unwrap(),
        open(&folder.path().join("db")).unwrap(),
    ] {
        let mut txn = db.key_write().unwrap();
        txn.put(Family::Nodes, &500_u64.to_be_bytes(), b"before")
            .unwrap();
        txn.commit().unwrap();
        test(&db);
    }
}

fn finish(load: KeyBulkLoad) -> Result<CommitSeq> {
    load.finish(&mut Watch::quiet())
}

fn count(db: &Database, family: Family) -> u64 {
    db.key_read()
        .unwrap()
        .scan(family, &KeyRange::all())
        .unwrap()
        .count()
        .unwrap()
}

fn fill(load: &mut KeyBulkLoad, numbers: std::ops::Range<u64>) {
    for number in numbers {
        load.put(Family::Nodes, &number.to_be_bytes(), b"loaded")
            .unwrap();
        load.put(Family::Labels, &number.to_be_bytes(), b"label")
            .unwrap();
    }
}

#[test]
fn a_load_appears_whole_when_it_is_finished_and_not_before() {
    on_both(|db| {
        let old = db.key_read().unwrap();
        let mut load = db.key_bulk_load().unwrap();
        fill(&mut load, 0..500);
        fill(&mut load, 501..1000);
        assert_eq!(load.entries(), 1998);
        assert_eq!(count(db, Family::Nodes), 1);
        let commit = finish(load).unwrap();
        assert_eq!(count(db, Family::Nodes), 1000);
        assert_eq!(count(db, Family::Labels), 999);
        assert_eq!(db.key_read().unwrap().commit_seq(), commit);
        assert_eq!(
            old.scan(Family::Nodes, &KeyRange::all())
                .unwrap()
                .count()
                .unwrap(),
            1
        );
        // The writer's place is free again.
        let mut txn = db.key_write().unwrap();
        txn.put(Family::Nodes, b"after", b"").unwrap();
        txn.commit().unwrap();
    });
}

#[test]
fn keys_must_rise_and_be_new_and_the_load_goes_on_without_those_that_are_not() {
    on_both(|db| {
        let mut load = db.key_bulk_load().unwrap();
        load.put(Family::Nodes, &7_u64.to_be_bytes(), b"").unwrap();
        let back = load
            .put(Family::Nodes, &7_u64.to_be_bytes(), b"")
            .unwrap_err();
        assert!(
            matches!(
                back,
                Error::BulkOrder {
                    family: "nodes",
                    entry: 1
                }
            ),
            "{back}"
        );
        let stored = load
            .put(Family::Nodes, &500_u64.to_be_bytes(), b"")
            .unwrap_err();
        assert!(
            matches!(
                stored,
                Error::BulkExists {
                    family: "nodes",
                    entry: 1
                }
            ),
            "{stored}"
        );
        load.put(Family::Nodes, &501_u64.to_be_bytes(), b"")
            .unwrap();
        finish(load).unwrap();
        assert_eq!(count(db, Family::Nodes), 3);
        let kept = db
            .key_read()
            .unwrap()
            .get(Family::Nodes, &500_u64.to_be_bytes())
            .unwrap();
        assert_eq!(kept.as_deref(), Some(&b"before"[..]));
    });
}

#[test]
fn an_abandoned_or_cancelled_load_leaves_no_trace() {
    on_both(|db| {
        let mut load = db.key_bulk_load().unwrap();
        fill(&mut load, 0..100);
        drop(load);
        assert_eq!(count(db, Family::Nodes), 1);
        let mut load = db.key_bulk_load().unwrap();
        fill(&mut load, 0..100);
        let token = CancelToken::new();
        let late = token.clone();
        // The first family is taken in before the cancellation is seen.
        let mut cancel_after_first = |progress: stratigraph::storage::cancel::Progress<'_>| {
            if progress.done == 0 {
                late.cancel();
            }
        };
        let cancelled = load.finish(&mut Watch::new(&mut cancel_after_first, token));
        assert!(matches!(cancelled, Err(Error::Cancelled)));
        assert_eq!(
            (count(db, Family::Nodes), count(db, Family::Labels)),
            (1, 0)
        );
        let mut txn = db.key_write().unwrap();
        txn.put(Family::Nodes, b"after", b"").unwrap();
        txn.commit().unwrap();
        assert_eq!(
            (count(db, Family::Nodes), count(db, Family::Labels)),
            (2, 0)
        );
        let mut load = db.key_bulk_load().unwrap();
        fill(&mut load, 0..100);
        finish(load).unwrap();
        assert_eq!(count(db, Family::Nodes), 102);
    });
}

#[test]
fn an_empty_load_is_fine() {
    on_both(|db| {
        finish(db.key_bulk_load().unwrap()).unwrap();
        assert_eq!(count(db, Family::Nodes), 1);
    });
}

/// Once it stayed open without anybody who held it: the thread that syncs had the files, and nobody could open them again.
#[test]
fn a_load_that_holds_its_database_last_closes_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let reopen = || {
        let builder = Database::builder().create_if_missing(true);
        builder
            .disk_reserve_bytes(0)
            .durability(Durability::Periodic(Duration::from_secs(3600)))
            .open(&path)
            .unwrap()
    };
    let ends = |end: fn(KeyBulkLoad), wanted: u64| {
        let db = reopen();
        let mut load = db.key_bulk_load().unwrap();
        fill(&mut load, 0..100);
        drop(db);
        end(load);
        let db = reopen();
        assert_eq!(count(&db, Family::Nodes), wanted);
    };
    ends(drop, 0);
    ends(
        |load: KeyBulkLoad| {
            let token = CancelToken::new();
            token.cancel();
            let mut quiet = |_: stratigraph::storage::cancel::Progress<'_>| {};
            let cancelled = load.finish(&mut Watch::new(&mut quiet, token));
            assert!(matches!(cancelled, Err(Error::Cancelled)));
        },
        0,
    );
    ends(
        |load: KeyBulkLoad| {
            finish(load).unwrap();
        },
        100,
    );
}

#[test]
fn a_load_cut_short_by_a_crash_is_undone_at_the_next_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let db = open(&path).unwrap();
    let mut txn = db.key_write().unwrap();
    txn.put(Family::Nodes, &500_u64.to_be_bytes(), b"before")
        .unwrap();
    txn.commit().unwrap();
    let mut load = db.key_bulk_load().unwrap();
    fill(&mut load, 0..100);
    let crashed = folder.path().join("crashed");
    // As a crash would leave it after the first family was taken in and before the second.
    let mut snapshot_of_files = |progress: stratigraph::storage::cancel::Progress<'_>| {
        if progress.done == 1 {
            copy(&path, &crashed);
        }
    };
    load.finish(&mut Watch::new(&mut snapshot_of_files, CancelToken::new()))
        .unwrap();
    let read_only = Database::builder().open_read_only(&crashed).unwrap_err();
    assert!(
        matches!(read_only, Error::RecoveryNeeded { .. }),
        "{read_only}"
    );
    let db = open(&crashed).unwrap();
    assert_eq!(
        (count(&db, Family::Nodes), count(&db, Family::Labels)),
        (1, 0)
    );
    assert!(!crashed.join("load").exists());
    drop(db);
    let db = open(&crashed).unwrap();
    let mut load = db.key_bulk_load().unwrap();
    fill(&mut load, 0..100);
    finish(load).unwrap();
    drop(db);
    assert_eq!(count(&open(&crashed).unwrap(), Family::Nodes), 101);
}

#[test]
fn a_lost_ingest_is_noticed_although_no_log_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let db = open(&path).unwrap();
    let mut load = db.key_bulk_load().unwrap();
    fill(&mut load, 0..100);
    // The manifest as it was before the ingest, and everything else as it is after it.
    let store = path.join("store");
    let manifest = store.join(
        fs::read_to_string(store.join("CURRENT"))
            .unwrap()
            .trim_end(),
    );
    let before = fs::metadata(&manifest).unwrap().len();
    finish(load).unwrap();
    let crashed = folder.path().join("crashed");
    copy(&path, &crashed);
    let cut = crashed.join("store").join(manifest.file_name().unwrap());
    fs::OpenOptions::new()
        .write(true)
        .open(&cut)
        .unwrap()
        .set_len(before)
        .unwrap();
    for refused in [open(&crashed), Database::builder().open_read_only(&crashed)] {
        let error = refused.unwrap_err();
        assert!(
            matches!(&error, Error::Corruption { path, .. } if path.ends_with(manifest.file_name().unwrap())),
            "{error}"
        );
    }
}

#[test]
fn a_backup_in_the_middle_of_a_load_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let db = open(&folder.path().join("db")).unwrap();
    let mut load = db.key_bulk_load().unwrap();
    fill(&mut load, 0..100);
    let backups = folder.path().join("backups");
    let mut refused = Vec::new();
    let mut back_up = |_: stratigraph::storage::cancel::Progress<'_>| {
        let result = db.backup(&backups, &mut Watch::quiet());
        refused.push(result.unwrap_err());
    };
    load.finish(&mut Watch::new(&mut back_up, CancelToken::new()))
        .unwrap();
    assert!(refused.len() >= 2);
    assert!(
        refused
            .iter()
            .all(|error| matches!(error, Error::LoadInProgress)),
        "{refused:?}"
    );
    db.backup(&backups, &mut Watch::quiet()).unwrap();
}
