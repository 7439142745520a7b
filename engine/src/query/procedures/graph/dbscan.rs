//! `graph.dbscan`: groups of nodes whose vectors lie close together; where they are sparse there is no group. Rows by
//! node, without those that have no vector, or one without direction where only that counts.
//!
//! Next: `triangles.rs`.

use super::part::{Chosen, expect_rows};
use super::refusal::vectors_refused;
use super::{Procedure, THREADS, algorithm};
use crate::algo::dbscan::{DbscanOptions, Metric, Vectors, dbscan};
use crate::query::error::Fault;
use crate::query::exec::Context;
use crate::query::procedures::settings::Settings;
use crate::query::procedures::types::ProcedureType;
use crate::value::{NodeId, NodeValue, Value};

const NAME: &str = "graph.dbscan";
const SETTINGS: &[&str] = &["property", "eps", "minPoints", "metric"];

/// What a row takes beside its vector, while clusters are looked for.
const BYTES_PER_ROW: usize = 64;

pub(super) fn procedure() -> Procedure {
    algorithm(NAME)
        .about("Clusters of nodes whose vectors lie dense: at least minPoints within eps; null is noise.")
        .yields("node", ProcedureType::NODE)
        .yields("cluster", ProcedureType::INTEGER)
        .yields("core", ProcedureType::BOOLEAN)
        .run_in_engine(run)
}

fn run(context: &mut Context<'_>, arguments: &[Value]) -> Result<Vec<Vec<Value>>, Fault> {
    let [nodes, settings] = arguments else {
        return Ok(Vec::new());
    };
    let settings = Settings::of(NAME, settings, SETTINGS)?;
    let missing = |key| settings.missing(key);
    let property = settings
        .text("property")?
        .ok_or_else(|| missing("property"))?;
    let eps = settings.number("eps")?.ok_or_else(|| missing("eps"))?;
    let least = { settings.small_count("minPoints")? }.ok_or_else(|| missing("minPoints"))?;
    let metric = match settings.word("metric", &["cosine", "euclidean"])? {
        Some(1) => Metric::L2,
        _ => Metric::Cosine,
    };
    let nodes = match Chosen::of(NAME, nodes)? {
        Chosen::All => None,
        Chosen::Labels(labels) => Some(context.graph.nodes_with_labels(&labels)?),
        Chosen::Listed(nodes) => Some(nodes),
    };
    let before = context.memory.used();
    // The vectors are held twice: as they are stored, and made ready to be compared.
    let room = (context.memory.left() / 2) as u64;
    let table = context.graph.vector_table(property, nodes.as_ref(), room);
    let table = table.map_err(vectors_refused)?;
    if table.nodes().is_empty() {
        return Ok(Vec::new());
    }
    let dimension = table.dimension();
    let bytes = 2 * size_of_val(table.components()) + table.nodes().len() * BYTES_PER_ROW;
    context.memory.charge(bytes)?;
    let compared = |row: &[f32]| metric != Metric::Cosine || row.iter().any(|one| *one != 0.0);
    let rows = table
        .nodes()
        .iter()
        .zip(table.components().chunks_exact(dimension));
    let (mut nodes, mut numbers): (Vec<NodeId>, Vec<f32>) = (Vec::new(), Vec::new());
    let all = { rows.clone() }.all(|(_, row)| compared(row));
    if !all {
        for (node, row) in rows.filter(|(_, row)| compared(row)) {
            nodes.push(*node);
            numbers.extend_from_slice(row);
        }
    }
    let (nodes, numbers) = match all {
        true => (table.nodes(), table.components()),
        false => (&*nodes, &*numbers),
    };
    let options = DbscanOptions {
        threads: THREADS,
        ..DbscanOptions::new(eps as f32, least)
    };
    let found = context.watched(|_, watch| {
        let vectors = Vectors::new(numbers, dimension, metric)?;
        dbscan(&vectors, &options, watch)
    })?;
    expect_rows(context, nodes.len(), 3)?;
    let rows = nodes.iter().zip(found.cluster.iter().zip(&found.core));
    let rows = rows.map(|(node, (cluster, core))| {
        let cluster = cluster.map_or(Value::Null, |number| i64::from(number).into());
        vec![NodeValue::of(*node).into(), cluster, (*core).into()]
    });
    let rows = rows.collect();
    context.memory.reset(before);
    Ok(rows)
}
