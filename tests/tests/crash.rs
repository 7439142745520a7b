//! The crash harness passes on the engine as it is, and fails on one with a bug.

mod harness;

use stratigraph_tests::driver::scratch::Scratch;

const CRASH: &str = env!("CARGO_BIN_EXE_crash");

fn is_caught(bug: &str) {
    // A hundred batches in every second cycle: what is wrong shows by what was written, whatever time that takes.
    let arguments = ["--cycles", "8", "--batches", "400", "--seed", "7"];
    let counts = ["torn=", "index_diffs="];
    let scratch = Scratch::new(None, "crash").expect("a folder");
    harness::is_caught((CRASH, &arguments), bug, scratch.root(), &counts);
}

#[test]
fn nothing_acknowledged_is_lost() {
    let ran = harness::run(CRASH, &["--cycles", "5", "--seed", "7"]);
    let line = ran.last;
    assert_eq!(ran.code, Some(0), "{line}");
    assert!(
        line.starts_with("crash cycles=5 killed_in_recovery="),
        "{line}"
    );
    assert!(
        line.ends_with(" acked_lost=0 torn=0 check_errors=0 index_diffs=0"),
        "{line}"
    );
}

#[test]
fn a_dropped_family_is_caught() {
    is_caught("drop-family");
}

#[test]
fn a_missing_incoming_entry_is_caught() {
    is_caught("skip-in-entry");
}

#[test]
fn a_stale_degree_is_caught() {
    is_caught("stale-degree");
}

#[test]
fn a_stale_index_entry_is_caught() {
    is_caught("stale-index");
}

#[test]
fn a_level_that_stays_is_caught() {
    is_caught("level-not-moved");
}

#[test]
fn a_stale_vector_is_caught() {
    is_caught("stale-vector");
}

#[test]
fn a_stale_text_is_caught() {
    is_caught("stale-text");
}

#[test]
fn a_run_has_its_batches_however_busy_the_machine_is() {
    let ran = harness::run(CRASH, &["--cycles", "1", "--batches", "200", "--seed", "7"]);
    assert_eq!(ran.code, Some(0), "{}", ran.last);
    // In one cycle, unless that is too short for them on this machine.
    let mut said = ran.notes.rsplit(" batches acknowledged");
    let before = said.nth(1).and_then(|said| said.split(' ').next_back());
    let batches: u64 = before.expect("it says how many").parse().expect("a count");
    assert!(batches >= 200, "{batches}");
}

#[test]
fn a_run_that_proves_nothing_fails() {
    let ran = harness::run(CRASH, &["--cycles", "0", "--seed", "7"]);
    assert_eq!(ran.code, Some(1), "{}", ran.last);
}
