//! `graph.degree`: how many relationships each node has, or how much they weigh. Rows by node.
//!
//! Next: `communities.rs`.

use super::part::{Chosen, Part};
use super::{Procedure, algorithm};
use crate::algo::{Direction, degrees, weighted_degrees};
use crate::query::error::Fault;
use crate::query::exec::Context;
use crate::query::procedures::settings::Settings;
use crate::query::procedures::types::ProcedureType;
use crate::value::Value;

const NAME: &str = "graph.degree";

pub(super) fn procedure() -> Procedure {
    algorithm(NAME)
        .about("How many relationships each node has; with weight, what these weigh together.")
        .yields("node", ProcedureType::NODE)
        .yields("degree", ProcedureType::NUMBER)
        .run_in_engine(run)
}

fn run(context: &mut Context<'_>, arguments: &[Value]) -> Result<Vec<Vec<Value>>, Fault> {
    let [nodes, settings] = arguments else {
        return Ok(Vec::new());
    };
    let settings = Settings::of(NAME, settings, &["types", "weight", "direction"])?;
    let direction = direction(&settings)?.unwrap_or(Direction::Both);
    let part = Part::project(
        context,
        Chosen::of(NAME, nodes)?,
        &settings,
        |all| match direction {
            Direction::Outgoing => all,
            Direction::Incoming | Direction::Both => all.with_incoming(),
        },
    )?;
    let rows = if settings.has("weight") {
        let degrees = part.run(context, (8, 0), |graph, watch| {
            weighted_degrees(graph, direction, watch)
        })?;
        part.rows(context, |place| [degrees[place].into()])?
    } else {
        let degrees = part.run(context, (8, 0), |graph, watch| {
            degrees(graph, direction, watch)
        })?;
        let whole = |degree: u64| i64::try_from(degree).unwrap_or(i64::MAX);
        part.rows(context, |place| [whole(degrees[place]).into()])?
    };
    part.finish(context);
    Ok(rows)
}

/// Which way relationships are followed.
pub(super) fn direction(settings: &Settings<'_>) -> Result<Option<Direction>, Fault> {
    let place = settings.word("direction", &["outgoing", "incoming", "both"])?;
    Ok(place.map(|place| match place {
        0 => Direction::Outgoing,
        1 => Direction::Incoming,
        _ => Direction::Both,
    }))
}
