//! `expand_vs_raw`: the neighbours of a node of degree 50, ids only, beside a raw prefix scan of the
//! same entries; and neighbourhoods of two steps from many roots, with what they cost.

use super::content::{Content, DEGREE};
use crate::measure::Setup;
use crate::measure::allocations;
use crate::measure::cpu_time::CpuTime;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::{Result, ensure};
use roaring::RoaringTreemap;
use rocksdb::ReadOptions;
use std::time::Duration;
use stratigraph::storage::family::Family;
use stratigraph::{Direction, NodeId, Read};

pub(super) fn measure(setup: &Setup, content: &Content, report: &mut Report) -> Result<()> {
    let (rounds, nodes) = setup.choose((41, 2_000_u32), (101, 4_000));
    println!("expand     {rounds} rounds of {nodes} random nodes");
    setup.progress("expand: warm up");
    let all: Vec<u64> = (0..content.nodes).collect();
    let (ours, raw) = (expand(content, &all)?.1, scan(content, &all)?.1);
    ensure!(ours == raw, "the two sides have not seen the same");
    let mut made = (0, 0);
    let measured = Rounds::run(
        rounds,
        |round| {
            let mut random = fastrand::Rng::with_seed(setup.seed ^ (round as u64) << 32);
            Ok((0..nodes)
                .map(|_| random.u64(..content.nodes))
                .collect::<Vec<_>>())
        },
        |ids| {
            let before = allocations::so_far();
            let (time, _) = expand(content, ids)?;
            made.0 = allocations::so_far() - before;
            Ok(time)
        },
        |ids| {
            let before = allocations::so_far();
            let (time, _) = scan(content, ids)?;
            made.1 = allocations::so_far() - before;
            Ok(time)
        },
    )?;
    let times = measured.map(|seconds| seconds * 1e6 / f64::from(nodes));
    report.compare("expand_vs_raw", &times, "us CPU", Some(Mark::AtMost(1.3)));
    let per_node = |made: u64| made as f64 / f64::from(nodes);
    let (ours, raw) = (per_node(made.0), per_node(made.1));
    report.count("expand_allocations", ours, Some(raw), "per node", None);
    two_steps(setup, content, report)
}

/// Sets of two steps from 1,000 roots: the work in numbers, since there is no mark for it.
fn two_steps(setup: &Setup, content: &Content, report: &mut Report) -> Result<()> {
    const ROOTS: usize = 1000;
    setup.progress("expand: two steps");
    let read = content.ours.read()?;
    let mut random = fastrand::Rng::with_seed(setup.seed);
    let mut roots = RoaringTreemap::new();
    while roots.len() < ROOTS as u64 {
        roots.insert(random.u64(..content.nodes));
    }
    let (begun, before) = (CpuTime::now(), allocations::so_far());
    let one = read.neighbour_set(&roots, Direction::Outgoing, Some("KNOWS"))?;
    let two = read.neighbour_set(&one, Direction::Outgoing, Some("KNOWS"))?;
    let (time, made) = (begun.elapsed(), allocations::so_far() - before);
    ensure!(!two.is_empty(), "nothing was reached");
    // One seek for each node whose relationships are read, and 28 bytes for each of those.
    let seeks = (roots.len() + one.len()) as f64;
    let edges = seeks * DEGREE as f64;
    report.count(
        "two_steps_time",
        time.as_secs_f64() * 1e9 / edges,
        None,
        "ns per edge",
        None,
    );
    report.count("two_steps_seeks", seeks / edges, None, "per edge", None);
    report.count("two_steps_bytes", 28.0, None, "per edge", None);
    report.count(
        "two_steps_allocations",
        made as f64 / edges,
        None,
        "per edge",
        None,
    );
    Ok(())
}

/// How many were seen, and a sum of their ids.
type Seen = (u64, u64);

fn expand(content: &Content, ids: &[u64]) -> Result<(Duration, Seen)> {
    let read = content.ours.read()?;
    let begun = CpuTime::now();
    let mut seen = (0, 0_u64);
    for id in ids {
        for neighbour in read.neighbours(NodeId::new(*id), Direction::Outgoing, Some("KNOWS"))? {
            let neighbour = neighbour?;
            seen.0 += 1;
            seen.1 = seen
                .1
                .wrapping_add(neighbour.node.get() + neighbour.relationship.get());
        }
    }
    Ok((begun.elapsed(), seen))
}

fn scan(content: &Content, ids: &[u64]) -> Result<(Duration, Seen)> {
    let out = content.raw.family(Family::Out)?;
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_be_bytes);
    let begun = CpuTime::now();
    let mut seen = (0, 0_u64);
    for id in ids {
        let mut options = ReadOptions::default();
        options.set_iterate_upper_bound((id + 1).to_be_bytes());
        options.set_prefix_same_as_start(true);
        let mut iterator = content.raw.db.raw_iterator_cf_opt(out, options);
        iterator.seek(id.to_be_bytes());
        while let Some(key) = iterator.key() {
            if key.len() == 28 {
                seen.0 += 1;
                seen.1 = seen
                    .1
                    .wrapping_add(number(&key[12..20]) + number(&key[20..]));
            }
            iterator.next();
        }
        iterator.status()?;
    }
    Ok((begun.elapsed(), seen))
}
