//! Opening, closing and refusing: who may open what, and that a refusal changes nothing.

mod folder;

use folder::copy;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use stratigraph::codec::{CommitSeq, FormatVersion};
use stratigraph::keys::KeyRead;
use stratigraph::storage::family::Family;
use stratigraph::storage::files::Layout;
use stratigraph::storage::files::header::{CURRENT_FORMAT, Header};
use stratigraph::storage::files::mark::{self, ManifestFloor, Mark, MarkFile};
use stratigraph::{Database, DatabaseBuilder, Error, ErrorKind};
use tempfile::TempDir;

fn builder() -> DatabaseBuilder {
    Database::builder()
        .create_if_missing(true)
        .disk_reserve_bytes(0)
        .write_buffer_bytes(1 << 20)
}

/// A database with a few commits, closed.
fn database() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let db = builder().open(&path).unwrap();
    for number in 0..10_u8 {
        let mut txn = db.key_write().unwrap();
        txn.put(Family::Nodes, &[number], &[number; 100]).unwrap();
        txn.commit().unwrap();
    }
    db.close().unwrap();
    (folder, path)
}

/// Every file below a folder with its contents and time of last change.
fn tree(dir: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(tree(&path));
            files.insert(
                path.clone(),
                (Vec::new(), path.metadata().unwrap().modified().unwrap()),
            );
        } else {
            files.insert(
                path.clone(),
                (
                    fs::read(&path).unwrap(),
                    path.metadata().unwrap().modified().unwrap(),
                ),
            );
        }
    }
    files
}

#[test]
fn what_was_committed_is_there_after_reopening() {
    let (_folder, path) = database();
    for _ in 0..3 {
        let db = builder().open(&path).unwrap();
        let read = db.key_read().unwrap();
        assert_eq!(read.commit_seq(), CommitSeq::new(10));
        assert_eq!(read.get(Family::Nodes, &[7]).unwrap(), Some(vec![7; 100]));
    }
}

#[test]
fn a_missing_or_foreign_folder_is_refused_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Database::open(folder.path().join("nothing")).unwrap_err();
    assert!(matches!(missing, Error::NotFound { .. }), "{missing}");
    let file = folder.path().join("file");
    fs::write(&file, "text").unwrap();
    assert!(matches!(
        builder().open(&file),
        Err(Error::NotADatabase { .. })
    ));
    assert!(
        matches!(
            builder().open(folder.path()),
            Err(Error::NotADatabase { .. })
        ),
        "the folder has a file in it"
    );
    assert!(matches!(
        Database::create(folder.path()),
        Err(Error::AlreadyExists { .. })
    ));
    assert_eq!(fs::read(&file).unwrap(), b"text");
}

#[test]
fn a_second_opener_is_refused_whoever_it_is() {
    let (_folder, path) = database();
    let writer = builder().open(&path).unwrap();
    for second in [builder().open(&path), builder().open_read_only(&path)] {
        let error = second.unwrap_err();
        assert!(matches!(error, Error::AlreadyOpen { .. }), "{error}");
        assert_eq!(error.kind(), ErrorKind::Conflict);
        let said = error.to_string();
        assert!(said.contains(" by this process since 20"), "{said}");
    }
    writer.announce("grpc://127.0.0.1:7474");
    let said = builder().open(&path).unwrap_err().to_string();
    assert!(
        said.contains(
            "which serves it: ask it there with `stratigraph repl grpc://127.0.0.1:7474`"
        ),
        "{said}"
    );
    drop(writer);
    assert_eq!(fs::read(path.join("LOCK")).unwrap(), b"", "as it was found");
    // What a killed writer has left is no holder: readers are, and they leave nothing.
    fs::write(path.join("LOCK"), "{\"pid\":4294967295,\"since\":null}\n").unwrap();
    let reader = builder().open_read_only(&path).unwrap();
    let another = builder().open_read_only(&path).unwrap();
    let error = builder().open(&path).unwrap_err();
    let Error::AlreadyOpen { holders, .. } = &error else {
        panic!("{error}")
    };
    assert!(
        !holders.writes && !error.to_string().contains("4294967295"),
        "{error}"
    );
    assert!(matches!(reader.key_write().err(), Some(Error::ReadOnly)));
    assert!(
        another
            .key_read()
            .unwrap()
            .contains(Family::Nodes, &[3])
            .unwrap()
    );
}

