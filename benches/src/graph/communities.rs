//! `leiden_vs_leidenalg`: our Leiden beside Python's leidenalg on the same graph of 10,000 nodes and
//! about 70,000 relationships, until neither finds anything better, over several seeds.
//!
//! leidenalg runs in a process of its own, which times itself; only the search counts. It is the peer
//! only where it is installed: `pip install leidenalg`, and `STRATIGRAPH_PYTHON` names the interpreter
//! if it is not `python3`.

use crate::measure::Setup;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::process::Command;
use std::time::Instant;
use stratigraph::algo::leiden::{LeidenOptions, Undirected, leiden};
use stratigraph::algo::{Projection, ProjectionBuilder, ProjectionOptions};
use stratigraph::storage::cancel::Watch;
use stratigraph::{NodeId, RelationshipId};

const NODES: u64 = 10_000;
const COMMUNITIES: u64 = 100;
const RELATIONSHIPS: u64 = 69_198;
/// How many in a hundred stay within their community: modularity is then about 0.7.
const WITHIN_PERCENT: u32 = 72;

/// Reads an edge list; prints the seconds and the modularity of a partition per seed.
const PEER: &str = "
import sys, time, igraph, leidenalg
edges = [tuple(map(int, line.split())) for line in open(sys.argv[1])]
graph = igraph.Graph(n=int(sys.argv[2]), edges=edges)
for seed in range(int(sys.argv[3])):
    begun = time.perf_counter()
    found = leidenalg.find_partition(graph, leidenalg.ModularityVertexPartition, n_iterations=-1, seed=seed)
    print(time.perf_counter() - begun, found.modularity)
";

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    let seeds = setup.choose(2, 5);
    println!("leiden     {NODES} nodes, {RELATIONSHIPS} relationships, {seeds} seeds");
    let edges = planted(setup.seed);
    let graph = project(&edges)?;
    let view = Undirected::of(&graph)?;
    let mut ours = Vec::new();
    for seed in 0..seeds {
        setup.progress(&format!("leiden: ours, seed {seed}"));
        let options = LeidenOptions {
            seed,
            ..LeidenOptions::default()
        };
        let begun = Instant::now();
        let found = leiden(&view, &options, &mut Watch::quiet())?;
        ours.push((begun.elapsed().as_secs_f64(), found.best().quality));
    }
    setup.progress("leiden: leidenalg");
    let theirs = match peer(setup, &edges, seeds) {
        Ok(theirs) => theirs,
        Err(error) => {
            println!(
                "leiden     no comparison: {error:#}; `pip install leidenalg` and name its interpreter with STRATIGRAPH_PYTHON"
            );
            let (time, quality) = ours[0];
            report.count("leiden_time", time * 1e3, None, "ms", None);
            report.count("leiden_modularity", quality, None, "", None);
            return Ok(());
        }
    };
    let mut rounds = Rounds::default();
    for ((ours, _), (theirs, _)) in ours.iter().zip(&theirs) {
        rounds.push(ours * 1e3, theirs * 1e3);
    }
    report.compare(
        "leiden_vs_leidenalg",
        &rounds,
        "ms",
        Some(Mark::AtMost(0.2)),
    );
    let mean =
        |all: &[(f64, f64)]| all.iter().map(|(_, quality)| quality).sum::<f64>() / all.len() as f64;
    let (our_quality, their_quality) = (mean(&ours), mean(&theirs));
    // Equal to a thousandth: the two draw other random numbers.
    let least = Some(Mark::AtLeast(their_quality - 0.001));
    report.count(
        "leiden_modularity",
        our_quality,
        Some(their_quality),
        "",
        least,
    );
    Ok(())
}

fn peer(setup: &Setup, edges: &[(u64, u64)], seeds: u64) -> Result<Vec<(f64, f64)>> {
    let python = std::env::var("STRATIGRAPH_PYTHON").unwrap_or_else(|_| "python3".into());
    let path = setup.dir.join("edges.txt");
    let mut text = String::new();
    for (source, target) in edges {
        writeln!(text, "{source} {target}")?;
    }
    std::fs::write(&path, text)?;
    let output = Command::new(&python)
        .args(["-c", PEER])
        .arg(&path)
        .args([NODES.to_string(), seeds.to_string()])
        .output()
        .with_context(|| format!("cannot run {python}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!(
            "{}",
            said.lines().last().unwrap_or("it failed and said nothing")
        );
    }
    let mut found = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let (time, quality) = line.split_once(' ').context("an unexpected line")?;
        found.push((time.parse()?, quality.parse()?));
    }
    Ok(found)
}

/// Most relationships within one of a hundred communities, the others anywhere.
fn planted(seed: u64) -> Vec<(u64, u64)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let size = NODES / COMMUNITIES;
    let mut edges = Vec::new();
    while (edges.len() as u64) < RELATIONSHIPS {
        let source = random.u64(..NODES);
        let target = if random.u32(..100) < WITHIN_PERCENT {
            source / size * size + random.u64(..size)
        } else {
            random.u64(..NODES)
        };
        if source != target {
            edges.push((source, target));
        }
    }
    edges
}

fn project(edges: &[(u64, u64)]) -> Result<Projection> {
    let options = ProjectionOptions {
        undirected: true,
        ..ProjectionOptions::default()
    };
    let builder = ProjectionBuilder::new((0..NODES).map(NodeId::new), options)?;
    let mut part = builder.part();
    for (number, (source, target)) in edges.iter().enumerate() {
        let id = RelationshipId::new(number as u64);
        part.push(NodeId::new(*source), NodeId::new(*target), id, None)?;
    }
    drop(part);
    Ok(builder.build(2, &mut Watch::quiet())?)
}
