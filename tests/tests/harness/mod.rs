//! Runs a harness as its users do, and looks at its last line.

use std::path::Path;
use std::process::Command;

/// What a harness came to.
pub(crate) struct Ran {
    /// Its last line.
    pub(crate) last: String,
    /// How it ended.
    pub(crate) code: Option<i32>,
    /// What it said on the way.
    pub(crate) notes: String,
}

/// Runs a program with these arguments.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Ran {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .expect("it starts");
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    eprintln!("{notes}");
    let said = String::from_utf8_lossy(&output.stdout);
    Ran {
        last: said.lines().last().unwrap_or_default().to_owned(),
        code: output.status.code(),
        notes,
    }
}

/// A run with a planted bug must fail because one of `counts` is not nothing, and not because it did
/// not work.
///
/// It works in `folder`, since a failed run keeps its own, which must not pile up.
pub(crate) fn is_caught(
    (program, arguments): (&str, &[&str]),
    bug: &str,
    folder: &Path,
    counts: &[&str],
) {
    let dir = folder.to_str().expect("a plain path");
    let with_bug = [arguments, &["--plant", bug, "--dir", dir]].concat();
    let Ran { last, code, notes } = run(program, &with_bug);
    assert_eq!(code, Some(1), "{bug}: {last}");
    let is_counted = |count: &&str| {
        let mut words = last.split(' ');
        words.any(|word| word.starts_with(count) && !word.ends_with("=0"))
    };
    assert!(counts.iter().any(is_counted), "{bug}: {last}\n{notes}");
}
