//! The damage harness passes on the engine as it is, and fails on one with a bug.

mod harness;

use stratigraph_tests::driver::scratch::Scratch;

const DAMAGE: &str = env!("CARGO_BIN_EXE_damage");

fn is_caught(bug: &str, cases: &str, kind: &str) {
    let arguments = ["--cases", cases, "--seed", "7", "--kind", kind];
    let counts = ["wrong_values=", "silent_losses="];
    let scratch = Scratch::new(None, "damage").expect("a folder");
    harness::is_caught((DAMAGE, &arguments), bug, scratch.root(), &counts);
}

#[test]
fn damage_is_reported_or_harmless() {
    let ran = harness::run(DAMAGE, &["--cases", "40", "--seed", "7"]);
    assert_eq!(ran.code, Some(0), "{}", ran.last);
    assert_eq!(
        ran.last,
        "damage cases=40 wrong_values=0 silent_losses=0 index_diffs=0"
    );
}

#[test]
fn an_ignored_status_is_caught() {
    is_caught("ignore-status", "12", "sst-flip");
}

#[test]
fn a_skipped_mark_is_caught_when_the_log_is_cut() {
    is_caught("skip-mark", "8", "wal-cut-record");
}

#[test]
fn a_skipped_mark_is_caught_when_the_log_is_gone() {
    is_caught("skip-mark", "8", "wal-delete");
}
