//! `graph.triangles`: how many triangles each node is a corner of, and which share of those that there could be.
//! Directions, doubles and loops do not count. Rows by node.
//!
//! Next: `shortest.rs`.

use super::part::{Chosen, Part};
use super::{Procedure, THREADS, algorithm};
use crate::algo::triangles;
use crate::query::error::Fault;
use crate::query::exec::Context;
use crate::query::procedures::settings::Settings;
use crate::query::procedures::types::ProcedureType;
use crate::value::Value;

const NAME: &str = "graph.triangles";

pub(super) fn procedure() -> Procedure {
    algorithm(NAME)
        .about("How many triangles each node is in, and which share of its pairs of neighbours are neighbours.")
        .yields("node", ProcedureType::NODE)
        .yields("triangles", ProcedureType::INTEGER)
        .yields("clustering", ProcedureType::FLOAT)
        .run_in_engine(run)
}

fn run(context: &mut Context<'_>, arguments: &[Value]) -> Result<Vec<Vec<Value>>, Fault> {
    let [nodes, settings] = arguments else {
        return Ok(Vec::new());
    };
    let settings = Settings::of(NAME, settings, &["types"])?;
    let part = Part::project(context, Chosen::of(NAME, nodes)?, &settings, |all| all)?;
    let found = part.run(context, (48, 4), |graph, watch| {
        triangles(graph, THREADS, watch)
    })?;
    let clustering = found.clustering();
    let rows = part.rows(context, |place| {
        let count = i64::try_from(found.counts[place]).unwrap_or(i64::MAX);
        [count.into(), clustering[place].into()]
    })?;
    part.finish(context);
    Ok(rows)
}
