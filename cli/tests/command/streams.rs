//! What goes through stdout, stderr and signals: help, usage errors, closed pipes, the log, Ctrl-C.

use crate::served::interrupt;
use crate::world::{World, ask, command, largest, run};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

const VERBS: [&str; 17] = [
    "query", "repl", "check", "scrub", "backup", "backups", "restore", "dump", "load", "info",
    "compact", "recover", "import", "export", "serve", "token", "config",
];

#[test]
fn help_lists_verbs_and_exit_codes() {
    let said = run(&["--help"]);
    said.assert_code(0);
    for verb in VERBS {
        assert!(
            said.stdout.contains(&format!("\n  {verb} ")),
            "{verb}: {}",
            said.stdout
        );
    }
    for code in ["0", "1", "2", "3", "4", "70", "130"] {
        assert!(
            said.stdout.contains(&format!("\n  {code:>3}  ")),
            "{code}: {}",
            said.stdout
        );
    }
    let version = run(&["--version"]);
    assert_eq!(
        version.stdout,
        format!("stratigraph {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn every_verb_has_an_example() {
    for verb in VERBS {
        let said = run(&[verb, "--help"]);
        said.assert_code(0);
        let example = said
            .stdout
            .split_once("\nExample")
            .unwrap_or_else(|| panic!("{verb}"))
            .1;
        assert!(
            example.contains(&format!("\n  stratigraph {verb} ")),
            "{}",
            said.stdout
        );
        assert!(example.contains("\nJSON: "), "{}", said.stdout);
    }
}

#[test]
fn usage_errors_are_requests() {
    for arguments in [
        &["check"][..],
        &["polish", "x"],
        &["check", "x", "--loud"],
        &[],
    ] {
        let said = run(arguments);
        said.assert_code(2);
        assert_eq!(said.stdout, "");
        assert!(said.stderr.contains("Usage:"), "{}", said.stderr);
    }
    let (kind, message) = run(&["check", "--json"]).assert_code(2).error();
    assert_eq!(kind, "request");
    assert!(
        message.starts_with("the following required arguments"),
        "{message}"
    );
}

#[test]
fn errors_are_one_line_for_people() {
    let world = World::new();
    let missing = world.path("missing");
    let said = run(&["check".as_ref(), missing.as_os_str()]);
    said.assert_code(2);
    assert_eq!(said.stdout, "");
    assert!(
        said.stderr.starts_with("error: no database at "),
        "{}",
        said.stderr
    );
    assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
}

#[test]
fn quiet_says_nothing_when_all_is_well() {
    let world = World::new();
    let db = world.database("library");
    let said = run(&["--quiet".as_ref(), "check".as_ref(), db.as_os_str()]);
    said.assert_code(0);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", ""));
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let world = World::new();
    let db = world.database("library");
    for flags in [&[][..], &["--json"]] {
        let mut check = command(&["check"]);
        check
            .arg(&db)
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = check.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[test]
fn an_answer_that_cannot_be_printed_is_a_failure() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let world = World::new();
    let db = world.database("library");
    let mut check = command(&["check", "--json"]);
    let stdout = OpenOptions::new().write(true).open(full).unwrap();
    let output = check.arg(&db).stdout(stdout).output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains(r#""kind":"unavailable""#), "{stderr}");
}

#[test]
fn what_the_system_refuses_is_unavailable() {
    // Not even root may create anything there.
    let dest = Path::new("/proc/backups");
    if !Path::new("/proc/self").exists() {
        return;
    }
    let world = World::new();
    let db = world.database("library");
    let (kind, message) = ask("backup", &[&db, dest], &[]).assert_code(4).error();
    assert_eq!(kind, "unavailable");
    assert!(
        message.starts_with("cannot create /proc/backups"),
        "{message}"
    );
}

#[test]
fn the_log_goes_to_stderr() {
    let world = World::new();
    let db = world.database("library");
    let check = || {
        let mut check = command(&["check", "--json"]);
        check.arg(&db);
        check
    };
    let output = check().env("RUST_LOG", "trace").output().unwrap();
    let answer = serde_json::from_slice::<serde_json::Value>(&output.stdout);
    assert!(answer.is_ok(), "the log must not mix with the answer");
    let log = |output: Output| String::from_utf8(output.stderr).unwrap();
    assert!(log(output).contains("stratigraph::rocksdb"));
    assert!(log(check().arg("-vvv").output().unwrap()).contains("stratigraph::rocksdb"));
    assert_eq!(
        log(check().output().unwrap()),
        "",
        "only warnings by default"
    );
    let refused = run(&["check", "x", "--quiet", "-v"]);
    refused.assert_code(2);
}

/// Starts to restore a backup with one file replaced by a pipe, so that the command waits there;
/// returns that pipe, and what belongs into it.
fn start_restore(world: &World) -> (Child, File, Vec<u8>) {
    let (db, dest) = (world.database("library"), world.path("backups"));
    ask("backup", &[&db, &dest], &[]).assert_code(0);
    let file: PathBuf = largest(&dest.join("files"), "");
    let contents = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&file)
            .status()
            .unwrap()
            .success()
    );
    let mut restore = command(&["restore", "--json"]);
    restore
        .arg(&dest)
        .arg(world.path("again"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = restore.spawn().unwrap();
    // Opening waits until the other side has opened it too: it is in the middle of its work then.
    let pipe = OpenOptions::new().write(true).open(&file).unwrap();
    (child, pipe, contents)
}

/// The exit code, within half a minute: a command that does not listen must fail the test, not hang it.
fn ended(child: &mut Child) -> Option<i32> {
    for _ in 0..600 {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    panic!("the command has not ended");
}

#[test]
fn one_interrupt_stops_after_the_step() {
    let world = World::new();
    let (mut child, mut pipe, contents) = start_restore(&world);
    interrupt(&child);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut hint = String::new();
    stderr.read_line(&mut hint).unwrap();
    assert!(hint.starts_with("stopping after this step"), "{hint}");
    // The step ends as it should, and the one after it does not begin.
    pipe.write_all(&contents).unwrap();
    drop(pipe);
    let mut error = String::new();
    stderr.read_line(&mut error).unwrap();
    assert_eq!(ended(&mut child), Some(130));
    assert!(error.contains(r#""kind":"cancelled""#), "{error}");
    assert!(!world.path("again").exists() && !world.path("again.restoring").exists());
}

#[test]
fn a_second_interrupt_stops_at_once() {
    let world = World::new();
    let (mut child, pipe, _) = start_restore(&world);
    interrupt(&child);
    let mut hint = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut hint)
        .unwrap();
    assert!(hint.starts_with("stopping after this step"), "{hint}");
    interrupt(&child);
    assert_eq!(ended(&mut child), Some(130));
    drop(pipe);
    assert!(
        !world.path("again").exists(),
        "half a database must not appear"
    );
}
