//! `graph.communities`: groups of nodes that are more tied to each other than to the rest, in layers. Layer 0 has the
//! smallest groups, and each group of a layer is a union of groups of the layer before. Rows by layer, then by node.
//!
//! Next: `dbscan.rs`.

use super::part::{Chosen, Part, expect_rows};
use super::{Procedure, algorithm};
use crate::algo::leiden::{LeidenOptions, Quality, Undirected, leiden};
use crate::algo::snapshot::Selection;
use crate::query::error::Fault;
use crate::query::exec::Context;
use crate::query::procedures::settings::Settings;
use crate::query::procedures::types::ProcedureType;
use crate::value::{NodeValue, Value};

const NAME: &str = "graph.communities";
const SETTINGS: &[&str] = &[
    "algorithm",
    "types",
    "weight",
    "seed",
    "resolution",
    "quality",
    "theta",
    "maxPasses",
    "maxCommunityNodes",
];

pub(super) fn procedure() -> Procedure {
    algorithm(NAME)
        .about("Communities by the Leiden algorithm, layer by layer: layer 0 has the smallest.")
        .yields("node", ProcedureType::NODE)
        .yields("layer", ProcedureType::INTEGER)
        .yields("community", ProcedureType::INTEGER)
        .run_in_engine(run)
}

fn run(context: &mut Context<'_>, arguments: &[Value]) -> Result<Vec<Vec<Value>>, Fault> {
    let [nodes, settings] = arguments else {
        return Ok(Vec::new());
    };
    let settings = Settings::of(NAME, settings, SETTINGS)?;
    settings.word("algorithm", &["leiden"])?;
    let usual = LeidenOptions::default();
    let options = LeidenOptions {
        quality: match settings.word("quality", &["modularity", "constantPotts"])? {
            Some(1) => Quality::ConstantPotts,
            _ => Quality::Modularity,
        },
        resolution: settings.number("resolution")?.unwrap_or(usual.resolution),
        // A seed is only bits, so that a negative one is as good as any.
        seed: settings
            .integer("seed")?
            .map_or(usual.seed, i64::cast_unsigned),
        max_passes: settings.small_count("maxPasses")?,
        theta: settings.number("theta")?.unwrap_or(usual.theta),
        max_community_nodes: settings.small_count("maxCommunityNodes")?,
    };
    let chosen = Chosen::of(NAME, nodes)?;
    let part = Part::project(context, chosen, &settings, Selection::undirected)?;
    // Smaller graphs are made from the first, with all entries in the worst case.
    let found = part.run(context, (160, 32), |graph, watch| {
        leiden(&Undirected::of(graph)?, &options, watch)
    })?;
    let layers = found.levels();
    expect_rows(context, part.graph.len().saturating_mul(layers.len()), 3)?;
    let mut rows = Vec::with_capacity(part.graph.len() * layers.len());
    for (layer, partition) in (0_i64..).zip(layers) {
        for (node, community) in part.graph.nodes().iter().zip(&partition.community) {
            rows.push(vec![
                NodeValue::of(*node).into(),
                layer.into(),
                i64::from(*community).into(),
            ]);
        }
    }
    part.finish(context);
    Ok(rows)
}
