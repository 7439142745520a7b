//! The crash harness passes on the engine as it is, and fails on one with a bug.

use std::process::{Command, Output};

fn crash(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_crash"))
        .args(arguments)
        .output()
        .expect("crash runs");
    eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn last_line(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .last()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn nothing_acknowledged_is_lost() {
    let output = crash(&["--cycles", "5", "--seed", "7"]);
    let line = last_line(&output);
    assert!(output.status.success(), "{line}");
    assert!(
        line.starts_with("crash cycles=5 killed_in_recovery="),
        "{line}"
    );
    assert!(
        line.ends_with(" acked_lost=0 torn=0 check_errors=0"),
        "{line}"
    );
}

#[test]
fn a_dropped_family_is_caught() {
    // A failed run keeps its folder, which must not pile up here.
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().to_str().expect("a plain path");
    let output = crash(&[
        "--cycles",
        "5",
        "--seed",
        "7",
        "--plant",
        "drop-family",
        "--dir",
        dir,
    ]);
    let line = last_line(&output);
    assert_eq!(output.status.code(), Some(1), "{line}");
    assert!(!line.contains(" acked_lost=0 torn=0 "), "{line}");
}

#[test]
fn a_run_that_proves_nothing_fails() {
    let output = crash(&["--cycles", "0", "--seed", "7"]);
    assert_eq!(output.status.code(), Some(1), "{}", last_line(&output));
}
