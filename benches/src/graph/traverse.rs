//! `traverse_vs_kernel`: the level-wise operator over a million sections in five levels, with a
//! threshold and with recovery over all members of each level, beside the kernel alone.
//!
//! Ids are in reading order, as documents are taken in: a section's children follow it. The yardstick
//! is one pass of the kernel over the same rows in the order of memory. The threshold keeps one
//! section in ten, recovery one in five.

use crate::measure::Setup;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::{Result, ensure};
use std::time::Instant;
use stratigraph::algo::snapshot::ProjectionSteps;
use stratigraph::algo::traverse::{
    Keep, Measure, NodeVectors, Recover, Traversal, Traverse, TraverseError, VectorScorer, Where,
};
use stratigraph::algo::{Projection, ProjectionBuilder, ProjectionOptions};
use stratigraph::clock::SystemClock;
use stratigraph::storage::cancel::Watch;
use stratigraph::{Error, NodeId, RelationshipId};
use stratigraph_vector::{Kernels, Rows};

const LEVELS: usize = 5;
/// Children of a section: 31 to the fourth are a little less than a million.
const FAN_OUT: usize = 31;

/// Sections in reading order.
struct Sections {
    graph: Projection,
    levels: Vec<Vec<NodeId>>,
}

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    setup.progress("traverse: make the sections");
    let sections = Sections::make(setup.choose(8, FAN_OUT))?;
    let dimensions = [
        ("traverse_vs_kernel", 384, Some(Mark::AtMost(2.0))),
        ("traverse_128", 128, None),
    ];
    for (name, dimension, mark) in dimensions {
        one(setup, &sections, name, dimension, mark, report)?;
    }
    Ok(())
}

fn one(
    setup: &Setup,
    sections: &Sections,
    name: &'static str,
    dimension: usize,
    mark: Option<Mark>,
    report: &mut Report,
) -> Result<()> {
    let rounds = setup.choose(5, 9);
    let count = sections.graph.len();
    println!(
        "traverse   {rounds} rounds over {count} sections of {LEVELS} levels, {dimension} dimensions"
    );
    setup.progress(&format!("traverse: {dimension} dimensions"));
    let mut random = fastrand::Rng::with_seed(setup.seed);
    let components: Vec<f32> = (0..count * dimension).map(|_| random.f32() - 0.5).collect();
    let query: Vec<f32> = (0..dimension).map(|_| random.f32() - 0.5).collect();
    let rows = Rows::new(&components, dimension)?;
    let vectors = NodeVectors::consecutive(NodeId::new(0), rows);
    let kernels = Kernels::best();
    let mut scores = vec![0.0; count];
    kernels.dot_rows(&query, rows, &mut scores)?;
    let mut sorted = scores.clone();
    sorted.sort_unstable_by(|left, right| right.total_cmp(left));
    let (keep, recover) = (f64::from(sorted[count / 10]), f64::from(sorted[count / 5]));
    drop(sorted);
    let mut last = None;
    let measured = Rounds::run(
        rounds,
        |_| Ok(()),
        |()| {
            let begun = Instant::now();
            last = Some(traverse(sections, &vectors, &query, keep, recover)?);
            Ok(begun.elapsed())
        },
        |()| {
            let begun = Instant::now();
            kernels.dot_rows(&query, rows, &mut scores)?;
            std::hint::black_box(&scores);
            Ok(begun.elapsed())
        },
    )?;
    report.compare(name, &measured.map(|seconds| seconds * 1e3), "ms", mark);
    let Some(traversal) = last else {
        return Ok(());
    };
    let summary = &traversal.summary;
    ensure!(
        summary.scored as usize >= count - 1,
        "not every section was scored"
    );
    if mark.is_some() {
        let per_section = |what: u64| what as f64 / count as f64;
        report.count(
            "traverse_scored",
            per_section(summary.scored),
            None,
            "per section",
            None,
        );
        report.count(
            "traverse_edges",
            per_section(summary.edges_read),
            None,
            "per section",
            None,
        );
        let scanned = per_section(summary.recover_scanned);
        report.count("traverse_members", scanned, None, "per section", None);
        report.count(
            "traverse_rows",
            per_section(traversal.rows.len() as u64),
            None,
            "per section",
            None,
        );
    }
    Ok(())
}

fn traverse(
    sections: &Sections,
    vectors: &NodeVectors<'_>,
    query: &[f32],
    keep: f64,
    recover: f64,
) -> Result<Traversal, TraverseError<Error>> {
    let scorer = VectorScorer::new(vectors, query, Measure::Dot).map_err(Error::from)?;
    let members = |level: u32, into: &mut Vec<NodeId>| {
        into.extend(&sections.levels[level as usize]);
        Ok(())
    };
    let mut steps = ProjectionSteps::new(&sections.graph)?;
    Traverse::from([sections.levels[0][0]])
        .unfiltered()
        .levels(0, Some(LEVELS as u32 - 1))
        .scorer(scorer)
        .keep(Keep::all().only(Where::Above(keep)))
        .recover(Recover::new(
            members,
            Keep::all().only(Where::Above(recover)),
        ))
        .run(&mut steps, &SystemClock::new())
}

impl Sections {
    fn make(fan_out: usize) -> Result<Self> {
        let mut levels: Vec<Vec<NodeId>> = vec![Vec::new(); LEVELS];
        let mut relationships = Vec::new();
        // The open sections, outermost first, with how many children they have.
        let mut open: Vec<(NodeId, usize)> = Vec::new();
        let mut next = 0;
        loop {
            if open.len() < LEVELS {
                let section = NodeId::new(next);
                next += 1;
                levels[open.len()].push(section);
                if let Some((parent, children)) = open.last_mut() {
                    relationships.push((*parent, section));
                    *children += 1;
                }
                open.push((section, 0));
            }
            while open.len() == LEVELS
                || open
                    .last()
                    .is_some_and(|(_, children)| *children == fan_out)
            {
                open.pop();
            }
            if open.is_empty() {
                break;
            }
        }
        let options = ProjectionOptions {
            relationships: true,
            ..ProjectionOptions::default()
        };
        let builder = ProjectionBuilder::new((0..next).map(NodeId::new), options)?;
        let mut part = builder.part();
        for (number, (parent, child)) in relationships.into_iter().enumerate() {
            part.push(parent, child, RelationshipId::new(number as u64), None)?;
        }
        drop(part);
        let graph = builder.build(2, &mut Watch::quiet())?;
        Ok(Self { graph, levels })
    }
}
