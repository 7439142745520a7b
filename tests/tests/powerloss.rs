//! A short run of the power-loss harness, and the proof that it finds what it is for.

mod harness;

const POWERLOSS: &str = env!("CARGO_BIN_EXE_powerloss");

fn is_caught(bug: &str, counts: &[&str]) {
    let arguments = ["--images", "20", "--seed", "3"];
    // On a disk, where syncs take their time.
    let folder = tempfile::tempdir().expect("a folder");
    harness::is_caught((POWERLOSS, &arguments), bug, folder.path(), counts);
}

#[test]
fn nothing_acknowledged_is_lost() {
    let ran = harness::run(POWERLOSS, &["--images", "10", "--seed", "1"]);
    assert_eq!(
        ran.last,
        "powerloss images=10 acked_lost=0 torn=0 refused_legal=0 index_diffs=0"
    );
    assert_eq!(ran.code, Some(0));
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
    let ran = harness::run(POWERLOSS, &["--images", "0", "--seed", "1"]);
    assert_eq!(
        ran.last,
        "powerloss images=0 acked_lost=0 torn=0 refused_legal=0 index_diffs=0"
    );
    assert_eq!(ran.code, Some(1));
}
