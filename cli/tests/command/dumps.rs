//! `dump` and `load`.

use crate::world::{World, ask, command, contents, flip, run};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use stratigraph::{Constraint, Database, NO_PROPERTIES, Read};

const DUMP: &[&str] = &[
    "path",
    "file",
    "database",
    "canonical",
    "commit",
    "nodes",
    "relationships",
    "names",
    "declarations",
    "members",
    "bytes",
    "longest_line_bytes",
    "checksum",
];
const LOAD: &[&str] = &[
    "path",
    "file",
    "database",
    "commit",
    "nodes",
    "relationships",
    "names",
    "declarations",
    "members",
    "bytes",
    "left_out",
];

/// A closed database of 100 nodes in a chain; `turned` gives them other ids.
fn library(world: &World, name: &str, turned: bool) -> PathBuf {
    let path = world.path(name);
    let db = Database::create(&path).unwrap();
    let mut txn = db.write().unwrap();
    let mut numbers: Vec<i64> = (0..100).collect();
    if turned {
        numbers.reverse();
    }
    let mut nodes = vec![None; 100];
    for number in numbers {
        nodes[number as usize] = Some(txn.create_node(["Page"], [("number", number)]).unwrap());
    }
    for pair in nodes.windows(2) {
        let (from, to) = (pair[0].unwrap(), pair[1].unwrap());
        txn.create_relationship(from, "NEXT", to, NO_PROPERTIES)
            .unwrap();
    }
    txn.commit().unwrap();
    db.create_constraint(Constraint::on_nodes("Page").unique(["number"]))
        .unwrap();
    db.close().unwrap();
    path
}

/// A dump without its last line, which names the database.
fn body(text: &str) -> &str {
    text.trim_end().rsplit_once('\n').unwrap().0
}

#[test]
fn a_dump_becomes_the_database_again() {
    let world = World::new();
    let (db, file, again) = (
        library(&world, "library", false),
        world.path("d.jsonl"),
        world.path("again"),
    );
    let said = ask("dump", &[&db], &["-o", file.to_str().unwrap()]);
    let dumped = said.assert_code(0).answer("dump", DUMP);
    assert_eq!(
        (&dumped["nodes"], &dumped["relationships"]),
        (&100.into(), &99.into())
    );
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(dumped["bytes"], text.len());
    assert_eq!(dumped["canonical"], false);
    assert!(!world.path("d.jsonl.dumping").exists());

    let loaded = ask("load", &[&again, &file], &["--create"])
        .assert_code(0)
        .answer("load", LOAD);
    for field in [
        "nodes",
        "relationships",
        "names",
        "declarations",
        "members",
        "bytes",
    ] {
        assert_eq!(loaded[field], dumped[field], "{field}");
    }
    assert!(!world.path("again.loading").exists());
    ask("check", &[&again], &[]).assert_code(0);
    let said = run(&["dump".as_ref(), again.as_os_str()]);
    assert_eq!(body(&said.assert_code(0).stdout), body(&text));

    // Into a database that is there and new; and not a second time.
    let open = world.path("open");
    Database::create(&open).unwrap().close().unwrap();
    ask("load", &[&open, &file], &[])
        .assert_code(0)
        .answer("load", LOAD);
    let (kind, message) = ask("load", &[&open, &file], &[]).assert_code(2).error();
    assert_eq!(kind, "request");
    assert!(message.starts_with("the database is not new"), "{message}");
}

