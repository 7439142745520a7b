//! `graph.components`: which nodes hang together. Rows by node; components are numbered by their first nodes.
//!
//! Next: `pagerank.rs`.

use super::part::{Chosen, Part};
use super::{Procedure, algorithm};
use crate::algo::{strong_components, weak_components};
use crate::query::error::Fault;
use crate::query::exec::Context;
use crate::query::procedures::settings::Settings;
use crate::query::procedures::types::ProcedureType;
use crate::value::Value;

const NAME: &str = "graph.components";

pub(super) fn procedure() -> Procedure {
    algorithm(NAME)
        .about("Which nodes hang together; with strong: true, along the directions of relationships both ways.")
        .yields("node", ProcedureType::NODE)
        .yields("component", ProcedureType::INTEGER)
        .run_in_engine(run)
}

fn run(context: &mut Context<'_>, arguments: &[Value]) -> Result<Vec<Vec<Value>>, Fault> {
    let [nodes, settings] = arguments else {
        return Ok(Vec::new());
    };
    let settings = Settings::of(NAME, settings, &["types", "strong"])?;
    let strong = settings.flag("strong")?;
    let part = Part::project(context, Chosen::of(NAME, nodes)?, &settings, |all| all)?;
    let found = part.run(context, (24, 0), |graph, watch| match strong {
        true => strong_components(graph, watch),
        false => weak_components(graph, watch),
    })?;
    // A component is named by its first node; those that are first get numbers in their order.
    let mut number = 0_i64;
    let mut numbers = Vec::with_capacity(found.component.len());
    for (place, first) in found.component.iter().enumerate() {
        let own = match usize::try_from(*first) {
            Ok(first) if first < place => numbers[first],
            _ => {
                number += 1;
                number - 1
            }
        };
        numbers.push(own);
    }
    let rows = part.rows(context, |place| [numbers[place].into()])?;
    part.finish(context);
    Ok(rows)
}
