//! `graph.shortestPath` and `graph.shortestPaths`: the ways from one node to another that cost least, in steps or in
//! weights. Rows by the nodes of the paths, then by their relationships.
//!
//! `ANY SHORTEST` in a pattern does the same without weights; these know weights, and choose nodes by lists.
//!
//! Next: `../../exec/flat/call.rs`.

use super::degree::direction;
use super::part::{Chosen, Part, expect_rows};
use super::{Procedure, algorithm};
use crate::algo::{Path, ShortestPathOptions, shortest_paths};
use crate::query::error::Fault;
use crate::query::exec::Context;
use crate::query::procedures::settings::Settings;
use crate::query::procedures::types::ProcedureType;
use crate::value::{NodeValue, PathValue, RelationshipValue, Value};

const ONE: &str = "graph.shortestPath";
const ALL: &str = "graph.shortestPaths";
const SETTINGS: &[&str] = &["source", "target", "types", "weight", "direction"];
const SETTINGS_OF_ALL: &[&str] = &["source", "target", "types", "weight", "direction", "limit"];

/// So many paths are given if nothing is said: there may be more than anybody could read.
const PATHS: usize = 1000;

pub(super) fn procedures() -> [Procedure; 2] {
    let with_columns = |procedure: Procedure| {
        procedure
            .yields("path", ProcedureType::PATH)
            .yields("cost", ProcedureType::FLOAT)
    };
    [
        with_columns(algorithm(ONE))
            .about("A path from source to target that costs least: the fewest steps, or with weight the least sum.")
            .run_in_engine(|context, arguments| run(context, arguments, ONE)),
        with_columns(algorithm(ALL))
            .about("All paths from source to target that cost least, up to a limit, which is 1000.")
            .run_in_engine(|context, arguments| run(context, arguments, ALL)),
    ]
}

fn run(
    context: &mut Context<'_>,
    arguments: &[Value],
    name: &'static str,
) -> Result<Vec<Vec<Value>>, Fault> {
    let [nodes, settings] = arguments else {
        return Ok(Vec::new());
    };
    let known = if name == ALL {
        SETTINGS_OF_ALL
    } else {
        SETTINGS
    };
    let settings = Settings::of(name, settings, known)?;
    let most = match name {
        ALL => settings.count("limit")?.unwrap_or(PATHS),
        _ => 1,
    };
    let ends = (end(&settings, "source")?, end(&settings, "target")?);
    let (Some(source), Some(target)) = ends else {
        return Ok(Vec::new());
    };
    let options = ShortestPathOptions {
        direction: direction(&settings)?.unwrap_or_default(),
        weighted: settings.has("weight"),
    };
    // Searches go from both ends, so that the way back is needed too.
    let part = Part::project(context, Chosen::of(name, nodes)?, &settings, |all| {
        all.with_relationships().with_incoming()
    })?;
    let found = part.run(context, (64, 0), |graph, watch| {
        shortest_paths(graph, source, target, &options, most, watch)
    })?;
    let steps: usize = found.paths.iter().map(|path| path.nodes.len()).sum();
    expect_rows(context, found.paths.len() + steps, 2)?;
    let rows = found.paths.into_iter().map(row).collect();
    part.finish(context);
    Ok(rows)
}

/// An end of the paths, which must be named; none if it is null.
fn end(settings: &Settings<'_>, key: &str) -> Result<Option<crate::value::NodeId>, Fault> {
    if !settings.is_named(key) {
        return Err(settings.missing(key));
    }
    settings.node(key)
}

fn row(path: Path) -> Vec<Value> {
    let nodes = path.nodes.into_iter().map(NodeValue::of).collect();
    let relationships = path.relationships.into_iter().map(RelationshipValue::of);
    let value = PathValue::new(nodes, relationships.collect());
    vec![value.map_or(Value::Null, Value::from), path.length.into()]
}