#[test]
fn opening_read_only_writes_not_a_byte() {
    let (_folder, path) = database();
    let db = builder().open(&path).unwrap();
    let mut txn = db.key_write().unwrap();
    txn.put(Family::Nodes, b"in the log", b"only").unwrap();
    txn.commit().unwrap();
    // As a crash leaves it: a log to replay, and nothing closed.
    let crashed = path.with_extension("crashed");
    copy(&path, &crashed);
    drop(db);
    let before = tree(&crashed);
    let db = builder().open_read_only(&crashed).unwrap();
    let read = db.key_read().unwrap();
    assert_eq!(
        read.get(Family::Nodes, b"in the log").unwrap().as_deref(),
        Some(&b"only"[..])
    );
    assert_eq!(read.commit_seq(), CommitSeq::new(11));
    drop(read);
    db.close().unwrap();
    assert_eq!(tree(&crashed), before);
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let (_folder, path) = database();
    let layout = Layout::new(&path);
    let header = Header::read(&layout).unwrap().unwrap();
    Header {
        format: FormatVersion::new(CURRENT_FORMAT.get() + 1),
        ..header
    }
    .write(&layout)
    .unwrap();
    let before = tree(&path);
    for refused in [builder().open(&path), builder().open_read_only(&path)] {
        let error = refused.unwrap_err();
        assert!(
            matches!(&error, Error::FutureFormat { found, .. } if found.get() == CURRENT_FORMAT.get() + 1),
            "{error}"
        );
    }
    assert_eq!(tree(&path), before);
}

