//! How the time of each of our own main operations grows with the graph, and the slope of the line through the times where
//! both axes are logarithms: 0 does not grow, 1 grows with the graph.

use super::data::{Data, WALKS};
use super::driver::{Driver, OURS};
use super::search::{FILTERS, filter_of};
use crate::measure::Setup;
use crate::measure::slope::slope;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(3_600);
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

pub(super) fn measure(setup: &Setup, sizes: &[usize]) -> Result<Vec<Grown>> {
    let mut points: BTreeMap<(String, &'static str), Vec<(usize, f64)>> = BTreeMap::new();
    for nodes in sizes.iter().copied() {
        setup.progress(&format!("growth: {nodes} nodes"));
        let folder = setup.subfolder(&format!("growth-{nodes}"))?;
        let data = Data::make(&folder, nodes, setup.seed)?;
        for (name, unit, value) in at_size(&data, &folder)? {
            setup.progress(&format!("{name}: {value:.1} {unit}"));
            points.entry((name, unit)).or_default().push((nodes, value));
        }
        fs::remove_dir_all(&folder)?;
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
