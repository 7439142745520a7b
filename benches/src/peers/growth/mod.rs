//! How the time of each of our own main operations grows with the graph, and the slope of the line through the times where
//! both axes are logarithms: 0 does not grow, 1 grows with the graph.
//!
//! Nodes with vectors and relationships, as they are beside the peers, are in `vectors.rs`; those without vectors, which may
//! be more than fit into memory, in `graph.rs`; texts and their words in `words.rs`, documents and what is retrieved from
//! them in `documents.rs`.

mod documents;
mod graph;
mod vectors;
mod words;

use crate::measure::slope::slope;
use crate::measure::{Setup, cpu_time};
use anyhow::{Result, ensure};
use clap::ValueEnum;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Numbers of nodes, of which those are taken that are below the one that was asked for.
const SIZES: [usize; 7] = [
    10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000,
];
/// So often each operation is timed.
const TIMES: usize = 5;
/// Documents are left out at numbers of nodes where they would take longer than this.
const LONGEST: Duration = Duration::from_secs(600);

/// What can be measured alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Part {
    /// Nodes with vectors and relationships: the index takes most of the time, and memory.
    Vectors,
    /// Nodes and relationships without vectors.
    Graph,
    /// Texts and a full-text index.
    Words,
    /// Documents, and questions to them.
    Documents,
}

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

/// The parts that were asked for, or all of them, at each size.
pub(super) fn measure(
    setup: &Setup,
    sizes: &[usize],
    parts: &[Part],
    keep: bool,
) -> Result<Vec<Grown>> {
    let is_wanted = |part: Part| parts.is_empty() || parts.contains(&part);
    let mut points: BTreeMap<(String, &'static str), Vec<(usize, f64)>> = BTreeMap::new();
    let mut before = None;
    for nodes in sizes.iter().copied() {
        let folder = setup.subfolder(&format!("growth-{nodes}"))?;
        let mut timed: Vec<Timed> = Vec::new();
        if is_wanted(Part::Vectors) {
            setup.progress(&format!("growth: {nodes} nodes with vectors"));
            timed.extend(vectors::at_size(&folder, nodes, setup.seed)?);
        }
        if is_wanted(Part::Graph) {
            setup.progress(&format!("growth: {nodes} nodes"));
            timed.extend(graph::at_size(&folder, nodes, setup.seed)?);
        }
        if is_wanted(Part::Words) {
            setup.progress(&format!("growth: {nodes} texts"));
            timed.extend(words::at_size(&folder, nodes, setup.seed)?);
        }
        let foretold = foretold(before, nodes);
        if is_wanted(Part::Documents) && foretold <= LONGEST {
            setup.progress(&format!("growth: {nodes} nodes of documents"));
            let begun = Instant::now();
            timed.extend(documents::at_size(&folder, nodes, setup.seed)?);
            before = Some((nodes, begun.elapsed()));
        } else if is_wanted(Part::Documents) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;

    #[test]
    fn parts_have_the_names_that_the_readme_says() {
        let names = Part::value_variants().iter().map(|part| {
            let value = part.to_possible_value().expect("it is not hidden");
            value.get_name().to_owned()
        });
        let names: Vec<String> = names.collect();
        assert_eq!(names, ["vectors", "graph", "words", "documents"]);
    }

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
}