#[test]
fn files_of_another_database_are_refused() {
    let (_folder, path) = database();
    let (_other_folder, other) = database();
    for part in ["MARK", "STRATIGRAPH", "store"] {
        let mixed = path.with_extension(part);
        copy(&path, &mixed);
        let (from, to) = (other.join(part), mixed.join(part));
        if from.is_dir() {
            fs::remove_dir_all(&to).unwrap();
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
        for refused in [builder().open_read_only(&mixed), builder().open(&mixed)] {
            let error = refused.unwrap_err();
            assert!(
                matches!(error, Error::ForeignFile { .. } | Error::Corruption { .. }),
                "{part}: {error}"
            );
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{part}");
        }
    }
}

#[test]
fn lost_commits_are_reported_with_numbers_and_accepted_only_on_request() {
    let (_folder, path) = database();
    let layout = Layout::new(&path);
    let reading = mark::read(&layout, Header::read(&layout).unwrap().unwrap().id).unwrap();
    assert_eq!(reading.mark.commit, CommitSeq::new(10));
    // As if commits 11 and 12 had been acknowledged and their log were gone.
    let ahead = Mark {
        commit: CommitSeq::new(12),
        ..reading.mark
    };
    MarkFile::open(&layout, reading.turn)
        .unwrap()
        .write(&ahead)
        .unwrap();
    let before = tree(&path);
    for refused in [builder().open(&path), builder().open_read_only(&path)] {
        let error = refused.unwrap_err();
        let Error::DataLoss {
            acknowledged,
            recovered,
            ..
        } = &error
        else {
            panic!("{error}")
        };
        assert_eq!((acknowledged.get(), recovered.get()), (12, 10));
    }
    let mut after = tree(&path);
    after.remove(&layout.lock());
    assert!(
        before
            .iter()
            .filter(|(file, _)| **file != layout.lock())
            .all(|(file, was)| after.get(file) == Some(was))
    );
    builder()
        .accept_data_loss(true)
        .open(&path)
        .unwrap()
        .close()
        .unwrap();
    assert_eq!(
        builder()
            .open(&path)
            .unwrap()
            .key_read()
            .unwrap()
            .commit_seq(),
        CommitSeq::new(10)
    );
}

#[test]
fn a_mark_below_the_store_is_normal() {
    let (_folder, path) = database();
    let layout = Layout::new(&path);
    let id = Header::read(&layout).unwrap().unwrap().id;
    MarkFile::create(
        &layout,
        &Mark {
            id,
            commit: CommitSeq::new(3),
            manifest: ManifestFloor::default(),
        },
    )
    .unwrap();
    assert_eq!(
        builder()
            .open(&path)
            .unwrap()
            .key_read()
            .unwrap()
            .commit_seq(),
        CommitSeq::new(10)
    );
}

#[test]
fn a_torn_mark_leaves_the_other_slot_and_two_torn_ones_are_damage() {
    let (_folder, path) = database();
    let layout = Layout::new(&path);
    let whole = fs::read(layout.mark()).unwrap();
    for slot in 0..2 {
        let mut torn = whole.clone();
        torn[slot * mark::SLOT_BYTES + 20] ^= 1;
        fs::write(layout.mark(), &torn).unwrap();
        builder().open_read_only(&path).unwrap();
    }
    fs::write(layout.mark(), vec![0; whole.len()]).unwrap();
    assert!(matches!(
        builder().open(&path),
        Err(Error::Corruption { .. })
    ));
    fs::remove_file(layout.mark()).unwrap();
    assert!(matches!(
        builder().open(&path),
        Err(Error::Corruption { .. })
    ));
}

#[test]
fn creation_that_was_cut_short_starts_over() {
    let (folder, path) = database();
    let layout = Layout::new(&path);
    let header = Header::read(&layout).unwrap().unwrap();
    Header {
        ready: false,
        ..header
    }
    .write(&layout)
    .unwrap();
    assert!(matches!(
        Database::open(&path),
        Err(Error::NotFound { .. } | Error::Corruption { .. })
    ));
    let db = builder().open(&path).unwrap();
    assert_ne!(db.id(), header.id);
    assert_eq!(db.key_read().unwrap().commit_seq(), CommitSeq::ZERO);
    // Nothing but our own leftovers.
    let leftover = folder.path().join("leftover");
    fs::create_dir(&leftover).unwrap();
    fs::write(leftover.join("STRATIGRAPH.new"), b"half").unwrap();
    fs::write(leftover.join("LOCK"), b"").unwrap();
    builder().open(&leftover).unwrap();
}

#[test]
fn leftover_files_of_ours_do_no_harm() {
    let (_folder, path) = database();
    fs::write(path.join("STRATIGRAPH.new"), b"half a header").unwrap();
    fs::create_dir(path.join("load")).unwrap();
    fs::write(path.join("load/1-000000.sst"), b"half a run").unwrap();
    fs::create_dir(path.join("checkpoint")).unwrap();
    let db = builder().open(&path).unwrap();
    assert_eq!(db.key_read().unwrap().commit_seq(), CommitSeq::new(10));
    assert!(
        !path.join("load").exists(),
        "a finished load's folder is cleared away"
    );
}

/// The manifest that the database's store uses.
fn manifest(path: &Path) -> PathBuf {
    let store = path.join("store");
    let name = fs::read_to_string(store.join("CURRENT")).unwrap();
    store.join(name.trim_end())
}

#[test]
fn a_manifest_torn_by_a_loss_of_power_is_mended_by_the_next_writer() {
    let (_folder, path) = database();
    let whole = fs::read(manifest(&path)).unwrap();
    // The header of a record of 50 bytes, and nothing of it but zeros: its sync never finished.
    let torn = [&whole[..], &[1, 2, 3, 4, 50, 0, 1], &[0; 60]].concat();
    fs::write(manifest(&path), &torn).unwrap();
    let before = tree(&path);
    let reader = builder().open_read_only(&path).unwrap_err();
    assert!(matches!(reader, Error::RecoveryNeeded { .. }), "{reader}");
    assert_eq!(tree(&path), before);
    let db = builder().open(&path).unwrap();
    assert_eq!(db.key_read().unwrap().commit_seq(), CommitSeq::new(10));
    drop(db);
    builder().open_read_only(&path).unwrap();
}

#[test]
fn a_damaged_manifest_is_not_taken_for_a_torn_one() {
    let (_folder, path) = database();
    let whole = fs::read(manifest(&path)).unwrap();
    // The mark relies on the manifest as it was at closing, so its last record counts as written.
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(manifest(&path), &damaged).unwrap();
    let before = tree(&path);
    for refused in [builder().open(&path), builder().open_read_only(&path)] {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::Corruption { .. }), "{error}");
    }
    let mut after = tree(&path);
    after.remove(&path);
    assert!(
        after
            .iter()
            .all(|(file, now)| file.ends_with("LOCK") || before.get(file) == Some(now))
    );
}

