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
    shell::say("demo: build, then a tour of the graph and its database (3 minutes; first time 20)");
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
        "people",
        "--example",
        "outline",
        "--example",
        "communities",
    ])?;
    let folder = env::temp_dir().join(format!("stratigraph-demo-{}", process::id()));
    fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    tour(&cargo, &folder)
        .map_err(|error| format!("{error}\nthe folder is left at {}", folder.display()))?;
    fs::remove_dir_all(&folder)
        .map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
    shell::say("that is what stands now; vector search and the query language come next");
    Ok(())
}

fn tour(cargo: &Cargo<'_>, folder: &Path) -> Result<(), String> {
    let database = folder.join("database");
    let backup = folder.join("backup");
    let restored = folder.join("restored");
    let binary = cargo.release("stratigraph");

    shell::say("1. the library: nodes, relationships, a constraint, an index, and a refusal");
    shell::run(&mut Command::new(cargo.release("examples/people")))?;
    shell::say("2. who matters, who belongs together, and a walk from level to level");
    shell::run(&mut Command::new(cargo.release("examples/communities")))?;
    shell::say("3. a document as a hierarchy: levels, a part that moves, a cycle that is refused");
    shell::run(Command::new(cargo.release("examples/outline")).arg(&database))?;

    let steps: [(&str, &str, &[&Path]); 7] = [
        (
            "4. what this database is: its id, format, commit sequence and families",
            "info",
            &[&database],
        ),
        (
            "5. structure and invariants hold: both ends of every relationship, degrees, sets, levels, the mark",
            "check",
            &[&database],
        ),
        (
            "6. every block on disk still has the checksum it was written with",
            "scrub",
            &[&database],
        ),
        (
            "7. a backup to one commit sequence, every byte of it hashed",
            "backup",
            &[&database, &backup],
        ),
        (
            "8. the backup becomes a database again",
            "restore",
            &[&backup, &restored],
        ),
        (
            "9. and the restored one holds its invariants too",
            "check",
            &[&restored],
        ),
        (
            "10. all of it as text, to read, keep, or load elsewhere",
            "dump",
            &[&restored],
        ),
    ];
    for (what, verb, paths) in steps {
        shell::say(what);
        shell::run(Command::new(&binary).arg(verb).args(paths))?;
    }
    Ok(())
}
