//! Nodes with vectors and relationships, and a tree over them, as they are beside the peers, in a process of its own.

use super::super::data::{Data, WALKS};
use super::super::driver::{Driver, OURS};
use super::super::search::{FILTERS, filter_of};
use super::{TIMES, Timed, least};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How long anything may take, also with ten million nodes.
const PATIENCE: Duration = Duration::from_secs(6 * 3_600);
/// The list of all searches.
const LIST: usize = 64;
/// A backup of what has not changed may copy so many bytes, or a tenth of the first: logs and lists of files.
const MOST_COPIED: f64 = 8e6;

/// So many nodes with vectors and relationships, and the tree over them.
pub(super) fn at_size(folder: &Path, nodes: usize, seed: u64) -> Result<Vec<Timed>> {
    let data = folder.join("data");
    fs::create_dir(&data)?;
    let (queries, changes) = {
        // Not kept: with ten million nodes there is no room for it here and in the process that is measured.
        let made = Data::make(&data, nodes, seed)?;
        (made.query_count(), made.deleted.len() + made.updated.len())
    };
    let ours = folder.join("ours");
    let mut all: Vec<Timed> = Vec::new();
    let mut put = |name: &str, unit, value| all.push((name.to_owned(), unit, value));
    let mut driver = Driver::start(OURS, Path::new(""), &data, &ours, PATIENCE)?;
    let loaded = driver.must(&json!({ "do": "load" }))?;
    let graph = part(&loaded, "edges_s")? + part(&loaded, "nodes_s")?;
    put(
        "load: nodes and relationships",
        "s of the wall clock",
        graph,
    );
    let indexes = part(&loaded, "index_s")?;
    put("load: indexes", "s of the wall clock", indexes);
    let mut timed = |name: &str, request: &Value, count: usize| -> Result<()> {
        put(
            name,
            "us",
            least(count, || part(&driver.must(request)?, "cpu"))?,
        );
        Ok(())
    };
    let search = |below: Option<u32>| json!({ "do": "search", "ef": LIST, "below": below });
    timed("search", &search(None), queries)?;
    for (below, share) in FILTERS {
        timed(&filter_of(share), &search(Some(below)), queries)?;
    }
    timed("vector, then two hops", &json!({ "do": "hops" }), WALKS)?;
    timed("descent of five levels", &json!({ "do": "descend" }), WALKS)?;
    driver.close()?;
    let mut driver = Driver::start(OURS, Path::new(""), &data, &ours, PATIENCE)?;
    let opened = driver.must(&json!({ "do": "open" }))?;
    put("open, and a query", "ms", part(&opened, "seconds")? * 1e3);
    let changed = driver.must(&json!({ "do": "churn" }))?;
    let seconds = part(&changed, "seconds")?;
    put("a change", "us", seconds * 1e6 / changes as f64);
    let made = driver.must(&json!({ "do": "back up" }))?;
    put(
        "backup: the first",
        "s of the wall clock",
        part(&made, "seconds")?,
    );
    let most = MOST_COPIED.max(part(&made, "bytes")? / 10.0);
    let seconds = of_nothing(most, || {
        let made = driver.must(&json!({ "do": "back up" }))?;
        Ok([part(&made, "seconds")?, part(&made, "bytes")?])
    })?;
    put(
        "backup: nothing has changed",
        "s of the wall clock",
        seconds,
    );
    Ok(all)
}

/// The seconds of the first backup that copies no more than so many bytes. Files that are merged between two backups are
/// copied by the next one: nothing has changed then, but the files are others.
fn of_nothing(most: f64, mut back_up: impl FnMut() -> Result<[f64; 2]>) -> Result<f64> {
    let mut copied = Vec::new();
    for _ in 0..TIMES {
        let [seconds, bytes] = back_up()?;
        if bytes <= most {
            return Ok(seconds);
        }
        copied.push(bytes);
    }
    bail!("files are written between all backups: {copied:?} bytes were copied")
}

fn part(said: &Value, name: &str) -> Result<f64> {
    said[name].as_f64().with_context(|| format!("no {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_of_merged_files_is_none_of_nothing() {
        let mut made = [[3.0, 90.0], [2.0, 11.0], [1.0, 10.0]].into_iter();
        let seconds = of_nothing(10.0, || made.next().context("made too often"));
        assert_eq!(seconds.unwrap(), 1.0);
        let error = of_nothing(10.0, || Ok([3.0, 11.0])).unwrap_err();
        assert!(error.to_string().contains("11.0"), "{error}");
    }
}
