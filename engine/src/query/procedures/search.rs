//! `db.index.vector.query...` and `db.index.fulltext.query...`: searches in an index, with Neo4j's signatures.
//!
//! They ask as `SEARCH` does, by `query/exec/hits.rs`, and tell as it does how the index has answered.
//!
//! Next: `writing.rs`.

use super::procedure::Procedure;
use super::settings::Settings;
use super::types::ProcedureType;
use crate::catalog::Scope;
use crate::error::Error;
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::hits::{self, Hits, Wanted, vector_for};
use crate::query::exec::{Context, Kind};
use crate::query::provenance::SearchReport;
use crate::query::schema::{searched_text, searched_vectors};
use crate::value::Value;
use std::sync::Arc;

/// All of them.
pub(super) fn procedures() -> Vec<Procedure> {
    let vectors = |name: &str| {
        Procedure::new(name)
            .takes("indexName", ProcedureType::STRING.not_null())
            .takes(
                "numberOfNearestNeighbours",
                ProcedureType::INTEGER.not_null(),
            )
            .takes("query", ProcedureType::ANY)
    };
    let texts = |name: &str| {
        Procedure::new(name)
            .takes("indexName", ProcedureType::STRING.not_null())
            .takes("queryString", ProcedureType::STRING)
            .takes_with_default("options", ProcedureType::MAP, empty())
    };
    let nodes = |procedure: Procedure| scored(procedure.yields("node", ProcedureType::NODE));
    let relationships = |procedure: Procedure| {
        scored(procedure.yields("relationship", ProcedureType::RELATIONSHIP))
    };
    vec![
        nodes(vectors("db.index.vector.queryNodes"))
            .about("The nodes nearest to a vector by a vector index, the best first.")
            .run_in_engine(|context, arguments| near(context, arguments, true)),
        relationships(vectors("db.index.vector.queryRelationships"))
            .about("The relationships nearest to a vector by a vector index, the best first.")
            .run_in_engine(|context, arguments| near(context, arguments, false)),
        nodes(texts("db.index.fulltext.queryNodes"))
            .about("The nodes that match a text best by a full-text index; options are limit and skip.")
            .run_in_engine(|context, arguments| matching(context, arguments, true)),
        relationships(texts("db.index.fulltext.queryRelationships"))
            .about("The relationships that match a text best by a full-text index; options are limit and skip.")
            .run_in_engine(|context, arguments| matching(context, arguments, false)),
    ]
}

fn scored(procedure: Procedure) -> Procedure {
    procedure.yields("score", ProcedureType::FLOAT)
}

/// `{}`.
fn empty() -> Value {
    Value::Map(Arc::default())
}

/// What is nearest. A vector that is null, or has no direction where only that counts, is near to nothing.
fn near(
    context: &mut Context<'_>,
    arguments: &[Value],
    nodes: bool,
) -> Result<Vec<Vec<Value>>, Fault> {
    let [Value::String(name), Value::Int(count), query] = arguments else {
        return Err(Error::bug("arguments were not looked at").into());
    };
    let index = Arc::clone(searched_vectors(context.graph.catalog()?, name)?);
    check_scope(index.scope, name, nodes, "vector")?;
    let count = at_least_zero("numberOfNearestNeighbours", *count)?;
    let Some(vector) = vector_for(&index, query)? else {
        return Ok(Vec::new());
    };
    let wanted = wanted(count);
    let (hits, answer) = hits::nearest(context, &index, &vector, wanted)?;
    if let Some(near) = answer {
        let report = SearchReport::of_vectors((name, index.metric), &near, None);
        context.provenance.note_search_of_call(report);
    }
    rows(context, nodes, hits)
}

fn matching(
    context: &mut Context<'_>,
    arguments: &[Value],
    nodes: bool,
) -> Result<Vec<Vec<Value>>, Fault> {
    let [Value::String(name), text, options] = arguments else {
        return Err(Error::bug("arguments were not looked at").into());
    };
    let index = Arc::clone(searched_text(context.graph.catalog()?, name)?);
    let of = match nodes {
        true => "db.index.fulltext.queryNodes",
        false => "db.index.fulltext.queryRelationships",
    };
    check_scope(index.scope, name, nodes, "fulltext")?;
    let options = Settings::of(of, options, &["limit", "skip"])?;
    let (limit, skip) = (options.count("limit")?, options.count("skip")?.unwrap_or(0));
    let Value::String(text) = text else {
        return Ok(Vec::new());
    };
    let wanted = wanted(limit.map_or(usize::MAX, |limit| limit.saturating_add(skip)));
    let (mut hits, answer) = hits::matching(context, &index, text, wanted)?;
    if let Some(answer) = answer {
        let told = (hits.len(), answer.work.documents);
        let report = SearchReport::of_texts(name, told, None);
        context.provenance.note_search_of_call(report);
    }
    hits.drain(..skip.min(hits.len()));
    rows(context, nodes, hits)
}

fn wanted(count: usize) -> Wanted<'static> {
    Wanted {
        count,
        exact: false,
        among: None,
    }
}

/// A row for each hit. Whoever calls the procedure holds them.
fn rows(context: &mut Context<'_>, nodes: bool, hits: Hits) -> Result<Vec<Vec<Value>>, Fault> {
    let kind = match nodes {
        true => Kind::Nodes,
        false => Kind::Relationships,
    };
    let before = context.memory.used();
    let row = size_of::<Vec<Value>>() + 2 * size_of::<Value>();
    context.memory.charge(hits.len().saturating_mul(row))?;
    let rows = hits.into_iter();
    let rows = rows.map(|(number, score)| vec![kind.value(number), score.into()]);
    let rows = rows.collect();
    context.memory.reset(before);
    Ok(rows)
}

fn at_least_zero(name: &str, number: i64) -> Result<usize, Fault> {
    usize::try_from(number).map_err(|_| {
        let message = format!("{name} is {number}, and cannot be negative");
        raise(Detail::NumberOutOfRange, message)
    })
}

/// Whether an index is about what is asked for.
fn check_scope(scope: Scope, name: &str, nodes: bool, kind: &str) -> Result<(), Fault> {
    if scope.is_node() == nodes {
        return Ok(());
    }
    let (is, call) = match nodes {
        true => ("relationships", "queryRelationships"),
        false => ("nodes", "queryNodes"),
    };
    let message = format!("index `{name}` is one of {is}");
    Err(raise(Detail::InvalidArgumentValue, message).hint(format!("call db.index.{kind}.{call}")))
}
