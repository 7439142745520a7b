//! What every [`Store`] must do, as one suite of tests that each implementation runs.
//!
//! A case gets a fresh store behind the trait and must not know which one it is. To add a case,
//! write it in the file of its subject and list it in [`suite`]; an unlisted case is dead code,
//! which the compiler reports. To add a store, call [`suite`] once more at the end of this file.

mod concurrency;
mod model;
mod points;
mod runs;
mod scans;
mod snapshots;

use super::batch::Batch;
use super::family::Family;
use super::range::{Direction, KeyRange};
use super::store::{Cursor, ScanOptions, Snapshot, Store};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

type Bytes = Vec<u8>;
type Pair = (Bytes, Bytes);

/// Opens an empty store; the folder is there, empty, and outlives the store.
type Open = fn(&Path) -> Box<dyn Store>;

const BOTH: [Direction; 2] = [Direction::Forward, Direction::Backward];

/// A fresh store with a folder of its own.
struct Subject {
    // Before the folder, so that the store is closed before its files go.
    store: Box<dyn Store>,
    folder: TempDir,
}

impl Subject {
    fn open(open: Open) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let home = folder.path().join("store");
        std::fs::create_dir(&home).expect("a folder for the store");
        Self {
            store: open(&home),
            folder,
        }
    }

    fn append(&self, batch: &Batch) {
        self.store.append(batch).expect("append");
    }

    fn put(&self, family: Family, key: &[u8], value: &[u8]) {
        let mut batch = Batch::new();
        batch.put(family, key, value);
        self.append(&batch);
    }

    fn put_all(&self, family: Family, pairs: &[Pair]) {
        let mut batch = Batch::new();
        for (key, value) in pairs {
            batch.put(family, key, value);
        }
        self.append(&batch);
    }

    fn delete(&self, family: Family, key: &[u8]) {
        let mut batch = Batch::new();
        batch.delete(family, key);
        self.append(&batch);
    }

    fn snapshot(&self) -> Arc<dyn Snapshot> {
        self.store.snapshot()
    }

    /// What a snapshot taken now says of `key`.
    fn get(&self, family: Family, key: &[u8]) -> Option<Bytes> {
        get(&*self.snapshot(), family, key)
    }

    /// What a snapshot taken now holds.
    fn all(&self, family: Family) -> Vec<Pair> {
        scan(
            &*self.snapshot(),
            family,
            &KeyRange::all(),
            Direction::Forward,
        )
    }

    fn run_path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a run and returns its path.
    fn run(&self, family: Family, name: &str, pairs: &[Pair]) -> PathBuf {
        let path = self.run_path(name);
        let mut run = self.store.new_run(family, &path).expect("new_run");
        for (key, value) in pairs {
            run.put(key, value).expect("put into a run");
        }
        run.finish().expect("finish");
        path
    }
}

fn get(snapshot: &dyn Snapshot, family: Family, key: &[u8]) -> Option<Bytes> {
    let mut value = None;
    let found = snapshot
        .get(family, key, &mut |bytes| value = Some(bytes.to_vec()))
        .expect("get");
    assert_eq!(found, value.is_some(), "get says {found} of {key:?}");
    value
}

fn open_cursor<'a>(
    snapshot: &'a dyn Snapshot,
    family: Family,
    range: &KeyRange,
    direction: Direction,
) -> Box<dyn Cursor + 'a> {
    snapshot.cursor(
        family,
        range,
        ScanOptions {
            direction,
            ..ScanOptions::default()
        },
    )
}

fn step(cursor: &mut dyn Cursor) -> Option<Pair> {
    cursor
        .next()
        .expect("next")
        .map(|entry| (entry.key.to_vec(), entry.value.to_vec()))
}

/// Everything that is left of a scan; and then nothing, however often it is asked.
fn drain(cursor: &mut dyn Cursor) -> Vec<Pair> {
    let pairs: Vec<Pair> = std::iter::from_fn(|| step(cursor)).collect();
    assert_eq!(step(cursor), None, "a cursor at its end stays there");
    pairs
}

fn scan(
    snapshot: &dyn Snapshot,
    family: Family,
    range: &KeyRange,
    direction: Direction,
) -> Vec<Pair> {
    drain(&mut *open_cursor(snapshot, family, range, direction))
}

/// What a scan of `range` over `sorted` must give.
fn expected(sorted: &[Pair], range: &KeyRange, direction: Direction) -> Vec<Pair> {
    let inside = sorted
        .iter()
        .filter(|(key, _)| range.contains(key))
        .cloned();
    match direction {
        Direction::Forward => inside.collect(),
        Direction::Backward => inside.rev().collect(),
    }
}

/// A pair for a test that needs short ones.
fn pair(key: impl Into<Bytes>, value: impl Into<Bytes>) -> Pair {
    (key.into(), value.into())
}

/// The whole suite as a module of tests for one kind of store.
macro_rules! suite {
    ($store:ident, $open:expr) => {
        mod $store {
            use super::*;

            suite! { @tests $open;
                points: [
                    missing_keys_are_missing,
                    a_stored_value_is_read,
                    keys_and_values_may_be_empty,
                    an_overwrite_replaces,
                    a_delete_removes,
                    the_last_change_of_a_batch_counts,
                    families_are_apart,
                    a_batch_covers_all_families,
                    an_empty_batch_changes_nothing,
                    large_values_come_back_whole,
                    multi_get_keeps_order_and_duplicates,
                    values_survive_flush_and_compaction,
                    checksums_of_sound_data_pass,
                    approximate_bytes_are_plausible,
                    metrics_count,
                ],
                scans: [
                    keys_come_in_byte_order,
                    every_kind_of_range,
                    prefixes_of_ff_bytes_have_an_end,
                    empty_ranges_hold_nothing,
                    long_scans_are_complete,
                    deleted_keys_are_skipped,
                    seeks_go_anywhere_in_the_range,
                    seeks_never_leave_the_range,
                    scans_cross_short_and_long_keys_of_prefixed_families,
                    cursors_are_independent,
                ],
                snapshots: [
                    points_stay,
                    scans_stay,
                    open_cursors_stay,
                    deletes_stay_unseen,
                    snapshots_outlive_each_other_in_any_order,
                    snapshots_survive_flush_and_compaction,
                    a_snapshot_of_an_empty_store_stays_empty,
                ],
                runs: [
                    an_ingested_run_is_read,
                    later_snapshots_alone_see_a_run,
                    a_run_overwrites_and_revives,
                    several_runs_at_once,
                    keys_of_a_run_must_rise,
                    an_unfinished_or_uningested_run_shows_nothing,
                    read_run_gives_the_pairs_and_passes_errors_on,
                    a_run_that_is_not_there_is_an_error,
                    writes_after_a_run_win,
                ],
                concurrency: [
                    readers_see_whole_batches,
                    each_reader_moves_forward_only,
                ],
                model: [
                    random_operations_match_plain_maps,
                ],
            }
        }
    };
    (@tests $open:expr; $($subject:ident: [$($case:ident),* $(,)?]),* $(,)?) => {
        $($(
            #[test]
            fn $case() {
                $subject::$case($open);
            }
        )*)*
    };
}

suite!(memory, |_: &Path| Box::new(
    super::super::memory::MemoryStore::new()
));
suite!(rocks, |dir: &Path| Box::new(
    super::super::rocks::RocksStore::open(dir, &Default::default()).expect("open")
));
