//! Evaluation data, which lies outside the repository.

use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The folder of the sets, wherever it is.
pub(crate) fn folder() -> PathBuf {
    let named = std::env::var_os("STRATIGRAPH_SHARED").map(PathBuf::from);
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    named.unwrap_or_else(beside).join("eval")
}

/// The rows of a file below `eval/`, such as `empulia/triples.jsonl.gz`. None where it is not there, and then the
/// output says so.
pub(crate) fn rows(file: &str) -> Option<Vec<Value>> {
    let path = folder().join(file);
    if !path.is_file() {
        eprintln!(
            "SKIPPED: there is no {}; STRATIGRAPH_SHARED names the folder above eval/",
            path.display()
        );
        return None;
    }
    let lines = BufReader::new(GzDecoder::new(File::open(&path).unwrap())).lines();
    let rows = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap());
    Some(rows.collect())
}
