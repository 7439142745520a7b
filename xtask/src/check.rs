//! The verb `check`: everything that can be known without running a test.
//!
//! It compiles no C++ and links nothing, so that it stays quick on a machine without librocksdb.

use crate::arrows;
use crate::cargo::Cargo;
use crate::deny;
use crate::layers;
use crate::machine_paths;
use crate::map;
use crate::places::Places;
use crate::shell;
use crate::steps::{self, Steps};
use crate::tools;
use crate::verbs::{self, Failure};

/// Features may add but never change meaning, so none, the default and all must be clean.
const FEATURE_SETS: &[(&str, &[&str])] = &[
    ("clippy", &["--workspace", "--all-targets"]),
    (
        "clippy none",
        &[
            "--package",
            "stratigraph",
            "--package",
            "stratigraph-models",
            "--no-default-features",
            "--all-targets",
        ],
    ),
    (
        "clippy all",
        &["--workspace", "--all-features", "--all-targets"],
    ),
];

/// `cargo xtask check`
pub(crate) fn run(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    verbs::no_arguments(arguments)?;
    let result = steps::summarised("check", |steps| {
        let cargo = Cargo::without_linking(places)?;
        sources(places, &cargo, steps)?;
        steps.run("cargo-deny", || tools::DENY.ensure(places))?;
        deny::check(&cargo, steps)
    });
    Ok(result?)
}

/// What `test` runs too: quickest first.
pub(crate) fn sources(places: &Places, cargo: &Cargo<'_>, steps: &mut Steps) -> Result<(), String> {
    steps.run("map", || {
        report("ARCHITECTURE.md", &map::check(&places.checkout)?)
    })?;
    steps.run("crates", || {
        report(
            "the arrows between crates",
            &arrows::check(&places.checkout)?,
        )
    })?;
    steps.run("layers", || {
        report("the engine's layers", &layers::check(&places.checkout)?)
    })?;
    steps.run("paths", || {
        report("machine paths", &machine_paths::check(&places.checkout)?)
    })?;
    steps.run("fmt", || cargo.run(&["fmt", "--all", "--check"]))?;
    for (name, features) in FEATURE_SETS {
        let mut arguments = vec!["clippy"];
        arguments.extend(*features);
        arguments.extend(["--", "-D", "warnings"]);
        steps.run(name, || cargo.run(&arguments))?;
    }
    steps.run("docs", || {
        let doc = [
            "doc",
            "--workspace",
            "--no-deps",
            "--document-private-items",
        ];
        shell::run(cargo.command(&doc).env("RUSTDOCFLAGS", "-Dwarnings"))
    })
}

fn report(what: &str, faults: &[String]) -> Result<(), String> {
    if faults.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{what}: {} faults\n    {}",
        faults.len(),
        faults.join("\n    ")
    ))
}
