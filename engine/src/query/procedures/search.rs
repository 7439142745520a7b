//! `db.index.vector.query...` and `db.index.fulltext.query...`: searches in an index, with Neo4j's signatures.
//!
//! Rows come by score, and by id where scores are the same. More is always nearer: scores of vectors are on the
//! scale of `query/similarity.rs`, scores of texts are BM25.
//!
//! Next: `writing.rs`.

use super::procedure::Procedure;
use super::settings::Settings;
use super::types::ProcedureType;
use crate::catalog::{Catalog, Scope};
use crate::error::Error;
use crate::graph::Entity;
use crate::index::text::TextSearch;
use crate::index::vector::VectorSearch;
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::Context;
use crate::query::similarity::{self, scaled};
use crate::value::{NodeValue, RelationshipValue, Value};
use stratigraph_query_lang::nearest;
use stratigraph_vector::Metric;

/// What a hit of a vector index takes, from the search to its row.
const HIT_BYTES: usize = 128;

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
    Value::Map(std::sync::Arc::default())
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
    let catalog = context.graph.catalog()?;
    let Some(index) = catalog.vector_index_named(name).cloned() else {
        return Err(no_index(catalog, name, Searched::Vectors));
    };
    check_scope(index.scope, name, nodes, "vector")?;
    let count = at_least_zero("numberOfNearestNeighbours", *count)?;
    let Some(query) = similarity::numbers(query)? else {
        return Ok(Vec::new());
    };
    let dimensions = index.dimensions as usize;
    if query.len() != dimensions {
        let fault = similarity::mismatch(dimensions, query.len());
        let hint = format!("index `{name}` holds vectors of {dimensions} dimensions");
        return Err(fault.hint(hint));
    }
    if index.metric == Metric::Cosine && query.iter().all(|number| *number == 0.0) {
        return Ok(Vec::new());
    }
    // There cannot be more hits than this, and room is made for as many as are asked for.
    let count = count.min(everything(context, nodes)?);
    if count == 0 {
        return Ok(Vec::new());
    }
    let before = context.memory.used();
    context.memory.charge(count.saturating_mul(HIT_BYTES))?;
    let found = context
        .graph
        .search_vectors(name, &VectorSearch::new(&query, count));
    let found = found.map_err(refused)?;
    let mut hits: Vec<(Entity, f64)> = { found.hits.iter() }
        .map(|hit| (hit.entity, scaled(index.metric, hit.score)))
        .collect();
    // What differs by its raw score may be the same on the scale.
    hits.sort_by(|(one, score), (other, than)| than.total_cmp(score).then(one.cmp(other)));
    context.memory.reset(before);
    Ok(hits.into_iter().map(row).collect())
}

fn matching(
    context: &mut Context<'_>,
    arguments: &[Value],
    nodes: bool,
) -> Result<Vec<Vec<Value>>, Fault> {
    let [Value::String(name), text, options] = arguments else {
        return Err(Error::bug("arguments were not looked at").into());
    };
    let catalog = context.graph.catalog()?;
    let Some(index) = catalog.text_index_named(name).cloned() else {
        return Err(no_index(catalog, name, Searched::Texts));
    };
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
    let all = everything(context, nodes)?;
    let wanted = limit.map_or(all, |limit| limit.saturating_add(skip).min(all));
    if wanted <= skip {
        return Ok(Vec::new());
    }
    let found = context
        .graph
        .search_text(name, &TextSearch::new(text, wanted));
    let found = found.map_err(refused)?;
    let hits = found.hits.iter().skip(skip);
    Ok(hits
        .map(|hit| row((hit.entity, f64::from(hit.score))))
        .collect())
}

/// How many hits there may be at most.
fn everything(context: &Context<'_>, nodes: bool) -> Result<usize, Fault> {
    let count = match nodes {
        true => context.graph.node_count(None)?,
        false => context.graph.relationship_count(None)?,
    };
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

fn row((entity, score): (Entity, f64)) -> Vec<Value> {
    let entity = match entity {
        Entity::Node(node) => NodeValue::of(node).into(),
        Entity::Relationship(relationship) => RelationshipValue::of(relationship).into(),
    };
    vec![entity, score.into()]
}

fn at_least_zero(name: &str, number: i64) -> Result<usize, Fault> {
    usize::try_from(number).map_err(|_| {
        let message = format!("{name} is {number}, and cannot be negative");
        raise(Detail::NumberOutOfRange, message)
    })
}

/// Which kind of index is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Searched {
    Vectors,
    Texts,
}

/// A name that no index of that kind has.
pub(crate) fn no_index(catalog: &Catalog, name: &str, searched: Searched) -> Fault {
    let vectors = || catalog.vector_indexes().map(|index| &*index.name);
    let texts = || catalog.text_indexes().map(|index| &*index.name);
    let is_vectors = searched == Searched::Vectors;
    let (detail, what, all, near) = match searched {
        Searched::Vectors => (
            Detail::VectorIndexNotFound,
            "vector",
            "SHOW VECTOR INDEXES",
            nearest(name, vectors()),
        ),
        Searched::Texts => (
            Detail::FulltextIndexNotFound,
            "full-text",
            "SHOW FULLTEXT INDEXES",
            nearest(name, texts()),
        ),
    };
    let fault = raise(detail, format!("there is no {what} index `{name}`"));
    let is = if catalog.index_named(name).is_some() {
        Some("an index of properties")
    } else if is_vectors && texts().any(|text| text == name) {
        Some("a full-text index: call db.index.fulltext.queryNodes")
    } else if !is_vectors && vectors().any(|vector| vector == name) {
        Some("a vector index: call db.index.vector.queryNodes")
    } else {
        None
    };
    fault.hint(match (is, near) {
        (Some(is), _) => format!("`{name}` is {is}"),
        (None, Some(other)) => format!("did you mean `{other}`? {all} lists them"),
        (None, None) => format!("{all} lists them"),
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

/// What an index does not take is the query's mistake.
fn refused(error: Error) -> Fault {
    match error {
        Error::VectorIndex { .. } | Error::TooMany { .. } => {
            raise(Detail::InvalidArgumentValue, error.to_string())
        }
        other => other.into(),
    }
}
