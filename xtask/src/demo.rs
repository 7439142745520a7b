//! The verb `demo`: what stands now, shown on a real little database.
//!
//! It grows with the product and shows only what works. It writes to a temporary folder of its own
//! and to nothing else.

use crate::cargo::Cargo;
use crate::places::Places;
use crate::shell;
use crate::verbs::{self, Failure};
use std::env;
use std::fs;
use std::path::Path;
use std::process::{self, Command};

/// `cargo xtask demo`
pub(crate) fn run(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    verbs::no_arguments(arguments)?;
    shell::say(
        "demo: build, then a tour of the storage floor (3 minutes; the first time about 20)",
    );
    let cargo = Cargo::linking(places)?;
    cargo.run(&[
        "build",
        "--release",
        "--package",
        "stratigraph",
        "--package",
        "stratigraph-cli",
        "--bins",
        "--example",
        "storage_tour",
    ])?;
    let folder = env::temp_dir().join(format!("stratigraph-demo-{}", process::id()));
    fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    tour(&cargo, &folder)
        .map_err(|error| format!("{error}\nthe folder is left at {}", folder.display()))?;
    fs::remove_dir_all(&folder)
        .map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
    shell::say("that is what stands now; the graph, vectors and the query language come next");
    Ok(())
}

fn tour(cargo: &Cargo<'_>, folder: &Path) -> Result<(), String> {
    let database = folder.join("database");
    let backup = folder.join("backup");
    let restored = folder.join("restored");
    let binary = cargo.release("stratigraph");

    shell::say(
        "1. the library: transactions, snapshots, scans, a reopen, written by a small example",
    );
    shell::run(Command::new(cargo.release("examples/storage_tour")).arg(&database))?;

    let steps: [(&str, &str, &[&Path]); 6] = [
        (
            "2. what this database is: its id, format, commit sequence and families",
            "info",
            &[&database],
        ),
        (
            "3. structure and invariants hold: the mark, the sequence, every family",
            "check",
            &[&database],
        ),
        (
            "4. every block on disk still has the checksum it was written with",
            "scrub",
            &[&database],
        ),
        (
            "5. a backup to one commit sequence, every byte of it hashed",
            "backup",
            &[&database, &backup],
        ),
        (
            "6. the backup becomes a database again",
            "restore",
            &[&backup, &restored],
        ),
        (
            "7. and the restored one holds its invariants too",
            "check",
            &[&restored],
        ),
    ];
    for (what, verb, paths) in steps {
        shell::say(what);
        shell::run(Command::new(&binary).arg(verb).args(paths))?;
    }
    Ok(())
}
