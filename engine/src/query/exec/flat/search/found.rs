//! Asking an index: what for, among what, how many.
//!
//! Next: `super::expand`.

use super::kind_of;
use crate::catalog::{Scope, VectorIndexDef};
use crate::error::Error;
use crate::index::text::TextSearch;
use crate::index::vector::VectorSearch;
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::context::Context;
use crate::query::exec::eval::eval;
use crate::query::exec::flat::row_count;
use crate::query::exec::pipeline::Run;
use crate::query::functions::operators::with_article;
use crate::query::plan::{IndexName, Search, SearchKind};
use crate::query::schema::{searched_text, searched_vectors};
use crate::query::similarity;
use crate::value::Value;
use roaring::RoaringTreemap;
use std::sync::Arc;
use stratigraph_vector::{Effort, Metric};

/// What an index finds for a row: numbers and scores, the best first.
pub(super) fn find(
    of: &Search,
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Vec<(u64, f64)>, Fault> {
    let count = row_count("LIMIT", &of.limit, context, row)?;
    let (name, span) = named(&of.index, context)?;
    let found = match of.kind {
        SearchKind::Vector => vectors(of, (&name, count), context, row),
        SearchKind::Fulltext => texts(of, (&name, count), context, row),
    };
    found.map_err(|fault| match fault {
        // What is wrong with the index is shown at its name, and what is wrong with the query in its own place.
        Fault::Raised(_) if !fault.is_limit() => fault.at(span),
        fault => fault,
    })
}

/// The name of the index, and its place.
fn named(
    index: &IndexName,
    context: &Context<'_>,
) -> Result<(Arc<str>, stratigraph_query_lang::Span), Fault> {
    let (number, span) = match index {
        IndexName::Known(name, span) => return Ok((Arc::clone(name), *span)),
        IndexName::Parameter(number, span) => (*number, *span),
    };
    match context.parameters.get(number as usize) {
        Some(Value::String(name)) => Ok((Arc::clone(name), span)),
        other => {
            let kind = with_article(other.unwrap_or(&Value::Null).kind());
            let message = format!("the name of an index is a string, and this is {kind}");
            Err(raise(Detail::InvalidArgumentType, message).at(span))
        }
    }
}

fn vectors(
    of: &Search,
    (name, count): (&Arc<str>, usize),
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Vec<(u64, f64)>, Fault> {
    let def = Arc::clone(searched_vectors(context.graph.catalog()?, name)?);
    check_scope(of, def.scope, name)?;
    let query = eval(context, &of.query, row)?;
    let at_query = |fault: Fault| fault.at(of.query.span);
    let Some(query) = similarity::numbers(&query).map_err(at_query)? else {
        return Ok(Vec::new());
    };
    if query.len() != def.dimensions as usize {
        return Err(mismatch(&def, query.len()).at(of.query.span));
    }
    // What has no direction is near to nothing.
    let nowhere = def.metric == Metric::Cosine && query.iter().all(|number| *number == 0.0);
    let count = at_most(count, of, context)?;
    if nowhere || count == 0 {
        return Ok(Vec::new());
    }
    let among = among(of, context, row)?;
    let mut search = VectorSearch::new(&query, count);
    if of.exact {
        search = search.effort(Effort::Exact);
    }
    if let Some(among) = &among {
        search = search.among(among);
    }
    let breadth = search.breadth().map(|breadth| breadth.max(count));
    let answer = context.graph.search_vectors(name, &search);
    let answer = answer.map_err(refused)?;
    let allowed = among.map(|among| among.len());
    context.work.distances += answer.compared;
    context
        .searches
        .note_vectors(of.span, name, (&answer, breadth), allowed);
    let hits = answer.hits.iter();
    let mut hits: Vec<(u64, f64)> = hits
        .map(|hit| {
            let score = similarity::scaled(def.metric, hit.score);
            (hit.entity.number(), score)
        })
        .collect();
    // What differs by its raw score may be the same on the scale.
    hits.sort_by(|(one, score), (other, than)| than.total_cmp(score).then(one.cmp(other)));
    Ok(hits)
}

fn texts(
    of: &Search,
    (name, count): (&Arc<str>, usize),
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Vec<(u64, f64)>, Fault> {
    let scope = searched_text(context.graph.catalog()?, name)?.scope;
    check_scope(of, scope, name)?;
    let text = match eval(context, &of.query, row)? {
        Value::String(text) => text,
        Value::Null => return Ok(Vec::new()),
        other => {
            let kind = with_article(other.kind());
            let message = format!("a text is looked for in a full-text index, not {kind}");
            return Err(raise(Detail::InvalidArgumentType, message).at(of.query.span));
        }
    };
    let count = at_most(count, of, context)?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let among = among(of, context, row)?;
    let mut search = TextSearch::new(&text, count);
    if let Some(among) = &among {
        search = search.among(among);
    }
    let answer = context.graph.search_text(name, &search);
    let answer = answer.map_err(refused)?;
    let allowed = among.map(|among| among.len());
    let found = (answer.hits.len(), answer.work.documents);
    context.searches.note_texts(of.span, name, found, allowed);
    let hits = answer.hits.iter();
    Ok(hits
        .map(|hit| (hit.entity.number(), f64::from(hit.score)))
        .collect())
}

/// Everything that fulfils the conditions; none if there are no conditions.
fn among(
    of: &Search,
    context: &mut Context<'_>,
    row: &[Value],
) -> Result<Option<RoaringTreemap>, Fault> {
    let Some(ops) = &of.among else {
        return Ok(None);
    };
    let kind = kind_of(of);
    let mut run = Run::new(ops, row.len(), row.to_vec());
    let mut numbers = RoaringTreemap::new();
    while let Some(batch) = run.next(context)? {
        let found = batch.rows().map(|row| kind.number(&row[of.into.at()]));
        numbers.extend(found.flatten());
    }
    Ok(Some(numbers))
}

/// There cannot be more hits than there are nodes, or relationships, and room is made for as many as are asked for.
fn at_most(count: usize, of: &Search, context: &Context<'_>) -> Result<usize, Fault> {
    let all = match of.relationships {
        true => context.graph.relationship_count(None)?,
        false => context.graph.node_count(None)?,
    };
    Ok(count.min(usize::try_from(all).unwrap_or(usize::MAX)))
}

/// An index whose name was a parameter may be about something else.
fn check_scope(of: &Search, scope: Scope, name: &str) -> Result<(), Fault> {
    if scope.is_node() != of.relationships {
        return Ok(());
    }
    let (is, wanted) = match of.relationships {
        true => ("nodes", "relationships"),
        false => ("relationships", "nodes"),
    };
    let message = format!("index `{name}` is on {is}, and {wanted} are searched for");
    Err(raise(Detail::InvalidArgumentValue, message)
        .hint("SHOW INDEXES tells what each index is on"))
}

fn mismatch(def: &VectorIndexDef, found: usize) -> Fault {
    let (name, expected) = (&def.name, def.dimensions);
    let message =
        format!("index `{name}` has vectors of {expected} dimensions, and this one has {found}");
    raise(Detail::VectorDimensionMismatch, message)
        .hint("embed the query with the model that made the vectors of the index")
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
