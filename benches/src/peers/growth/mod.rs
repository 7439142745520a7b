//! How the time of each of our own main operations grows with the graph, and the slope of the line through the times where
//! both axes are logarithms: 0 does not grow, 1 grows with the graph.
//!
//! Here are nodes with vectors and relationships, as they are beside the peers; texts and their words are in `words.rs`,
//! documents and what is retrieved from them in `documents.rs`.

mod documents;
mod words;

use super::data::{Data, WALKS};
use super::driver::{Driver, OURS};
use super::search::{FILTERS, filter_of};
use crate::measure::slope::slope;
use crate::measure::{Setup, cpu_time};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

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
/// A backup of what has not changed may copy so many bytes, or a tenth of the first: logs and lists of files.
const MOST_COPIED: f64 = 8e6;
/// Documents are left out at numbers of nodes where they would take longer than this.
const LONGEST: Duration = Duration::from_secs(600);

/// What one operation takes at each number of nodes.
pub(super) struct Grown {
    pub(super) name: String,
    pub(super) unit: &'static str,
    /// Without those at which it was left out.
    pub(super) points: Vec<(usize, f64)>,
    /// None if it was measured at one number of nodes only.
    pub(super) slope: Option<f64>,
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
    let mut before = None;
    for nodes in sizes.iter().copied() {
        setup.progress(&format!("growth: {nodes} nodes"));
        let folder = setup.subfolder(&format!("growth-{nodes}"))?;
        let mut timed = at_size(&Data::make(&folder, nodes, setup.seed)?, &folder)?;
        setup.progress(&format!("growth: {nodes} texts"));
        timed.extend(words::at_size(&folder, nodes, setup.seed)?);
        let foretold = foretold(before, nodes);
        if foretold <= LONGEST {
            setup.progress(&format!("growth: {nodes} nodes of documents"));
            let begun = Instant::now();
            timed.extend(documents::at_size(&folder, nodes, setup.seed)?);
            before = Some((nodes, begun.elapsed()));
        } else {
            let seconds = foretold.as_secs();
            setup.progress(&format!(
                "documents are left out: they would take {seconds} s or more"
            ));
        }
        for (name, unit, value) in timed {
            setup.progress(&format!("{name}: {value:.1} {unit}"));
            points.entry((name, unit)).or_default().push((nodes, value));
        }
        setup.done_with(&folder, keep)?;
    }
    let grown = points.into_iter().map(|((name, unit), points)| Grown {
        name,
        unit,
        slope: (points.len() > 1).then(|| slope(&points)),
        points,
    });
    Ok(grown.collect())
}

/// How long something takes that grows with the graph, by how long it took at another number of nodes; nothing is known
/// of what was not measured yet.
fn foretold(before: Option<(usize, Duration)>, nodes: usize) -> Duration {
    before.map_or(Duration::ZERO, |(less, took)| {
        took.mul_f64(nodes as f64 / less as f64)
    })
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
        put(
            name,
            "us",
            least(count, || part(&driver.must(request)?, "cpu"))?,
        );
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

/// The least of several times, in microseconds for each of `count`. The first time does not count. Processor time is of the
/// whole process, which saves and merges for a while after a load: that only adds, so the least counts.
fn least(count: usize, mut timed: impl FnMut() -> Result<f64>) -> Result<f64> {
    timed()?;
    let mut least = f64::INFINITY;
    for _ in 0..TIMES {
        least = least.min(timed()?);
    }
    Ok(least * 1e6 / count as f64)
}

/// The seconds of all processors that something takes in this process.
fn on_processors(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let before = cpu_time::of_process();
    work()?;
    Ok(cpu_time::of_process() - before)
}

fn part(said: &Value, name: &str) -> Result<f64> {
    said[name].as_f64().with_context(|| format!("no {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_size_is_the_one_that_was_asked_for() {
        assert_eq!(sizes(30_000).unwrap(), [10_000, 30_000]);
        assert_eq!(sizes(50_000).unwrap(), [10_000, 30_000, 50_000]);
        assert_eq!(sizes(1_000_000).unwrap().len(), 5);
        assert_eq!(sizes(10_000_000).unwrap().last(), Some(&10_000_000));
        assert!(sizes(10_000).is_err());
    }

    #[test]
    fn what_would_take_too_long_is_known_before() {
        assert_eq!(foretold(None, 10_000_000), Duration::ZERO);
        let before = Some((100_000, Duration::from_secs(60)));
        assert_eq!(foretold(before, 300_000), Duration::from_secs(180));
        assert!(foretold(before, 3_000_000) > LONGEST);
    }

    #[test]
    fn the_first_time_does_not_count_and_the_least_does() {
        let mut times = [0.0, 9.0, 3.0, 4.0, 8.0, 5.0].into_iter();
        let least = least(2, || times.next().context("asked too often")).unwrap();
        assert_eq!(least, 1.5e6);
        assert_eq!(times.next(), None);
    }

    #[test]
    fn a_backup_of_merged_files_is_none_of_nothing() {
        let mut made = [[3.0, 90.0], [2.0, 11.0], [1.0, 10.0]].into_iter();
        let seconds = of_nothing(10.0, || made.next().context("made too often"));
        assert_eq!(seconds.unwrap(), 1.0);
        let error = of_nothing(10.0, || Ok([3.0, 11.0])).unwrap_err();
        assert!(error.to_string().contains("11.0"), "{error}");
    }
}
