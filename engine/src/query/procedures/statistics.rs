//! `db.stats` and `db.settings`: how much there is of what, and what bounds the query that asks.
//!
//! Commits keep the numbers, and what the query's own transaction has changed is in all of them. It knows how many it has
//! added and taken away, but of vector indexes: what it has changed for one is looked up.
//!
//! Next: `graph/mod.rs`.

use super::procedure::Procedure;
use super::types::ProcedureType;
use crate::catalog::Counter;
use crate::query::error::Fault;
use crate::query::exec::Context;
use crate::query::functions::limits::{LIST_ELEMENTS, TEXT_BYTES};
use crate::value::{MAX_DEPTH, Value};

/// All of them.
pub(super) fn procedures() -> Vec<Procedure> {
    vec![
        Procedure::new("db.stats")
            .about("How many nodes, relationships and entries of indexes there are, by label, type and name.")
            .yields("kind", ProcedureType::STRING)
            .yields("name", ProcedureType::STRING)
            .yields("count", ProcedureType::INTEGER)
            .run_in_engine(|context, _| counted(context)),
        Procedure::new("db.settings")
            .about("What bounds this query.")
            .yields("name", ProcedureType::STRING)
            .yields("value", ProcedureType::ANY)
            .yields("description", ProcedureType::STRING)
            .run_in_engine(|context, _| Ok(settings(context))),
    ]
}

fn counted(context: &Context<'_>) -> Result<Vec<Vec<Value>>, Fault> {
    let graph = &context.graph;
    let catalog = graph.catalog()?;
    let mut rows = Vec::new();
    let mut tell = |kind: &str, name: Option<&str>, count: u64| {
        let name = name.map_or(Value::Null, Value::from);
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        rows.push(vec![kind.into(), name, count.into()]);
    };
    tell("nodes", None, graph.node_count(None)?);
    tell("relationships", None, graph.relationship_count(None)?);
    for (_, label) in catalog.labels.iter() {
        let count = graph.node_count(Some(label))?;
        // Names are never forgotten, also when nobody has them any more.
        if count > 0 {
            tell("label", Some(label), count);
        }
    }
    for (_, of) in catalog.types.iter() {
        let count = graph.relationship_count(Some(of))?;
        if count > 0 {
            tell("relationshipType", Some(of), count);
        }
    }
    for index in catalog.indexes() {
        let entries = graph.count(Counter::Entries(index.id))?;
        tell("index", Some(&index.name), entries);
    }
    for index in catalog.vector_indexes() {
        let vectors = graph.count_vectors(index)?;
        tell("vectorIndex", Some(&index.name), vectors);
    }
    for hierarchy in catalog.hierarchies() {
        let (_, members) = graph.hierarchy_size(&hierarchy.name)?;
        tell("hierarchy", Some(&hierarchy.name), members);
    }
    Ok(rows)
}

fn settings(context: &Context<'_>) -> Vec<Vec<Value>> {
    let whole = |number: usize| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
    let seconds = context.time_limit().map(|time| time.as_secs_f64());
    let rows = [
        (
            "memory_bytes",
            whole(context.memory.limit()),
            "How many bytes of rows a query may hold.",
        ),
        (
            "timeout_seconds",
            seconds.map_or(Value::Null, Value::from),
            "How long a query may run; null if as long as it takes.",
        ),
        (
            "batch_rows",
            whole(context.batch_rows),
            "How many rows go from one operator to the next at a time.",
        ),
        (
            "list_elements",
            whole(LIST_ELEMENTS),
            "How many elements a list may have that is computed.",
        ),
        (
            "text_bytes",
            whole(TEXT_BYTES),
            "How many bytes a text may have that is computed.",
        ),
        (
            "value_depth",
            whole(MAX_DEPTH),
            "How deep lists and maps may be in each other.",
        ),
    ];
    let rows = rows.map(|(name, value, about)| vec![name.into(), value, about.into()]);
    rows.into()
}
