//! A short run of the power-loss harness, and the proof that it finds what it is for.

use std::process::{Command, Output};

fn powerloss(arguments: &[&str]) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_powerloss"));
    let output = command.args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let notes = String::from_utf8_lossy(&output.stderr);
    eprintln!("{notes}");
    let last = said.lines().last().unwrap_or_default().to_owned();
    (output, last)
}

/// The run with a planted bug must fail because of `count`, and not because it did not work.
fn is_caught(bug: &str, counts: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().display().to_string();
    let (output, last) = powerloss(&[
        "--images", "20", "--seed", "3", "--plant", bug, "--dir", &folder,
    ]);
    assert_eq!(output.status.code(), Some(1), "{last}");
    let counted = |count: &&str| {
        last.split(' ')
            .any(|word| word.starts_with(count) && !word.ends_with("=0"))
    };
    assert!(counts.iter().any(counted), "{bug}: {last}");
}

#[test]
fn nothing_acknowledged_is_lost() {
    let (output, last) = powerloss(&["--images", "10", "--seed", "1"]);
    assert_eq!(
        last,
        "powerloss images=10 acked_lost=0 torn=0 refused_legal=0"
    );
    assert!(output.status.success());
}

#[test]
fn a_missing_sync_is_caught() {
    is_caught("skip-sync", &["acked_lost="]);
}

#[test]
fn an_early_acknowledgement_is_caught() {
    is_caught("acknowledge-early", &["acked_lost="]);
}

#[test]
fn a_missing_family_is_caught() {
    is_caught("drop-family", &["torn="]);
}

#[test]
fn a_run_that_proves_nothing_fails() {
    let (output, last) = powerloss(&["--images", "0", "--seed", "1"]);
    assert_eq!(
        last,
        "powerloss images=0 acked_lost=0 torn=0 refused_legal=0"
    );
    assert_eq!(output.status.code(), Some(1));
}