/// The logs of a database that is open, with commits in them.
fn logs(path: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(path.join("store"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut logs: Vec<PathBuf> = files
        .filter(|file| file.extension().is_some_and(|name| name == "log"))
        .collect();
    logs.retain(|log| fs::metadata(log).unwrap().len() > 0);
    logs.sort();
    logs
}

/// A database as a crash leaves it, with a commit that only the log holds.
fn crashed() -> (TempDir, PathBuf) {
    let (folder, path) = database();
    let db = builder().open(&path).unwrap();
    for number in 0..20_u8 {
        let mut txn = db.key_write().unwrap();
        txn.put(Family::Nodes, b"in the log", &[number; 3000])
            .unwrap();
        txn.commit().unwrap();
    }
    let crashed = folder.path().join("crashed");
    copy(&path, &crashed);
    (folder, crashed)
}

#[test]
fn a_log_of_another_database_is_refused_by_name() {
    let ((_folder, path), (_other_folder, other)) = (crashed(), crashed());
    let log = logs(&path).pop().unwrap();
    fs::copy(logs(&other).pop().unwrap(), &log).unwrap();
    let before = tree(&path);
    for refused in [builder().open_read_only(&path), builder().open(&path)] {
        let error = refused.unwrap_err();
        assert!(
            matches!(&error, Error::ForeignFile { path, .. } if *path == log),
            "{error}"
        );
    }
    let mut after = tree(&path);
    after.retain(|file, _| *file != path && !file.ends_with("LOCK"));
    assert!(
        after
            .iter()
            .all(|(file, now)| before.get(file) == Some(now))
    );
}

#[test]
fn a_log_that_rocksdb_would_never_get_past_is_refused_by_name() {
    let (_folder, path) = crashed();
    let log = logs(&path).pop().unwrap();
    let mut bytes = fs::read(&log).unwrap();
    // The type of the first part becomes that of a recycled log.
    bytes[6] = 5;
    fs::write(&log, bytes).unwrap();
    for refused in [builder().open_read_only(&path), builder().open(&path)] {
        let error = refused.unwrap_err();
        assert!(
            matches!(&error, Error::Corruption { path, .. } if *path == log),
            "{error}"
        );
    }
}

#[test]
fn a_reader_keeps_the_folder_as_long_as_it_reads() {
    let (_folder, path) = database();
    let read = builder().open(&path).unwrap().key_read().unwrap();
    assert!(matches!(
        builder().open_read_only(&path),
        Err(Error::AlreadyOpen { .. })
    ));
    assert!(read.contains(Family::Nodes, &[3]).unwrap());
    drop(read);
    builder().open(&path).unwrap();
}
