//! `compact` and `recover`.

use crate::world::{World, add, ask, contents, copy_folder, largest, run};
use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use stratigraph::{Database, NodeId};

const RECOVER: &[&str] = &[
    "path", "database", "commit", "lost", "refused", "entries", "notes",
];

/// A database whose log has lost the last of six acknowledged commits.
fn with_a_loss(world: &World) -> PathBuf {
    let path = world.database("library");
    let db = Database::open(&path).unwrap();
    for commit in 3..6 {
        add(&db, commit * 1000..(commit + 1) * 1000);
    }
    // As a crash would leave it: the last three commits are in the log alone.
    let crashed = world.path("crashed");
    copy_folder(&path, &crashed);
    db.close().unwrap();
    let log = largest(&crashed.join("store"), ".log");
    let bytes = fs::metadata(&log).unwrap().len();
    OpenOptions::new()
        .write(true)
        .open(&log)
        .unwrap()
        .set_len(bytes - 100)
        .unwrap();
    crashed
}

#[test]
fn compact_drops_what_is_deleted() {
    let world = World::new();
    let path = world.database("library");
    let db = Database::open(&path).unwrap();
    let mut txn = db.write().unwrap();
    for number in 0..2500 {
        txn.detach_delete_node(NodeId::new(number)).unwrap();
    }
    txn.commit().unwrap();
    db.close().unwrap();
    let said = ask("compact", &[&path], &[]);
    let answer = said
        .assert_code(0)
        .answer("compact", &["path", "database", "before", "after"]);
    assert_eq!(answer["commit"], 4);
    let bytes = |side: &str| answer[side]["file_bytes"].as_u64().unwrap();
    assert!(bytes("after") < bytes("before") / 2, "{answer}");
    let answer = ask("scrub", &[&path], &[])
        .assert_code(0)
        .answer("scrub", &["entries"]);
    assert_eq!(answer["entries"]["nodes"], 500);
}

#[test]
fn a_loss_is_refused_until_it_is_accepted() {
    let world = World::new();
    let crashed = with_a_loss(&world);
    let before = contents(&crashed);
    for verb in ["check", "compact"] {
        let (kind, message) = ask(verb, &[&crashed], &[]).assert_code(1).error();
        assert_eq!(kind, "corrupt");
        assert!(
            message.contains("stratigraph recover --accept-loss"),
            "{message}"
        );
    }
    let (kind, message) = ask("recover", &[&crashed], &[]).assert_code(2).error();
    assert_eq!(kind, "request");
    assert!(message.contains("up to 6 were acknowledged"), "{message}");
    assert!(message.contains("restore a backup"), "{message}");
    let differences: Vec<PathBuf> = contents(&crashed)
        .into_iter()
        .filter(|file| !before.contains(file))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(
        differences,
        Vec::<PathBuf>::new(),
        "nothing is changed before it is accepted"
    );

    let said = ask("recover", &[&crashed], &["--accept-loss"]);
    let answer = said.assert_code(0).answer("recover", RECOVER);
    assert_eq!(answer["lost"]["acknowledged"], 6);
    assert_eq!(answer["lost"]["recovered"], 5);
    assert_eq!(answer["commit"], 5);
    assert_eq!(answer["entries"]["nodes"], 5000);
    let answer = ask("check", &[&crashed], &[])
        .assert_code(0)
        .answer("check", &["entries"]);
    assert_eq!(answer["entries"]["nodes"], 5000);
}

#[test]
fn a_loss_is_told_to_people() {
    let world = World::new();
    let crashed = with_a_loss(&world);
    let said = run(&[
        "recover".as_ref(),
        "--accept-loss".as_ref(),
        crashed.as_os_str(),
    ]);
    said.assert_code(0);
    assert!(said.stdout.contains("1 commit lost"), "{}", said.stdout);
    assert!(said.stdout.contains("5,000"), "{}", said.stdout);
}

#[test]
fn a_sound_database_has_nothing_to_recover() {
    let world = World::new();
    let db = world.database("library");
    let (_, message) = ask("recover", &[&db], &[]).assert_code(2).error();
    assert!(message.contains("nothing is lost"), "{message}");
    let said = ask("recover", &[&db], &["--accept-loss"]);
    let answer = said.assert_code(0).answer("recover", RECOVER);
    assert!(
        answer["lost"].is_null() && answer["refused"].is_null(),
        "{answer}"
    );
    assert_eq!(answer["commit"], 3);
    assert_eq!(answer["entries"]["nodes"], 3000);
}
