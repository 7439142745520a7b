//! What the client brings along: neither the engine nor what is under it.

use std::collections::{HashMap, HashSet};
use std::process::Command;

#[test]
fn no_engine_and_no_rocksdb_in_the_tree() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let told = Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--offline",
            "--all-features",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        told.status.success(),
        "{}",
        String::from_utf8_lossy(&told.stderr)
    );
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let names: HashMap<String, String> = told["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| (text(&package["id"]), text(&package["name"])))
        .collect();
    let nodes: HashMap<String, &serde_json::Value> = told["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (text(&node["id"]), node))
        .collect();
    let root = names
        .iter()
        .find(|(_, name)| *name == "stratigraph-client")
        .unwrap()
        .0;
    let mut reached = HashSet::new();
    let mut left = vec![root.clone()];
    while let Some(id) = left.pop() {
        for dependency in nodes[&id]["deps"].as_array().unwrap() {
            // Tests may start a server; who uses the client gets none of it.
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            let is_for_tests_only = kinds.iter().all(|kind| kind["kind"] == "dev");
            let name = text(&dependency["pkg"]);
            if !is_for_tests_only && reached.insert(name.clone()) {
                left.push(name);
            }
        }
    }
    let reached: HashSet<&str> = reached.iter().map(|id| &*names[id]).collect();
    assert!(reached.contains("stratigraph-proto") && reached.contains("tonic"));
    for unwanted in [
        "rocksdb",
        "librocksdb-sys",
        "stratigraph",
        "stratigraph-server",
        "stratigraph-query-lang",
        "stratigraph-vector",
        "axum",
    ] {
        assert!(
            !reached.contains(unwanted),
            "{unwanted} is in the tree of the client"
        );
    }
}
