//! `graph.pagerank`: where somebody is found who follows relationships at random and restarts now and then, at all
//! nodes or at some. Rows by score, the best first, then by node.
//!
//! Next: `degree.rs`.

use super::part::{Chosen, Part, expect_rows};
use super::{Procedure, THREADS, algorithm};
use crate::algo::{PageRankOptions, pagerank, personalised_pagerank};
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::Context;
use crate::query::procedures::settings::Settings;
use crate::query::procedures::types::ProcedureType;
use crate::value::{NodeId, NodeValue, Value};

const NAME: &str = "graph.pagerank";
const SETTINGS: &[&str] = &[
    "types",
    "weight",
    "undirected",
    "damping",
    "iterations",
    "tolerance",
    "sourceNodes",
    "sourceWeights",
];

pub(super) fn procedure() -> Procedure {
    algorithm(NAME)
        .about(
            "How important nodes are by who leads to them; with sourceNodes, as seen from these.",
        )
        .yields("node", ProcedureType::NODE)
        .yields("score", ProcedureType::FLOAT)
        .run_in_engine(run)
}

fn run(context: &mut Context<'_>, arguments: &[Value]) -> Result<Vec<Vec<Value>>, Fault> {
    let [nodes, settings] = arguments else {
        return Ok(Vec::new());
    };
    let settings = Settings::of(NAME, settings, SETTINGS)?;
    let sources = sources(&settings)?;
    // Seen from nowhere there is nothing.
    if sources.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Vec::new());
    }
    let usual = PageRankOptions::default();
    let options = PageRankOptions {
        damping: settings.number("damping")?.unwrap_or(usual.damping),
        iterations: { settings.small_count("iterations")? }.unwrap_or(usual.iterations),
        tolerance: settings.number("tolerance")?.unwrap_or(usual.tolerance),
        weighted: settings.has("weight"),
        threads: THREADS,
    };
    let undirected = settings.flag("undirected")?;
    let part = Part::project(
        context,
        Chosen::of(NAME, nodes)?,
        &settings,
        |all| match undirected {
            true => all.undirected(),
            false => all.with_incoming(),
        },
    )?;
    let found = part.run(context, (48, 4), |graph, watch| match &sources {
        Some(sources) => personalised_pagerank(graph, sources, &options, watch),
        None => pagerank(graph, &options, watch),
    })?;
    let mut best: Vec<usize> = (0..found.scores.len()).collect();
    // They are in the order of nodes, which a stable sort keeps.
    best.sort_by(|one, other| found.scores[*other].total_cmp(&found.scores[*one]));
    expect_rows(context, best.len(), 2)?;
    let nodes = part.graph.nodes();
    let row = |at: usize| vec![NodeValue::of(nodes[at]).into(), found.scores[at].into()];
    let rows = best.into_iter().map(row).collect();
    part.finish(context);
    Ok(rows)
}

/// The nodes at which restarts happen, with their weights.
fn sources(settings: &Settings<'_>) -> Result<Option<Vec<(NodeId, f64)>>, Fault> {
    let Some(nodes) = settings.nodes("sourceNodes")? else {
        return match settings.has("sourceWeights") {
            true => Err(settings.missing("sourceNodes")),
            false => Ok(None),
        };
    };
    let Some(weights) = settings.numbers("sourceWeights")? else {
        return Ok(Some(nodes.into_iter().map(|node| (node, 1.0)).collect()));
    };
    if weights.len() != nodes.len() {
        let (has, needs) = (weights.len(), nodes.len());
        let message = format!("`sourceWeights` has {has} numbers for {needs} nodes");
        return Err(raise(Detail::InvalidArgumentValue, message));
    }
    Ok(Some(nodes.into_iter().zip(weights).collect()))
}
