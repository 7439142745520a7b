//! A server that is killed while clients write has all that it has acknowledged when it is back, and the harness fails
//! on one with a bug.

#[expect(dead_code, reason = "other harnesses plant their bugs through it")]
mod harness;

const OVERLOAD: &str = env!("CARGO_BIN_EXE_overload");

#[test]
fn what_was_acknowledged_outlives_the_server() {
    let arguments = ["--only", "kill", "--kills", "4", "--seed", "7"];
    let ran = harness::run(OVERLOAD, &arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.last);
    assert!(
        ran.last.starts_with("overload kills=4 acknowledged="),
        "{}",
        ran.last
    );
    assert!(ran.last.ends_with(" wrong=0"), "{}", ran.last);
}

#[test]
fn a_family_that_is_lost_is_caught() {
    let arguments = [
        "--only",
        "kill",
        "--kills",
        "2",
        "--seed",
        "7",
        "--plant",
        "drop-family",
    ];
    let ran = harness::run(OVERLOAD, &arguments);
    assert_eq!(ran.code, Some(1), "{}", ran.last);
    assert!(!ran.last.ends_with(" wrong=0"), "{}", ran.last);
}
