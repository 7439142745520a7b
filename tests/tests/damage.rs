//! The damage harness passes on the engine as it is, and fails on one with a bug.

use std::process::{Command, Output};

fn damage(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_damage"))
        .args(arguments)
        .output()
        .expect("damage runs");
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

fn is_caught(arguments: &[&str]) {
    let output = damage(arguments);
    let line = last_line(&output);
    assert_eq!(output.status.code(), Some(1), "{line}");
    assert!(line.starts_with("damage cases="), "{line}");
    assert!(!line.ends_with(" wrong_values=0 silent_losses=0"), "{line}");
}

#[test]
fn damage_is_reported_or_harmless() {
    let output = damage(&["--cases", "40", "--seed", "7"]);
    let line = last_line(&output);
    assert!(output.status.success(), "{line}");
    assert_eq!(line, "damage cases=40 wrong_values=0 silent_losses=0");
}

#[test]
fn an_ignored_status_is_caught() {
    is_caught(&[
        "--cases",
        "12",
        "--seed",
        "7",
        "--kind",
        "sst-flip",
        "--plant",
        "ignore-status",
    ]);
}

#[test]
fn a_skipped_mark_is_caught_when_the_log_is_cut() {
    is_caught(&[
        "--cases",
        "8",
        "--seed",
        "7",
        "--kind",
        "wal-cut-record",
        "--plant",
        "skip-mark",
    ]);
}

#[test]
fn a_skipped_mark_is_caught_when_the_log_is_gone() {
    is_caught(&[
        "--cases",
        "8",
        "--seed",
        "7",
        "--kind",
        "wal-delete",
        "--plant",
        "skip-mark",
    ]);
}
