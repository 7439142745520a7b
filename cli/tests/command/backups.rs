//! `backup`, `backups` and `restore`.

use crate::world::{World, add, ask, flip, largest, run};
use serde_json::Value;
use std::fs;
use std::path::Path;
use stratigraph::Database;

const BACKUP: &[&str] = &[
    "path",
    "folder",
    "database",
    "number",
    "commit",
    "format",
    "files",
    "total_bytes",
    "new_bytes",
    "verified",
];
const RESTORE: &[&str] = &[
    "path",
    "folder",
    "database",
    "number",
    "commit",
    "format",
    "files",
    "total_bytes",
];

fn back_up(db: &Path, dest: &Path) -> Value {
    ask("backup", &[db, dest], &[])
        .assert_code(0)
        .answer("backup", BACKUP)
}

#[test]
fn a_backup_becomes_the_database_again() {
    let world = World::new();
    let (db, dest, again) = (
        world.database("library"),
        world.path("b/backups"),
        world.path("again"),
    );
    let said = ask("backup", &[&db, &dest], &["--verify"]);
    let backup = said.assert_code(0).answer("backup", BACKUP);
    assert_eq!(backup["number"], 1);
    assert_eq!(backup["commit"], 3);
    assert_eq!(backup["verified"], true);
    assert_eq!(backup["new_bytes"], backup["total_bytes"]);

    let said = ask("restore", &[&dest, &again], &[]);
    let restored = said.assert_code(0).answer("restore", RESTORE);
    assert_eq!(restored["commit"], 3);
    assert_eq!(restored["database"], backup["database"]);
    let said = ask("scrub", &[&again], &[]);
    let answer = said.assert_code(0).answer("scrub", &["entries"]);
    assert_eq!(answer["entries"]["nodes"], 3000);
}

#[test]
fn a_second_backup_copies_what_is_new() {
    let world = World::new();
    let (db, dest) = (world.database("library"), world.path("backups"));
    let first = back_up(&db, &dest);
    let open = Database::open(&db).unwrap();
    add(&open, 3000..3010);
    open.close().unwrap();
    let second = back_up(&db, &dest);
    assert_eq!(second["number"], 2);
    assert_eq!(second["commit"], 4);
    let bytes = |backup: &Value, field: &str| backup[field].as_u64().unwrap();
    assert!(
        bytes(&second, "new_bytes") < bytes(&first, "new_bytes") / 4,
        "{first} {second}"
    );

    // Each is still of its own commit.
    for (number, commit, nodes) in [("1", 3, 3000), ("2", 4, 3010)] {
        let again = world.path(&format!("again-{number}"));
        let said = ask("restore", &[&dest, &again], &["--number", number]);
        assert_eq!(
            said.assert_code(0).answer("restore", RESTORE)["commit"],
            commit
        );
        let answer = ask("check", &[&again], &[])
            .assert_code(0)
            .answer("check", &["entries"]);
        assert_eq!(answer["entries"]["nodes"], nodes);
    }
    let latest = world.path("latest");
    let said = ask("restore", &[&dest, &latest], &[]);
    assert_eq!(said.assert_code(0).answer("restore", RESTORE)["number"], 2);
}

#[test]
fn backups_are_listed_and_verified() {
    let world = World::new();
    let (db, dest) = (world.database("library"), world.path("backups"));
    back_up(&db, &dest);
    back_up(&db, &dest);
    let said = ask("backups", &[&dest], &[]);
    let listed = said
        .assert_code(0)
        .answer("backups", &["folder", "backups"]);
    assert_eq!(listed["backups"].as_array().unwrap().len(), 2);
    for (place, number) in [(0, 1), (1, 2)] {
        let backup = &listed["backups"][place];
        assert_eq!(backup["number"], number);
        assert_eq!(backup["commit"], 3);
        assert!(backup["total_bytes"].as_u64().unwrap() > 250_000);
        assert_eq!(backup["verified"], Value::Null);
    }
    let said = ask("backups", &[&dest], &["--verify", "--number", "2"]);
    let verified = said.assert_code(0).answer("backups", &["backups"]);
    assert_eq!(verified["backups"].as_array().unwrap().len(), 1);
    assert_eq!(verified["backups"][0]["verified"], true);
    let said = run(&["backups".as_ref(), "--verify".as_ref(), dest.as_os_str()]);
    assert_eq!(
        said.assert_code(0).stdout.matches("verified").count(),
        2,
        "{}",
        said.stdout
    );
}

