//! What tests beside background work need.

use super::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

pub(super) fn row(id: u64, dimensions: usize) -> Vec<f32> {
    random(&mut Rng::with_seed(id), dimensions)
}

pub(super) fn sleep(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

/// Nodes with vectors that are told by their numbers.
pub(super) fn add(db: &Database, ids: std::ops::Range<u64>, dimensions: usize) {
    let mut txn = db.write().unwrap();
    for id in ids {
        txn.create_node(["N"], [("v", value(row(id, dimensions)))])
            .unwrap();
    }
    txn.commit().unwrap();
}

/// What a check has found; it is to be nothing.
pub(super) fn findings(db: &Database) -> String {
    let report = db.check(&mut Watch::quiet()).unwrap();
    match report.is_clean() {
        true => String::new(),
        false => format!("{report:?}"),
    }
}

pub(super) fn jobs() -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.filter_map(|task| fs::read_to_string(task.unwrap().path().join("comm")).ok());
    names
        .filter(|name| name.starts_with("stratigraph-vec"))
        .count()
}

pub(super) fn idle() {
    while jobs() > 0 {
        sleep(10);
    }
}

pub(super) fn files(folder: &Path, found: &mut BTreeMap<String, u64>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            let length = fs::metadata(&path).unwrap().len();
            found.insert(path.display().to_string(), length);
        }
    }
}