#[test]
fn stdout_is_for_the_dump_and_stdin_takes_one() {
    let world = World::new();
    let db = library(&world, "library", false);
    let said = ask("dump", &[&db], &[]);
    said.assert_code(0);
    let answer: Value = serde_json::from_str(&said.stderr).unwrap();
    assert_eq!(
        (&answer["verb"], &answer["file"]),
        (&"dump".into(), &Value::Null)
    );
    assert!(
        said.stdout.starts_with("{\"stratigraph_dump\":1,"),
        "{}",
        said.stdout
    );

    let again = world.path("again");
    let mut load = command(&["load", "--json", "--create"]);
    load.arg(&again)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = load.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(said.stdout.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let db = Database::open(&again).unwrap();
    assert_eq!(db.read().unwrap().node_count(Some("Page")).unwrap(), 100);
}

#[test]
fn canonical_dumps_of_equal_graphs_are_equal() {
    let world = World::new();
    let (one, other) = (
        library(&world, "one", false),
        library(&world, "other", true),
    );
    let plain = |db: &Path| {
        run(&["dump".as_ref(), db.as_os_str()])
            .assert_code(0)
            .stdout
            .clone()
    };
    let canonical = |db: &Path| {
        let said = run(&["dump".as_ref(), "--canonical".as_ref(), db.as_os_str()]);
        said.assert_code(0).stdout.clone()
    };
    assert_ne!(body(&plain(&one)), body(&plain(&other)));
    assert_eq!(canonical(&one), canonical(&other));
    let open = Database::open(&other).unwrap();
    let mut txn = open.write().unwrap();
    txn.create_node(["Page"], NO_PROPERTIES).unwrap();
    txn.commit().unwrap();
    open.close().unwrap();
    assert_ne!(canonical(&one), canonical(&other));
}

#[test]
fn a_dump_overwrites_nothing_unasked() {
    let world = World::new();
    let (db, file) = (library(&world, "library", false), world.path("d.jsonl"));
    fs::write(&file, "mine").unwrap();
    let o = file.to_str().unwrap();
    let (kind, message) = ask("dump", &[&db], &["-o", o]).assert_code(2).error();
    assert_eq!(kind, "request");
    assert!(message.contains("--force"), "{message}");
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    ask("dump", &[&db], &["-o", o, "--force"]).assert_code(0);
    assert!(fs::read(&file).unwrap().len() > 1000);

    let before = contents(&db);
    let inside = db.join("d.jsonl");
    for place in [
        inside.to_str().unwrap(),
        "/dev/null",
        world.path("").to_str().unwrap(),
    ] {
        let (kind, _) = ask("dump", &[&db], &["-o", place, "--force"])
            .assert_code(2)
            .error();
        assert_eq!(kind, "request");
    }
    assert_eq!(contents(&db), before);
    let (_, message) = ask("dump", &[&db], &["-o", "/proc/d.jsonl"])
        .assert_code(4)
        .error();
    assert!(message.contains("/proc/d.jsonl:"), "{message}");
    // Nothing that waiting would mend, and no name that nobody has given.
    let nowhere = world.path("nowhere/d.jsonl");
    let (kind, message) = ask("dump", &[&db], &["-o", nowhere.to_str().unwrap()])
        .assert_code(2)
        .error();
    assert_eq!(kind, "request");
    let expected = format!("cannot write {}: there is no folder", nowhere.display());
    assert!(message.starts_with(&expected), "{message}");
    ask("dump", &[&world.path("nowhere")], &[]).assert_code(2);
}

#[test]
fn what_is_damaged_leaves_no_database() {
    let world = World::new();
    let (db, file) = (library(&world, "library", false), world.path("d.jsonl"));
    ask("dump", &[&db], &["-o", file.to_str().unwrap()]).assert_code(0);
    let whole = fs::read(&file).unwrap();
    let (new, open) = (world.path("new"), world.path("open"));
    Database::create(&open).unwrap().close().unwrap();
    // One letter of a name: only the checksum knows.
    let at = whole.windows(4).position(|bytes| bytes == b"Page").unwrap();
    flip(&file, at + 1);
    for (path, flags) in [(&new, &["--create"][..]), (&open, &[])] {
        let (kind, message) = ask("load", &[path, &file], flags).assert_code(2).error();
        assert_eq!(kind, "request");
        assert!(message.starts_with("the checksum is"), "{message}");
    }
    assert!(!new.exists() && !world.path("new.loading").exists());
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    ask("load", &[&open, &file], &[]).assert_code(2);
    fs::write(&file, &whole).unwrap();
    // Neither attempt has touched it.
    ask("load", &[&open, &file], &[]).assert_code(0);

    let edited = String::from_utf8(whole)
        .unwrap()
        .replace("\"number\":7}", "\"number\":700}");
    fs::write(&file, edited).unwrap();
    ask("load", &[&new, &file], &["--create"]).assert_code(2);
    ask("load", &[&new, &file], &["--create", "--ignore-checksum"]).assert_code(0);
    let (_, message) = ask("load", &[&new, &file], &["--create"])
        .assert_code(2)
        .error();
    assert!(message.contains("already exists"), "{message}");
    let (_, message) = ask("load", &[&new, &world.path("none")], &[])
        .assert_code(2)
        .error();
    assert!(message.starts_with("no dump at"), "{message}");
    let (_, message) = ask(
        "load",
        &[&world.path("x"), &file],
        &["--create", "--line-limit", "50"],
    )
    .assert_code(2)
    .error();
    assert!(message.contains("--line-limit"), "{message}");
}

#[test]
fn a_missing_database_is_answered_with_what_the_command_line_can_do() {
    let world = World::new();
    let (db, file) = (library(&world, "library", false), world.path("d.jsonl"));
    ask("dump", &[&db], &["-o", file.to_str().unwrap()]).assert_code(0);
    let nowhere = world.path("nowhere");
    let said = |verb: &str, paths: &[&Path]| {
        let (kind, message) = ask(verb, paths, &[]).assert_code(2).error();
        assert_eq!(kind, "request");
        assert!(
            message.starts_with(&format!("no database at {}: ", nowhere.display())),
            "{message}"
        );
        assert!(!message.contains("Database::create"), "{message}");
        message
    };
    assert!(said("load", &[&nowhere, &file]).contains("--create"));
    for verb in ["info", "dump", "check", "compact"] {
        assert!(said(verb, &[&nowhere]).ends_with("is the path right?"));
    }
}
