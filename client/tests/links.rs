//! What the client brings into a program: never RocksDB, whoever it depends on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The packages of a lock file, each with the names of those that it depends on.
fn packages(lock: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut packages: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut name = "";
    for line in lock.lines().map(str::trim) {
        if let Some(found) = line.strip_prefix("name = ") {
            name = found.trim_matches('"');
            packages.entry(name).or_default();
        } else if let Some(dependency) = line.strip_prefix('"') {
            // `"name"`, or `"name version"` where there are several.
            let dependency = dependency.trim_end_matches(['"', ',']);
            let dependency = dependency.split(' ').next().unwrap_or_default();
            packages.entry(name).or_default().insert(dependency);
        }
    }
    packages
}

/// All that a package depends on, directly or not.
fn below<'l>(packages: &BTreeMap<&'l str, BTreeSet<&'l str>>, of: &'l str) -> BTreeSet<&'l str> {
    let (mut all, mut open) = (BTreeSet::new(), vec![of]);
    while let Some(name) = open.pop() {
        for dependency in packages.get(name).into_iter().flatten() {
            if all.insert(*dependency) {
                open.push(dependency);
            }
        }
    }
    all
}

#[test]
fn a_program_with_the_client_links_no_rocksdb() {
    const ROCKSDB: &str = "librocksdb-sys";
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    let lock = std::fs::read_to_string(lock).unwrap();
    let packages = packages(&lock);
    // The server does, or nothing is shown here.
    assert!(below(&packages, "stratigraph-server").contains(ROCKSDB));
    let client = below(&packages, "stratigraph-client");
    assert!(client.contains("tonic") && !client.contains(ROCKSDB));
    assert!(!client.contains("stratigraph"));
}
