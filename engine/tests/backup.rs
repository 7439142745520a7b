//! Backups: of one commit, incremental, verified to the byte, taken while writers go on.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use stratigraph::keys::KeyRead;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::storage::family::Family;
use stratigraph::{
    Database, Error, ErrorKind, PrunedBackups, list_backups, restore, verify_backup,
};

fn quiet<T>(work: impl FnOnce(&mut Watch<'_>) -> T) -> T {
    work(&mut Watch::quiet())
}

fn open(path: &Path) -> Database {
    let builder = Database::builder()
        .create_if_missing(true)
        .write_buffer_bytes(256 << 10);
    builder.disk_reserve_bytes(0).open(path).unwrap()
}

/// Every commit puts its own number into three families, so that a mixture of two commits shows.
fn commit(db: &Database) -> u64 {
    let mut txn = db.key_write().unwrap();
    let number = txn.commit_seq().get() + 1;
    for family in [Family::Journal, Family::Postings, Family::VectorSnapshot] {
        txn.put(family, b"last", &number.to_be_bytes()).unwrap();
        txn.put(family, &number.to_be_bytes(), &[number as u8; 500])
            .unwrap();
    }
    txn.commit().unwrap().get()
}

/// Checks that the database is exactly as after commit `number`.
fn is_exactly_at(db: &Database, number: u64) {
    let read = db.key_read().unwrap();
    assert_eq!(read.commit_seq().get(), number);
    for family in [Family::Journal, Family::Postings, Family::VectorSnapshot] {
        assert_eq!(
            read.get(family, b"last").unwrap().unwrap(),
            number.to_be_bytes(),
            "{family:?}"
        );
        assert!(read.contains(family, &number.to_be_bytes()).unwrap());
        assert!(!read.contains(family, &(number + 1).to_be_bytes()).unwrap());
    }
    assert!(quiet(|watch| db.check(watch)).unwrap().is_clean());
}

#[test]
fn a_restored_backup_is_the_database_at_one_commit() {
    let folder = tempfile::tempdir().unwrap();
    let db = open(&folder.path().join("db"));
    let backups = folder.path().join("backups");
    for _ in 0..20 {
        commit(&db);
    }
    let first = quiet(|watch| db.backup(&backups, watch)).unwrap();
    assert_eq!((first.number, first.manifest.commit.get()), (1, 20));
    for _ in 0..5 {
        commit(&db);
    }
    let second = quiet(|watch| db.backup(&backups, watch)).unwrap();
    assert_eq!((second.number, second.manifest.commit.get()), (2, 25));
    assert!(
        second.new_bytes < second.manifest.total_bytes(),
        "files of the first backup are shared"
    );
    assert_eq!(list_backups(&backups).unwrap().len(), 2);
    for (number, at) in [(Some(1), 20), (Some(2), 25), (None, 25)] {
        let target = folder.path().join(format!("restored-{number:?}"));
        quiet(|watch| restore(&backups, number, &target, watch)).unwrap();
        let restored = open(&target);
        assert_eq!(restored.id(), db.id());
        is_exactly_at(&restored, at);
        commit(&restored);
        drop(restored);
        is_exactly_at(&open(&target), at + 1);
    }
}

#[test]
fn backups_under_load_are_each_of_one_commit() {
    let folder = tempfile::tempdir().unwrap();
    let db = open(&folder.path().join("db"));
    let backups = folder.path().join("backups");
    let done = AtomicBool::new(false);
    commit(&db);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                commit(&db);
                // Enough to be in the way, and not so much that the disk's speed sets the test's.
                thread::sleep(Duration::from_millis(1));
            }
        });
        let _stop = SetOnDrop(&done);
        for round in 1..=8 {
            let acknowledged = db.key_read().unwrap().commit_seq();
            let backup = quiet(|watch| db.backup(&backups, watch)).unwrap();
            assert!(
                backup.manifest.commit >= acknowledged,
                "a backup holds what was acknowledged before it"
            );
            let target = folder.path().join(format!("round-{round}"));
            quiet(|watch| restore(&backups, Some(backup.number), &target, watch)).unwrap();
            is_exactly_at(&open(&target), backup.manifest.commit.get());
            fs::remove_dir_all(target).unwrap();
        }
    });
}

