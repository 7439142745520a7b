//! `ppr_vs_read`: ten rounds of personalised PageRank over a million nodes and five million
//! relationships, from a projection that is kept, beside reading its arrays ten times, on as many
//! threads. The arrays are offsets and targets of both directions: incoming ones are walked, and
//! outgoing ones say how much a node gives. `ppr_vs_incoming` is the same beside the incoming alone.

use crate::measure::Setup;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::{Result, ensure};
use std::time::Instant;
use stratigraph::algo::{
    Adjacency, PageRankOptions, Projection, ProjectionBuilder, ProjectionOptions,
    personalised_pagerank,
};
use stratigraph::storage::cancel::Watch;
use stratigraph::{NodeId, RelationshipId};

const ITERATIONS: u32 = 10;
const THREADS: usize = 2;

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    let (rounds, nodes) = setup.choose((5, 200_000), (11, 1_000_000));
    println!(
        "ppr        {rounds} rounds of {ITERATIONS} iterations over {nodes} nodes, {} relationships, {THREADS} threads",
        nodes * 5
    );
    setup.progress("ppr: project");
    let graph = random_graph(setup.seed, nodes)?;
    let both = [graph.outgoing(), graph.incoming()?];
    let restart: Vec<(NodeId, f64)> = (0..10).map(|n| (NodeId::new(n * 97), 1.0)).collect();
    let options = PageRankOptions {
        iterations: ITERATIONS,
        tolerance: 0.0,
        threads: THREADS,
        ..PageRankOptions::default()
    };
    for (name, arrays, mark) in [
        ("ppr_vs_read", &both[..], Some(Mark::AtMost(4.0))),
        ("ppr_vs_incoming", &both[1..], None),
    ] {
        setup.progress(name);
        let measured = one(&graph, &restart, &options, arrays, rounds)?;
        let times = measured.map(|seconds| seconds * 1e3);
        report.compare(name, &times, "ms", mark);
    }
    Ok(())
}

fn one(
    graph: &Projection,
    restart: &[(NodeId, f64)],
    options: &PageRankOptions,
    arrays: &[&Adjacency],
    rounds: usize,
) -> Result<Rounds> {
    Rounds::run(
        rounds,
        |_| Ok(()),
        |()| {
            let begun = Instant::now();
            let mut watch = Watch::quiet();
            let ranks = personalised_pagerank(graph, restart, options, &mut watch)?;
            let took = begun.elapsed();
            ensure!(ranks.iterations == ITERATIONS, "fewer iterations were made");
            Ok(took)
        },
        |()| {
            let begun = Instant::now();
            for _ in 0..ITERATIONS {
                for arrays in arrays {
                    std::hint::black_box(read_through(arrays));
                }
            }
            Ok(begun.elapsed())
        },
    )
}

/// Reads both arrays once, each thread its half.
fn read_through(arrays: &Adjacency) -> u64 {
    let (offsets, targets) = (arrays.offsets(), arrays.targets());
    std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            scope.spawn(move || {
                let sum = |numbers: &[u32]| {
                    let middle = numbers.len() / 2;
                    let part = if half == 0 {
                        &numbers[..middle]
                    } else {
                        &numbers[middle..]
                    };
                    part.iter().map(|number| u64::from(*number)).sum::<u64>()
                };
                sum(offsets) + sum(targets)
            })
        });
        halves
            .map(|half| half.join().unwrap_or_default())
            .iter()
            .sum()
    })
}

fn random_graph(seed: u64, nodes: u64) -> Result<Projection> {
    let mut random = fastrand::Rng::with_seed(seed);
    let options = ProjectionOptions {
        incoming: true,
        ..ProjectionOptions::default()
    };
    let builder = ProjectionBuilder::new((0..nodes).map(NodeId::new), options)?;
    let mut part = builder.part();
    for number in 0..nodes * 5 {
        let (source, target) = (random.u64(..nodes), random.u64(..nodes));
        part.push(
            NodeId::new(source),
            NodeId::new(target),
            RelationshipId::new(number),
            None,
        )?;
    }
    drop(part);
    Ok(builder.build(2, &mut Watch::quiet())?)
}
