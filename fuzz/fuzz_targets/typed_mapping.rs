//! Reads any mapping of tables and any table through it: nothing comes out that the mapping does not declare.
//!
//! Input: `[even: CSV, odd: JSON lines: 1] [mapping, TOML] 0 [table]`. The mapping may call the table `t`.
//! Next: `rag/src/read/typed/mod.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use stratigraph_rag::read::{TableMapping, Typed};

/// A folder in memory, if there is one, of this process's own.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        let base = if memory.is_dir() {
            memory
        } else {
            std::env::temp_dir()
        };
        let folder = base.join(format!("stratigraph-fuzz-mapping-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("room for two files");
        folder
    })
}

fuzz_target!(|data: &[u8]| {
    let Some((&which, rest)) = data.split_first() else {
        return;
    };
    let zero = rest
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(rest.len());
    let (mapping, table) = (&rest[..zero], rest.get(zero + 1..).unwrap_or_default());
    let name = if which % 2 == 0 { "t.csv" } else { "t.jsonl" };
    let mapping = String::from_utf8_lossy(mapping).replace("\"t\"", &format!("{name:?}"));
    let folder = folder();
    fs::write(folder.join(name), table).expect("room for two files");
    let path = folder.join("mapping.toml");
    fs::write(&path, mapping).expect("room for two files");
    let mapping = match TableMapping::read(&path) {
        Ok(mapping) => mapping,
        Err(error) => {
            assert!(!error.hint.is_empty());
            return;
        }
    };
    for (_, path) in mapping.files() {
        let path = path.expect("it lies in a folder");
        assert!(path.starts_with(folder), "{}", path.display());
    }
    let schema = mapping.schema();
    for stated in mapping.rows().take(100_000) {
        match stated {
            Ok(Typed::Node(node)) => {
                let label = &schema.labels[&node.key.label];
                assert!(!node.key.key.is_empty());
                for (vector, text) in &node.embed {
                    assert!(label.vectors.contains(vector) && !text.trim().is_empty());
                    assert!(
                        !node.properties.contains_key(&**vector),
                        "{vector} is a property and a vector"
                    );
                }
            }
            Ok(Typed::Edge(edge)) => {
                let ends = (edge.kind, edge.from.label, edge.to.label);
                assert!(schema.types.contains(&ends), "{ends:?}");
            }
            Err(error) => assert!(!error.hint.is_empty()),
        }
    }
});
