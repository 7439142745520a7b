//! A process is ended at every step of making, keeping, dropping and remaking indexes. What it had acknowledged
//! is there then, indexes are what is stored or are declared no more, and nothing is left of what was begun.
//!
//! `STRATIGRAPH_STEP_RUNS` says how often, each time with other data; once if it is not set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use stratigraph::keys::KeyRead as _;
use stratigraph::storage::cancel::Watch;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;
use stratigraph::{Database, DatabaseBuilder, NO_PROPERTIES, Read as _};
use stratigraph_tests::driver::indexes;
use stratigraph_tests::driver::scratch::{Scratch, copy_folder};
use stratigraph_tests::driver::steps::{LABEL, properties};

/// As many nodes are there at first.
const FIRST: u64 = 600;
/// Fewer steps would not be all of them.
const LEAST_STEPS: u64 = 60;

fn builder() -> DatabaseBuilder {
    Database::builder().disk_reserve_bytes(0)
}

/// Lets the process work until a step. Returns how many nodes it said are there, and how many steps it has made,
/// if it came to its end.
fn work(dir: &Path, first: u64, step: u64) -> (u64, Option<u64>) {
    let output = Command::new(env!("CARGO_BIN_EXE_steps_child"))
        .arg(dir)
        .args([first.to_string(), step.to_string()])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let notes = String::from_utf8_lossy(&output.stderr);
    let said = String::from_utf8(output.stdout).unwrap();
    let said: BTreeMap<&str, u64> = said
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(what, number)| (what, number.parse().unwrap()))
        .collect();
    let steps = said.get("steps").copied();
    assert!(
        output.status.success() == steps.is_some()
            && (steps.is_some() || notes.contains("ends at step")),
        "step {step}: {} {notes}",
        output.status
    );
    if let Some(last) = notes.lines().last() {
        eprintln!("{last}");
    }
    (said.get("nodes").copied().unwrap_or(first), steps)
}

/// What is wrong with what is left.
fn faults(dir: &Path, acknowledged: u64) -> Vec<String> {
    let mut watch = Watch::quiet();
    let db = builder().open(dir).unwrap();
    let mut faults = indexes::differences(&db).unwrap();
    db.finish_schema(&mut watch).unwrap();
    // What was begun in the background ends with it.
    db.close().unwrap();
    let db = builder().open(dir).unwrap();
    let report = db.check(&mut watch).unwrap();
    let found = report.findings.iter().chain(&report.notes);
    faults.extend(found.map(|finding| format!("{}: {}", finding.place, finding.what)));
    let count = db.read().unwrap().node_count(Some(LABEL)).unwrap();
    if count < acknowledged {
        faults.push(format!(
            "{acknowledged} nodes were acknowledged, and {count} are there"
        ));
    }
    // Nothing else than what the indexes that are declared need.
    let read = db.key_read().unwrap();
    let vectors = db.vector_indexes().unwrap();
    let vectors = vectors.iter().map(|index| index.definition.id.get());
    let vectors: BTreeSet<u32> = vectors.collect();
    for family in [Family::VectorSnapshot, Family::Journal] {
        let mut scan = read.scan(family, &KeyRange::all()).unwrap();
        let mut last = Vec::new();
        while let Some(entry) = scan.next().unwrap() {
            // The number of a part comes before its generation.
            if family == Family::VectorSnapshot && entry.key.starts_with(&last) && last.len() == 8 {
                faults.push(format!(
                    "two generations of a part are there: {:?}",
                    entry.key
                ));
            }
            last = entry.key.iter().copied().take(8).collect();
            let index = u32::from_be_bytes(*entry.key.first_chunk().unwrap());
            if !vectors.contains(&index) {
                faults.push(format!("{} has something of index {index}", family.name()));
            }
        }
    }
    drop(read);
    db.close().unwrap();
    let files = std::fs::read_dir(dir.join("vectors")).map(|files| {
        let names = files.map(|file| file.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).collect()
    });
    let files: BTreeSet<String> = files.unwrap_or_default();
    let wanted = vectors.iter().map(|index| format!("{index}.rows"));
    for file in files.difference(&wanted.collect()) {
        faults.push(format!("vectors/{file} is left"));
    }
    faults
}

// Two tests, which two processors share.
#[test]
fn nothing_is_lost_at_any_odd_step() {
    nothing_is_lost(1);
}

#[test]
fn nothing_is_lost_at_any_even_step() {
    nothing_is_lost(2);
}

/// At this step and every second one after it.
fn nothing_is_lost(from: u64) {
    let runs = std::env::var("STRATIGRAPH_STEP_RUNS").map_or(1, |runs| runs.parse().unwrap());
    for run in 0..runs {
        let folder = Scratch::new(None, "steps").unwrap();
        let before = folder.root().join("before");
        let first = FIRST + 10 * run;
        let db = builder().create_if_missing(true).open(&before).unwrap();
        let mut txn = db.write().unwrap();
        for number in 0..first {
            txn.create_node([LABEL], properties::of(number)).unwrap();
        }
        txn.create_node(["Other"], NO_PROPERTIES).unwrap();
        txn.commit().unwrap();
        db.close().unwrap();
        let mut step = from;
        loop {
            let dir = folder.root().join("after");
            copy_folder(&before, &dir).unwrap();
            let (acknowledged, steps) = work(&dir, first, step);
            let found = faults(&dir, acknowledged);
            assert!(found.is_empty(), "run {run}, step {step}: {found:#?}");
            // Whoever does the same once more is not harmed by what is left.
            if step / 2 % 4 == run % 4 {
                let (acknowledged, _) = work(&dir, acknowledged, 0);
                let found = faults(&dir, acknowledged);
                assert!(found.is_empty(), "run {run}, after step {step}: {found:#?}");
            }
            std::fs::remove_dir_all(&dir).unwrap();
            if let Some(steps) = steps {
                assert!(steps > LEAST_STEPS, "only {steps} steps");
                eprintln!("run {run}: all of {steps} steps");
                break;
            }
            step += 2;
        }
    }
}
