//! How the time of each of our own main operations grows with the graph, and the slope of the line through the times where
//! both axes are logarithms: 0 does not grow, 1 grows with the graph.

use super::data::{Data, WALKS};
use super::driver::{Driver, OURS};
use super::search::{FILTERS, filter_of};
use crate::measure::Setup;
use crate::measure::slope::slope;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// How long anything may take, also with ten million nodes.
const PATIENCE: Duration = Duration::from_secs(6 * 3_600);
/// Numbers of nodes, of which those are taken that are below the one that was asked for.
const SIZES: [usize; 7] = [
    10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000,
];
/// The list of all searches.
const LIST: usize = 64;
/// So often each operation is timed.
const TIMES: usize = 5;

/// What one operation takes at each number of nodes.
pub(super) struct Grown {
    pub(super) name: String,
    pub(super) unit: &'static str,
    pub(super) points: Vec<(usize, f64)>,
    pub(super) slope: f64,
}

/// From ten thousand nodes up to `most`, which is always the last.
///
/// # Errors
/// Too few for a slope.
pub(super) fn sizes(most: usize) -> Result<Vec<usize>> {
    let least = SIZES[0];
    ensure!(
        most > least,
        "--growth begins at {least} nodes and needs more than that for a slope"
    );
    let mut sizes: Vec<usize> = SIZES.into_iter().filter(|size| *size < most).collect();
    sizes.push(most);
    Ok(sizes)
}

pub(super) fn measure(setup: &Setup, sizes: &[usize], keep: bool) -> Result<Vec<Grown>> {
    let mut points: BTreeMap<(String, &'static str), Vec<(usize, f64)>> = BTreeMap::new();
    for nodes in sizes.iter().copied() {
        setup.progress(&format!("growth: {nodes} nodes"));
        let folder = setup.subfolder(&format!("growth-{nodes}"))?;
        let data = Data::make(&folder, nodes, setup.seed)?;
        for (name, unit, value) in at_size(&data, &folder)? {
            setup.progress(&format!("{name}: {value:.1} {unit}"));
            points.entry((name, unit)).or_default().push((nodes, value));
        }
        setup.done_with(&folder, keep)?;
    }
    let grown = points.into_iter().map(|((name, unit), points)| Grown {
        name,
        unit,
        slope: slope(&points),
        points,
    });
    Ok(grown.collect())
}

/// An operation, the unit of its time, and the time.
type Timed = (String, &'static str, f64);

fn at_size(data: &Data, folder: &Path) -> Result<Vec<Timed>> {
    let ours = folder.join("ours");
    let mut all: Vec<Timed> = Vec::new();
    let mut put = |name: &str, unit, value| all.push((name.to_owned(), unit, value));
    let mut driver = Driver::start(OURS, Path::new(""), folder, &ours, PATIENCE)?;
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
        // The first time does not count. Processor time is of the whole process, which saves and merges for a while after
        // a load: that only adds, so the least counts.
        driver.must(request)?;
        let mut least = f64::INFINITY;
        for _ in 0..TIMES {
            least = least.min(part(&driver.must(request)?, "cpu")?);
        }
        put(name, "us", least * 1e6 / count as f64);
        Ok(())
    };
    let search = |below: Option<u32>| json!({ "do": "search", "ef": LIST, "below": below });
    timed("search", &search(None), data.query_count())?;
    for (below, share) in FILTERS {
        timed(&filter_of(share), &search(Some(below)), data.query_count())?;
    }
    timed("vector, then two hops", &json!({ "do": "hops" }), WALKS)?;
    timed("descent of five levels", &json!({ "do": "descend" }), WALKS)?;
    driver.close()?;
    let mut driver = Driver::start(OURS, Path::new(""), folder, &ours, PATIENCE)?;
    let opened = driver.must(&json!({ "do": "open" }))?;
    put("open, and a query", "ms", part(&opened, "seconds")? * 1e3);
    let changed = driver.must(&json!({ "do": "churn" }))?;
    let changes = (data.deleted.len() + data.updated.len()) as f64;
    put("a change", "us", part(&changed, "seconds")? * 1e6 / changes);
    Ok(all)
}

fn part(said: &Value, name: &str) -> Result<f64> {
    said[name].as_f64().with_context(|| format!("no {name}"))
}

#[cfg(test)]
mod tests {
    use super::sizes;

    #[test]
    fn the_largest_size_is_the_one_that_was_asked_for() {
        assert_eq!(sizes(30_000).unwrap(), [10_000, 30_000]);
        assert_eq!(sizes(50_000).unwrap(), [10_000, 30_000, 50_000]);
        assert_eq!(sizes(1_000_000).unwrap().len(), 5);
        assert_eq!(sizes(10_000_000).unwrap().last(), Some(&10_000_000));
        assert!(sizes(10_000).is_err());
    }
}
