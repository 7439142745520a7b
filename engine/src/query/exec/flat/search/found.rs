//! Asking an index: what for, among what, how many.
//!
//! Next: `super::expand`.

use super::{Asked, kind_of};
use crate::catalog::Scope;
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::context::Context;
use crate::query::exec::eval::eval;
use crate::query::exec::flat::row_count;
use crate::query::exec::hits::{Hits, Wanted, matching, nearest, vector_for};
use crate::query::exec::pipeline::Run;
use crate::query::exec::stage::Site;
use crate::query::functions::operators::with_article;
use crate::query::plan::{IndexName, Search, SearchKind};
use crate::query::provenance::SearchReport;
use crate::query::schema::{searched_text, searched_vectors};
use crate::value::Value;
use roaring::RoaringTreemap;
use std::sync::Arc;

/// What may be found.
#[derive(Default)]
pub(super) struct Allowed {
    numbers: RoaringTreemap,
    /// What that is the answer to.
    asked: Option<Asked>,
}

impl Allowed {
    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        bytes_of(&self.numbers)
    }
}

/// About how many bytes a set of numbers takes.
fn bytes_of(numbers: &RoaringTreemap) -> usize {
    match numbers.is_empty() {
        true => 0,
        false => numbers.serialized_size(),
    }
}

/// What an index finds for a row: numbers and scores, the best first.
pub(super) fn find(
    of: &Search,
    allowed: &mut Allowed,
    site: &mut Site<'_, '_>,
    row: &mut [Value],
) -> Result<Hits, Fault> {
    let mut count = row_count("LIMIT", &of.limit, site.context, row)?;
    if !of.most.is_empty() {
        let mut most = 0_usize;
        for rows in &of.most {
            let rows = row_count("LIMIT", rows, site.context, &site.frame.argument)?;
            most = most.saturating_add(rows);
        }
        count = count.min(most);
    }
    let (name, span) = named(&of.index, site.context)?;
    let found = match of.kind {
        SearchKind::Vector => vectors(of, (&name, count), allowed, site, row),
        SearchKind::Fulltext => texts(of, (&name, count), allowed, site, row),
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
    allowed: &mut Allowed,
    site: &mut Site<'_, '_>,
    row: &mut [Value],
) -> Result<Hits, Fault> {
    let def = Arc::clone(searched_vectors(site.context.graph.catalog()?, name)?);
    check_scope(of, def.scope, name)?;
    let query = eval(site.context, &of.query, row)?;
    let vector = vector_for(&def, &query).map_err(|fault| fault.at(of.query.span))?;
    let Some(vector) = vector else {
        return Ok(Hits::new());
    };
    let among = among(of, allowed, site, row)?;
    let context = &mut *site.context;
    let (hits, answer) = nearest(context, &def, &vector, wanted(of, count, among))?;
    if let Some(near) = answer {
        let allowed = among.map(RoaringTreemap::len);
        let report = SearchReport::of_vectors((name, def.metric), &near, allowed);
        context.provenance.note_search(of.span, report);
    }
    Ok(hits)
}

fn texts(
    of: &Search,
    (name, count): (&Arc<str>, usize),
    allowed: &mut Allowed,
    site: &mut Site<'_, '_>,
    row: &mut [Value],
) -> Result<Hits, Fault> {
    let def = Arc::clone(searched_text(site.context.graph.catalog()?, name)?);
    check_scope(of, def.scope, name)?;
    let text = match eval(site.context, &of.query, row)? {
        Value::String(text) => text,
        Value::Null => return Ok(Hits::new()),
        other => {
            let kind = with_article(other.kind());
            let message = format!("a text is looked for in a full-text index, not {kind}");
            return Err(raise(Detail::InvalidArgumentType, message).at(of.query.span));
        }
    };
    let among = among(of, allowed, site, row)?;
    let context = &mut *site.context;
    let (hits, answer) = matching(context, &def, &text, wanted(of, count, among))?;
    if let Some(answer) = answer {
        let allowed = among.map(RoaringTreemap::len);
        let told = (hits.len(), answer.work.documents);
        let report = SearchReport::of_texts(name, told, allowed);
        context.provenance.note_search(of.span, report);
    }
    Ok(hits)
}

fn wanted<'a>(of: &Search, count: usize, among: Option<&'a RoaringTreemap>) -> Wanted<'a> {
    Wanted {
        count,
        exact: of.exact,
        among,
    }
}

/// Everything that fulfils the conditions; none if there are no conditions.
fn among<'a>(
    of: &Search,
    allowed: &'a mut Allowed,
    site: &mut Site<'_, '_>,
    row: &[Value],
) -> Result<Option<&'a RoaringTreemap>, Fault> {
    let Some(ops) = &of.among else {
        return Ok(None);
    };
    let now = match &of.among_depends_on {
        Some(slots) => Some(Asked::now(slots, site.context, row)?),
        None => None,
    };
    let same = allowed.asked.as_ref().zip(now.as_ref());
    if same.is_some_and(|(before, now)| before.is(now)) {
        return Ok(Some(&allowed.numbers));
    }
    *allowed = Allowed::default();
    let kind = kind_of(of);
    let mut run = Run::new(ops, row.len(), row.to_vec());
    while let Some(batch) = run.next(site.context)? {
        let found = batch.rows().map(|row| kind.number(&row[of.into.at()]));
        allowed.numbers.extend(found.flatten());
        site.charge_in_all(allowed.bytes())?;
    }
    allowed.asked = now;
    Ok(Some(&allowed.numbers))
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