/// Sets a flag also when a test panics, so that a thread that waits for it ends.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn backed_up() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let db = open(&folder.path().join("db"));
    let backups = folder.path().join("backups");
    for _ in 0..10 {
        commit(&db);
    }
    quiet(|watch| db.backup(&backups, watch)).unwrap();
    (folder, backups)
}

#[test]
fn every_damaged_file_of_a_backup_is_refused_by_name() {
    let (folder, backups) = backed_up();
    let target = folder.path().join("restored");
    let files = fs::read_dir(backups.join("files"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    for file in files.chain([backups.join("000001.backup")]) {
        let whole = fs::read(&file).unwrap();
        if whole.is_empty() {
            continue;
        }
        let mut flipped = whole.clone();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 4;
        for damaged in [&flipped[..], &whole[..middle], &[]] {
            fs::write(&file, damaged).unwrap();
            for error in [
                quiet(|watch| verify_backup(&backups, None, watch)).unwrap_err(),
                quiet(|watch| restore(&backups, None, &target, watch)).unwrap_err(),
            ] {
                assert!(
                    matches!(&error, Error::Corruption { path, .. } if *path == file),
                    "{error}"
                );
                assert_eq!(error.kind(), ErrorKind::Corrupt);
            }
            assert!(
                !target.exists(),
                "nothing of a damaged backup appears under the target's name"
            );
        }
        fs::write(&file, whole).unwrap();
    }
    quiet(|watch| verify_backup(&backups, None, watch)).unwrap();
}

#[test]
fn restoring_never_touches_what_is_there() {
    let (folder, backups) = backed_up();
    let existing = folder.path().join("db");
    let refused = quiet(|watch| restore(&backups, None, &existing, watch)).unwrap_err();
    assert!(matches!(refused, Error::AlreadyExists { .. }), "{refused}");
    is_exactly_at(&open(&existing), 10);
    let missing =
        quiet(|watch| restore(&backups, Some(9), folder.path().join("x"), watch)).unwrap_err();
    assert!(
        matches!(missing, Error::NoSuchBackup { wanted: 9, .. }),
        "{missing}"
    );
    // An interrupted restore leaves only its own unfinished folder, which the next one replaces.
    let target = folder.path().join("again");
    let token = CancelToken::new();
    token.cancel();
    let cancelled = restore(&backups, None, &target, &mut Watch::new(&mut |_| {}, token));
    assert!(matches!(cancelled, Err(Error::Cancelled)));
    assert!(!target.exists());
    quiet(|watch| restore(&backups, None, &target, watch)).unwrap();
    is_exactly_at(&open(&target), 10);
}

#[test]
fn one_folder_holds_backups_of_one_database() {
    let (folder, backups) = backed_up();
    let other = open(&folder.path().join("other"));
    commit(&other);
    let refused = quiet(|watch| other.backup(&backups, watch)).unwrap_err();
    assert!(matches!(refused, Error::ForeignFile { .. }), "{refused}");
    assert_eq!(list_backups(&backups).unwrap().len(), 1);
}

#[test]
fn manifests_that_changed_places_are_noticed_and_a_damaged_one_is_in_nobodys_way() {
    let (folder, backups) = backed_up();
    let db = open(&folder.path().join("db"));
    commit(&db);
    quiet(|watch| db.backup(&backups, watch)).unwrap();
    let (first, second) = (backups.join("000001.backup"), backups.join("000002.backup"));
    let (one, two) = (fs::read(&first).unwrap(), fs::read(&second).unwrap());
    fs::write(&first, &two).unwrap();
    fs::write(&second, &one).unwrap();
    for number in [Some(1), Some(2), None] {
        let target = folder.path().join("swapped");
        let refused = quiet(|watch| restore(&backups, number, &target, watch)).unwrap_err();
        assert!(matches!(refused, Error::Corruption { .. }), "{refused}");
    }
    fs::write(&first, &one).unwrap();
    fs::write(&second, &two[..two.len() / 2]).unwrap();
    let target = folder.path().join("first");
    quiet(|watch| restore(&backups, Some(1), &target, watch)).unwrap();
    is_exactly_at(&open(&target), 10);
    let third = quiet(|watch| db.backup(&backups, watch)).unwrap();
    assert_eq!((third.number, third.manifest.commit.get()), (3, 11));
}

#[test]
fn a_new_backup_heals_contents_that_it_copies_again() {
    let (folder, backups) = backed_up();
    let target = folder.path().join("restored");
    for file in fs::read_dir(backups.join("files")).unwrap() {
        let file = file.unwrap().path();
        let mut contents = fs::read(&file).unwrap();
        if let Some(byte) = contents.last_mut() {
            *byte ^= 1;
        }
        fs::write(&file, contents).unwrap();
    }
    // Without its manifest nothing is known of the damaged files, and everything is copied.
    fs::remove_file(backups.join("000001.backup")).unwrap();
    let db = open(&folder.path().join("db"));
    quiet(|watch| db.backup(&backups, watch)).unwrap();
    quiet(|watch| restore(&backups, None, &target, watch)).unwrap();
    is_exactly_at(&open(&target), 10);
}

/// What stands in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn prune(db: &Database, backups: &Path, keep: u32) -> Result<PrunedBackups, Error> {
    let keep = NonZeroU32::new(keep).unwrap();
    quiet(|watch| db.prune_backups(backups, keep, watch))
}

#[test]
fn old_backups_go_with_what_only_they_had_and_the_newest_stay_whole() {
    let (folder, backups) = backed_up();
    let db = open(&folder.path().join("db"));
    for _ in 0..3 {
        commit(&db);
        // Its files are others then, and the old ones are of no use to a new backup.
        quiet(|watch| db.compact(watch)).unwrap();
        quiet(|watch| db.backup(&backups, watch)).unwrap();
    }
    fs::write(backups.join("files/copying"), b"cut short").unwrap();
    let before = names(&backups.join("files"));
    let pruned = prune(&db, &backups, 2).unwrap();
    assert_eq!(pruned.removed, [1, 2]);
    let after = names(&backups.join("files"));
    assert!(after.len() < before.len() - 1 && !after.contains(&"copying".to_owned()));
    assert!(pruned.freed_bytes > 9);
    assert_eq!(names(&backups), ["000003.backup", "000004.backup", "files"]);
    for (number, at) in [(3, 12), (4, 13)] {
        quiet(|watch| verify_backup(&backups, Some(number), watch)).unwrap();
        let target = folder.path().join(format!("restored-{number}"));
        quiet(|watch| restore(&backups, Some(number), &target, watch)).unwrap();
        is_exactly_at(&open(&target), at);
    }
    // Numbers are not given again, and there is nothing more to remove.
    let again = prune(&db, &backups, 2).unwrap();
    assert_eq!(again, PrunedBackups::default());
    let next = quiet(|watch| db.backup(&backups, watch)).unwrap();
    assert_eq!(next.number, 5);
}

#[test]
fn nothing_is_removed_that_may_be_needed() {
    let (folder, backups) = backed_up();
    let db = open(&folder.path().join("db"));
    commit(&db);
    quiet(|watch| db.backup(&backups, watch)).unwrap();
    let all = names(&backups.join("files"));
    // Of another database.
    let other = open(&folder.path().join("other"));
    let refused = prune(&other, &backups, 1).unwrap_err();
    assert!(matches!(refused, Error::ForeignFile { .. }), "{refused}");
    // Of what is kept nobody can say which contents it needs.
    let second = backups.join("000002.backup");
    let manifest = fs::read(&second).unwrap();
    fs::write(&second, &manifest[..manifest.len() / 2]).unwrap();
    let refused = prune(&db, &backups, 1).unwrap_err();
    assert!(refused.to_string().contains("000002.backup"), "{refused}");
    fs::write(&second, &manifest).unwrap();
    // More are to be kept than there are.
    assert_eq!(prune(&db, &backups, 9).unwrap(), PrunedBackups::default());
    assert_eq!(names(&backups), ["000001.backup", "000002.backup", "files"]);
    assert_eq!(names(&backups.join("files")), all);
    // A damaged one that goes is in nobody's way.
    fs::write(backups.join("000001.backup"), b"damaged").unwrap();
    assert_eq!(prune(&db, &backups, 1).unwrap().removed, [1]);
    let target = folder.path().join("restored");
    quiet(|watch| restore(&backups, None, &target, watch)).unwrap();
    is_exactly_at(&open(&target), 11);
}
