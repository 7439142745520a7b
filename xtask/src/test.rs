//! The verb `test`: checks, tests, documentation examples, scripts, conformance, and the harnesses at
//! test size.
//!
//! Whatever fails fastest comes first. With arguments it is only a way to call nextest.

use crate::cargo::Cargo;
use crate::check;
use crate::conformance;
use crate::demo;
use crate::deny;
use crate::foreign;
use crate::models;
use crate::places::Places;
use crate::setup;
use crate::shell;
use crate::steps::{self, Steps};
use crate::tools;
use crate::verbs::Failure;
use std::path::{Path, PathBuf};

/// What a step is called, its program, and how that is run: in debug mode, as the tests were built, for another build of
/// everything costs more than it saves here. The seed is fixed so that a red run can be repeated; the harness's own verb takes
/// any seed, and a release build.
const HARNESSES: &[(&str, &str, &[&str])] = &[
    ("crash", "crash", &["--cycles", "50", "--seed", "1"]),
    ("powerloss", "powerloss", &["--images", "50", "--seed", "1"]),
    ("damage", "damage", &["--cases", "200"]),
    (
        "law",
        "law",
        &["--sequences", "50", "--kills", "10", "--seed", "1"],
    ),
    (
        "overload",
        "overload",
        &[
            "--seconds",
            "5",
            "--streams",
            "600",
            "--connections",
            "12",
            "--separate",
            "150",
            "--leave",
            "280",
            "--kills",
            "8",
            // Others may want the processors as well: what is proven here is that it does not collapse.
            "--least-goodput",
            "0.1",
            "--seed",
            "1",
        ],
    ),
    (
        "soak",
        "overload",
        &["soak", "--minutes", "1", "--seed", "1"],
    ),
];

/// `cargo xtask test`
pub(crate) fn run(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    if arguments.is_empty() {
        Ok(steps::summarised("test", |steps| {
            everything(places, steps)
        })?)
    } else {
        let cargo = setup::ensure(places)?;
        Ok(shell::run(nextest(&cargo).args(arguments))?)
    }
}

fn everything(places: &Places, steps: &mut Steps) -> Result<(), String> {
    shell::say("all checks, tests and harnesses (about 20 minutes; the first time up to 70)");
    let cargo = steps.run("setup", || setup::ensure(places))?;
    fetch_models(places, steps);
    check::sources(places, &cargo, steps)?;
    if tools::DENY.is_installed(places) {
        deny::check(&cargo, steps)?;
    } else {
        steps.skip(
            "deny",
            "cargo-deny is not installed; `cargo xtask check` installs it",
        );
    }
    for (tests, data) in lacking(&places.shared) {
        steps.skip(tests, &format!("no data at {}", data.display()));
    }
    steps.run("tests", || shell::run(&mut nextest(&cargo)))?;
    steps.run("kernels", || other_kernels(&cargo))?;
    steps.run("loom", || loom_models(places, &cargo))?;
    steps.run("doctests", || cargo.run(&["test", "--workspace", "--doc"]))?;
    foreign::step(places, &cargo, steps)?;
    steps.run("demo", || demo::tried::run(places, &cargo))?;
    conformance::steps(places, &cargo, steps)?;
    for (name, program, arguments) in HARNESSES {
        steps.run(name, || cargo.run_debug(program, arguments))?;
    }
    Ok(())
}

/// A machine without network has no model; the tests of it then do nothing, and the summary says so.
fn fetch_models(places: &Places, steps: &mut Steps) {
    let mut lacks = |what: &'static str, why: String| {
        shell::say(&why);
        let first = why.lines().next().unwrap_or_default();
        steps.skip(what, first);
    };
    if let Err(why) = models::ensure(places) {
        lacks("model tests", why);
    } else if let Err(why) = models::ensure_wheel(places) {
        lacks("wheel test", why);
    }
}

/// Tests that read what is no part of the repository, and do nothing where it is not there: which, and where they look.
fn lacking(shared: &Path) -> impl Iterator<Item = (&'static str, PathBuf)> {
    let needed = [
        ("tests of sets", shared.join("eval")),
        (
            "tests of the suite's queries and of TRAVERSE beside Python",
            shared.join("tck"),
        ),
    ];
    needed.into_iter().filter(|(_, data)| !data.is_dir())
}

/// The vector index once more with what slower machines have, which must not change an answer.
fn other_kernels(cargo: &Cargo<'_>) -> Result<(), String> {
    for kernels in ["scalar", "avx2"] {
        // By a filter: cargo's own choice of a package would build that anew, with fewer features.
        let mut tests = nextest(cargo);
        tests.args(["-E", "package(stratigraph-vector)"]);
        shell::run(tests.env("STRATIGRAPH_KERNELS", kernels))?;
    }
    Ok(())
}

/// All orders in which threads can meet in the vector index; a build of its own, beside the others.
fn loom_models(places: &Places, cargo: &Cargo<'_>) -> Result<(), String> {
    let models = [
        "test",
        "--package",
        "stratigraph-vector",
        "--lib",
        "--release",
        "models",
    ];
    let mut models = cargo.command(&models);
    models.env("RUSTFLAGS", "--cfg loom");
    models.env("CARGO_TARGET_DIR", places.target.join("loom"));
    shell::run(&mut models)
}

fn nextest(cargo: &Cargo<'_>) -> std::process::Command {
    cargo.command(&["nextest", "run", "--workspace"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_without_their_data_are_named() {
        let named: Vec<&str> = lacking(Path::new("nowhere"))
            .map(|(tests, _)| tests)
            .collect();
        for tests in ["sets", "suite", "TRAVERSE"] {
            assert!(named.iter().any(|name| name.contains(tests)), "{named:?}");
        }
    }
}