#[test]
fn a_damaged_backup_is_not_restored() {
    let world = World::new();
    let (db, dest, again) = (
        world.database("library"),
        world.path("backups"),
        world.path("again"),
    );
    back_up(&db, &dest);
    let damaged = largest(&dest.join("files"), "");
    flip(&damaged, 1000);
    let name = damaged.file_name().unwrap().to_str().unwrap();

    let (kind, message) = ask("restore", &[&dest, &again], &[]).assert_code(1).error();
    assert_eq!(kind, "corrupt");
    assert!(message.contains(name), "{message}");
    assert!(!again.exists(), "half a database must not appear");

    let said = ask("backups", &[&dest], &["--verify"]);
    let answer = said.assert_code(1).answer("backups", &["backups"]);
    assert_eq!(answer["backups"][0]["verified"], false);
    assert!(
        answer["findings"][0]["what"]
            .as_str()
            .unwrap()
            .contains(name),
        "{answer}"
    );
}

#[test]
fn backup_verify_sees_what_the_disk_has_lost() {
    let world = World::new();
    let (db, dest) = (world.database("library"), world.path("backups"));
    back_up(&db, &dest);
    // The next backup relies on this file, since the database has the same one.
    let lost = largest(&dest.join("files"), "");
    flip(&lost, 1000);
    ask("backup", &[&db, &dest], &[]).assert_code(0);
    let (kind, message) = ask("backup", &[&db, &dest], &["--verify"])
        .assert_code(1)
        .error();
    assert_eq!(kind, "corrupt");
    assert!(message.contains(lost.to_str().unwrap()), "{message}");
}

#[test]
fn folders_that_do_not_fit_are_wrong_requests() {
    let world = World::new();
    let (db, dest, other) = (
        world.database("library"),
        world.path("backups"),
        world.path("other"),
    );
    back_up(&db, &dest);
    fs::create_dir(&other).unwrap();
    let nowhere = world.path("nowhere");
    let calls = [
        ask("restore", &[&nowhere, &world.path("again")], &[]),
        ask("restore", &[&other, &world.path("again")], &[]),
        ask(
            "restore",
            &[&dest, &world.path("again")],
            &["--number", "7"],
        ),
        ask("restore", &[&dest, &db], &[]),
        ask("backups", &[&nowhere], &[]),
        ask("backups", &[&other], &["--verify"]),
        ask("backups", &[&dest], &["--number", "7"]),
        ask("backup", &[&db, &db.join("backups")], &[]),
        ask("backup", &[&db, &db], &[]),
    ];
    for said in calls {
        assert_eq!(said.assert_code(2).error().0, "request");
    }
    assert!(!world.path("again").exists() && !nowhere.exists());
    let answer = ask("backups", &[&other], &[])
        .assert_code(0)
        .answer("backups", &["backups"]);
    assert_eq!(answer["backups"].as_array().unwrap().len(), 0);
    let answer = ask("check", &[&db], &[])
        .assert_code(0)
        .answer("check", &["notes"]);
    assert_eq!(
        answer["notes"].as_array().unwrap().len(),
        0,
        "no backup went into the database"
    );
}

#[test]
fn a_folder_takes_one_database() {
    let world = World::new();
    let (db, other, dest) = (
        world.database("library"),
        world.database("other"),
        world.path("backups"),
    );
    back_up(&db, &dest);
    let (_, message) = ask("backup", &[&other, &dest], &[]).assert_code(1).error();
    assert!(message.contains("belongs to database"), "{message}");
    let listed = ask("backups", &[&dest], &[]).answer("backups", &["backups"]);
    assert_eq!(listed["backups"].as_array().unwrap().len(), 1);
}

#[test]
fn so_many_backups_are_kept() {
    let world = World::new();
    let (db, dest) = (world.database("library"), world.path("backups"));
    back_up(&db, &dest);
    back_up(&db, &dest);
    let said = ask("backup", &[&db, &dest], &["--keep", "2"]);
    let fields = [BACKUP, &["removed", "freed_bytes"]].concat();
    let third = said.assert_code(0).answer("backup", &fields);
    assert_eq!(
        (&third["number"], &third["removed"]),
        (&3.into(), &vec![1].into())
    );
    let said = ask("backups", &[&dest], &["--verify"]);
    let left = said.assert_code(0).answer("backups", &["backups"]);
    assert_eq!(left["backups"].as_array().map(Vec::len), Some(2));
    ask("backup", &[&db, &dest], &["--keep", "0"]).assert_code(2);
    assert_eq!(left["backups"][0]["number"], 2);
}
