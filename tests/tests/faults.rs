//! File calls that fail: what the database says then, and what is there after the next open.
//!
//! The calls are made to fail by the shim in a process of their own (`faults_child`), which also
//! asks what must hold right after a failure: nothing of the failed batch is published, later
//! commits are refused, reading goes on. Here the parent looks at what is left: the files as they
//! are, and what a loss of power could leave of them. Next: `faults/disk_full.rs`.

#[path = "faults/disk_full.rs"]
mod disk_full;
#[path = "faults/full_indexes.rs"]
mod full_indexes;
#[path = "faults/small_disk.rs"]
mod small_disk;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use stratigraph::Database;
use stratigraph::storage::cancel::Watch;
use stratigraph_tests::power::shim::{self, Preload};
use stratigraph_tests::power::{Mode, NodeId, Op, Recording};
use stratigraph_tests::workload::keys::is_bulk_load;
use stratigraph_tests::workload::{BatchNumber, Hand, Model, Verdict, Workload, Writer, verify};
use tempfile::TempDir;

const WRITER: Writer = Writer(0);

/// A child that ended, and what it said.
struct Run {
    dir: TempDir,
    said: Vec<String>,
    workload: Workload,
}

impl Run {
    /// `fail` and `files` are the shim's rules; nothing fails without them.
    fn new(fail: Option<(&str, &str)>, words: impl Fn(&str) -> Vec<String>, seed: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        Database::builder()
            .create_if_missing(true)
            .disk_reserve_bytes(0)
            .open(&root)
            .unwrap()
            .close()
            .unwrap();
        let library = shim::build(&std::env::temp_dir().join("stratigraph-iolog-test")).unwrap();
        let mut preload = Preload::new(library, &root)
            .record(&dir.path().join("record"))
            .acks(1);
        if let Some((rule, files)) = fail {
            preload = preload.fail(rule).fail_only_in(files);
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_faults_child"));
        command
            .args(words(&root.display().to_string()))
            .stdin(Stdio::null());
        let output = preload.apply(&mut command).unwrap().output().unwrap();
        let notes = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{fail:?}: {notes}");
        eprintln!("{fail:?}: {}", notes.trim());
        let said = String::from_utf8(output.stdout).unwrap();
        Self {
            dir,
            said: said.lines().map(str::to_owned).collect(),
            workload: Workload::of_keys(seed),
        }
    }

    fn commits(fail: (&str, &str), seed: u64, batches: u64) -> Self {
        let words = |root: &str| {
            vec![
                "commit".into(),
                root.into(),
                seed.to_string(),
                batches.to_string(),
            ]
        };
        Self::new(Some(fail), words, seed)
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    fn recording(&self) -> Recording {
        Recording::read(&self.dir.path().join("record")).unwrap()
    }

    /// The words after `first`, of every line that starts with it.
    fn lines(&self, first: &str) -> Vec<Vec<&str>> {
        let lines = self
            .said
            .iter()
            .map(|line| line.split(' ').collect::<Vec<_>>());
        lines
            .filter(|words| words[0] == first)
            .map(|words| words[1..].to_vec())
            .collect()
    }

    fn acknowledged(&self) -> BatchNumber {
        BatchNumber(self.lines("ack").len() as u64)
    }

    /// The batch that failed, 0 for the open, and the kind of the error.
    fn failed(&self) -> Option<(u64, &str)> {
        self.lines("failed")
            .first()
            .map(|words| (words[0].parse().unwrap(), words[1]))
    }

    fn closed(&self) -> Option<&str> {
        self.lines("closed").first().map(|words| words[0])
    }

    /// Whether a call was really made to fail.
    fn was_hit(&self) -> bool {
        self.recording()
            .ops()
            .iter()
            .any(|op| matches!(op, Op::Fault { .. }))
    }

    /// Everything acknowledged is there and nothing half: in the files as they are, and in what a
    /// loss of power may leave of them.
    fn nothing_is_lost(&self) {
        let recording = self.recording();
        let modes = [Mode::SyncedOnly, Mode::Random, Mode::Torn, Mode::Random];
        for (seed, mode) in (0..).zip(modes) {
            let image =
                recording.image_at(recording.len(), &mut fastrand::Rng::with_seed(seed), mode);
            let dir = self.dir.path().join(format!("image-{seed}"));
            image.write_to(&dir).unwrap();
            self.is_whole(&dir, &format!("{mode:?}"));
        }
        self.is_whole(&self.root(), "the files");
    }

    fn is_whole(&self, dir: &Path, what: &str) {
        let acknowledged = self.acknowledged();
        let db = Database::builder()
            .disk_reserve_bytes(0)
            .open(dir)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let mut model = Model::new(self.workload, WRITER);
        model.advance_to(acknowledged);
        let verdict = verify(&db, &model, acknowledged.next()).unwrap();
        let Verdict::Exact(found) = verdict else {
            panic!("{what}, {acknowledged} acknowledged: {verdict:?}")
        };
        let report = db.check(&mut Watch::quiet()).unwrap();
        assert!(report.is_clean(), "{what}: {report:?}");
        Hand::take_up(&db, self.workload, WRITER, found)
            .and_then(|mut hand| hand.commit(&db))
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        db.close().unwrap();
    }
}

/// Lets the call fail at each of these times, and at least half of them in a commit. Returns how
/// often it was one.
fn fails_in_commits(call: &str, files: &str, times: &[u32], what: &str) {
    let mut in_commits = 0;
    for time in times {
        let rule = format!("{call}:{time}");
        let run = Run::commits((&rule, files), 5, 60);
        assert!(run.was_hit(), "{rule} on {files} never came");
        match run.failed() {
            Some((0, kind)) => assert_eq!(kind, "unavailable", "{rule}: the open"),
            Some((batch, kind)) => {
                in_commits += 1;
                assert_eq!(kind, what, "{rule}: batch {batch}");
                assert_eq!(run.closed(), Some("poisoned"), "{rule}");
            }
            None => panic!("{rule} on {files} went unnoticed"),
        }
        run.nothing_is_lost();
    }
    assert!(
        in_commits * 2 >= times.len(),
        "only {in_commits} of {} were in a commit",
        times.len()
    );
}

#[test]
fn a_failed_sync_of_the_log_stops_writing() {
    fails_in_commits("fdatasync:EIO", ".log", &[1, 2, 9, 40], "unknown");
}

#[test]
fn a_failed_sync_of_the_mark_stops_writing() {
    fails_in_commits("fdatasync:EIO", "/MARK", &[1, 2, 3, 30], "unknown");
}

#[test]
fn a_failed_write_of_the_log_stops_writing() {
    fails_in_commits("data:EIO", ".log", &[1, 2, 12], "unknown");
}

#[test]
fn a_failed_write_of_the_mark_stops_writing() {
    fails_in_commits("data:EIO", "/MARK", &[1, 2, 12], "unknown");
}

#[test]
fn no_room_for_the_log_stops_writing() {
    fails_in_commits("data:ENOSPC", ".log", &[3, 30], "unknown");
}

/// A seed whose first bulk load is the writer's batch of that number or a later one.
fn first_bulk_load(seed: u64) -> u64 {
    let workload = Workload::of_keys(seed);
    (1..)
        .find(|batch| is_bulk_load(workload, WRITER, BatchNumber(*batch)))
        .unwrap()
}

#[test]
fn a_failed_sync_in_a_bulk_load_undoes_it() {
    let seed = (0..)
        .find(|seed| (3..12).contains(&first_bulk_load(*seed)))
        .unwrap();
    let load = first_bulk_load(seed);
    let mut kinds = Vec::new();
    // The runs, the folder, and what names the new files.
    for (rule, files) in [
        ("sync:EIO:1", "/load/"),
        ("sync:EIO:3", "/load/"),
        ("sync:EIO:1", "/load"),
        ("link:EIO:2", ".ingest"),
        ("data:ENOSPC:2", "/load/"),
    ] {
        let run = Run::commits((rule, files), seed, load + 4);
        assert!(run.was_hit(), "{rule} on {files} never came");
        let (batch, kind) = run
            .failed()
            .unwrap_or_else(|| panic!("{rule} on {files} went unnoticed"));
        assert_eq!(batch, load, "{rule} on {files}");
        kinds.push(kind.to_owned());
        run.nothing_is_lost();
    }
    eprintln!("a bulk load's errors: {kinds:?}");
}

#[test]
fn a_failed_sync_of_the_manifest_in_a_bulk_load_loses_nothing() {
    let seed = (0..)
        .find(|seed| (3..12).contains(&first_bulk_load(*seed)))
        .unwrap();
    let load = first_bulk_load(seed);
    let mut in_load = 0;
    for time in [6, 12, 16, 18, 20] {
        let rule = format!("sync:EIO:{time}");
        let run = Run::commits((&rule, "/MANIFEST"), seed, load + 4);
        in_load += usize::from(run.failed().is_some_and(|(batch, _)| batch == load));
        run.nothing_is_lost();
    }
    assert!(in_load > 0, "no sync of the manifest failed in the load");
}

#[test]
fn a_failed_close_says_so_and_loses_nothing() {
    // With one batch and a large buffer only closing writes sorted files. RocksDB syncs the manifest
    // with `fdatasync`; the engine does with `fsync`, first in the open and then in the close.
    for (rule, files) in [
        ("fdatasync:EIO:1+", ".sst"),
        ("data:ENOSPC:1+", ".sst"),
        ("fsync:EIO:2", "/MANIFEST"),
    ] {
        let run = Run::commits((rule, files), 5, 1);
        assert!(run.was_hit(), "{rule} on {files} never came");
        assert_eq!(
            (run.failed(), run.acknowledged()),
            (None, BatchNumber(1)),
            "{rule} on {files}"
        );
        assert!(
            matches!(run.closed(), Some("unavailable" | "unknown")),
            "{rule} on {files}: {:?}",
            run.closed()
        );
        run.nothing_is_lost();
    }
}

/// How many syncs of files with such a name began between two operations.
fn syncs_of(recording: &Recording, from: usize, to: usize, is_meant: impl Fn(&str) -> bool) -> u64 {
    let mut meant = HashSet::<NodeId>::new();
    let mut count = 0;
    for (at, op) in recording.ops().iter().enumerate() {
        match op {
            Op::Create { name, node, .. } if is_meant(&String::from_utf8_lossy(name)) => {
                meant.insert(*node);
            }
            Op::SyncBegin { node, .. } if (from..to).contains(&at) && meant.contains(node) => {
                count += 1;
            }
            _ => {}
        }
    }
    count
}

#[test]
fn the_engine_counts_the_syncs_that_the_system_sees() {
    const THREADS: u64 = 16;
    const COMMITS: u64 = 40;
    let words = |root: &str| {
        vec![
            "count".into(),
            root.into(),
            THREADS.to_string(),
            COMMITS.to_string(),
        ]
    };
    let run = Run::new(None, words, 0);
    let counts: Vec<Vec<u64>> = run
        .lines("counts")
        .iter()
        .map(|words| words.iter().map(|word| word.parse().unwrap()).collect())
        .collect();
    let [before, after] = counts.as_slice() else {
        panic!("{:?}", run.said)
    };
    let of_engine: Vec<u64> = before
        .iter()
        .zip(after)
        .map(|(before, after)| after - before)
        .collect();
    let [commits, groups, log, mark] = of_engine.as_slice() else {
        panic!("{of_engine:?}")
    };
    let recording = run.recording();
    let acks = recording
        .ops()
        .iter()
        .enumerate()
        .filter(|(_, op)| matches!(op, Op::Ack { .. }));
    let acks: Vec<usize> = acks.map(|(at, _)| at).collect();
    let seen_log = syncs_of(&recording, acks[0], acks[1], |name| name.ends_with(".log"));
    let seen_mark = syncs_of(&recording, acks[0], acks[1], |name| name == "MARK");
    let seen_all = syncs_of(&recording, acks[0], acks[1], |_| true);
    let per_commit = seen_all as f64 / *commits as f64;
    eprintln!(
        "{commits} commits, {groups} groups, {seen_all} syncs: {per_commit:.3} syncs per commit"
    );
    assert_eq!(*commits, THREADS * COMMITS);
    assert_eq!((seen_log, seen_mark), (*log, *mark));
    assert_eq!(groups, log, "one sync of the log for each group");
    // A compaction of what opening has left may come in between.
    assert!(
        seen_all - seen_log - seen_mark <= 16,
        "{seen_all} syncs, {seen_log} of them of the log"
    );
    assert!(seen_all < *commits, "sixteen threads share no syncs");
}
