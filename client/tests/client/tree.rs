//! What the client brings along: neither the engine nor what is under it.

use std::collections::BTreeSet;
use std::process::Command;

/// The crates that whoever uses the client gets, with all its features, on any machine: a new one has those of other
/// systems not yet, and cargo fetches them.
fn tree() -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let told = Command::new(cargo)
        .args(["tree", "--locked", "--package", "stratigraph-client"])
        .args([
            "--edges",
            "normal,build",
            "--all-features",
            "--target",
            "all",
        ])
        .args(["--prefix", "none", "--format", "{lib}|{p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let problem = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{problem}");
    let lines = String::from_utf8(told.stdout).unwrap();
    let names = lines
        .lines()
        .filter_map(|line| line.split_once('|')?.1.split(' ').next());
    names.map(ToOwned::to_owned).collect()
}

#[test]
fn no_engine_and_no_rocksdb_in_the_tree() {
    let tree = tree();
    for wanted in ["stratigraph-client", "stratigraph-proto", "tonic", "rustls"] {
        assert!(tree.contains(wanted), "{wanted} is not in {tree:?}");
    }
    for unwanted in [
        "rocksdb",
        "librocksdb-sys",
        "stratigraph",
        "stratigraph-server",
        "stratigraph-query-lang",
        "stratigraph-vector",
        "stratigraph-models",
        "axum",
    ] {
        assert!(
            !tree.contains(unwanted),
            "{unwanted} is in the tree of the client"
        );
    }
}
