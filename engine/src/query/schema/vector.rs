//! `CREATE VECTOR INDEX`.
//!
//! Next: `fulltext.rs`.

use super::command::Place;
use super::naming::{is_taken, latest, named, names};
use super::options::Options;
use super::refusal::refused;
use crate::catalog::Catalog;
use crate::database::VectorIndex;
use crate::error::Error;
use crate::query::counters::Counters;
use crate::query::error::{Detail, Fault, raise};
use stratigraph_query_lang::ast::{CreateVectorIndex, IndexedOn};
use stratigraph_vector::{Coding, IndexError, Metric};

pub(in crate::query::schema) const DIMENSIONS: &str = "vector.dimensions";
pub(in crate::query::schema) const SIMILARITY: &str = "vector.similarity_function";
pub(in crate::query::schema) const LINKS: &str = "vector.hnsw.m";
pub(in crate::query::schema) const BREADTH: &str = "vector.hnsw.ef_construction";
pub(in crate::query::schema) const QUANTIZED: &str = "vector.quantization.enabled";
pub(in crate::query::schema) const QUANTIZATION: &str = "vector.quantization.type";

const KNOWN: &[&str] = &[
    DIMENSIONS,
    SIMILARITY,
    LINKS,
    BREADTH,
    QUANTIZED,
    QUANTIZATION,
];

pub(in crate::query::schema) const METRICS: &[(&str, Metric)] = &[
    ("cosine", Metric::Cosine),
    ("euclidean", Metric::Euclidean),
    ("dot", Metric::Dot),
];

/// What walks read of a vector, if that is not the vector itself.
pub(in crate::query::schema) const CODINGS: &[(&str, Coding)] =
    &[("halves", Coding::Halves), ("bytes", Coding::Bytes)];

pub(super) fn create(place: &Place<'_>, wanted: &CreateVectorIndex) -> Result<Counters, Fault> {
    let database = place.database;
    let options = Options::read(place, wanted.options.as_ref(), KNOWN)?;
    let Some(dimensions) = options.count(DIMENSIONS)? else {
        let message = format!("a vector index needs `{DIMENSIONS}`");
        let hint = format!(
            "say how many numbers its vectors have: OPTIONS {{indexConfig: {{`{DIMENSIONS}`: 384}}}}"
        );
        return Err(raise(Detail::InvalidDeclaration, message)
            .hint(hint)
            .at(wanted.span));
    };
    let name = named(wanted.name.as_ref(), place.parameters)?;
    let mut index = on(&wanted.on, &wanted.property.name, dimensions)?;
    if let Some(metric) = options.word(SIMILARITY, METRICS)? {
        index = index.metric(metric);
    }
    if let Some(links) = options.count(LINKS)? {
        index = index.links(links);
    }
    if let Some(breadth) = options.count(BREADTH)? {
        index = index.breadth(breadth);
    }
    if let Some(coding) = coding(&options)? {
        index = index.coding(coding);
    }
    index = index.filterable(names(&wanted.filters));
    if let Some((name, _)) = &name {
        index = index.named(&**name);
        let other = |catalog: &Catalog| catalog.vector_index_named(name).is_none();
        if wanted.if_not_exists && is_taken(database, name, other)? {
            return Ok(Counters::default());
        }
    }
    if wanted.if_not_exists {
        index = index.if_missing();
    }
    let newest = |catalog: &Catalog| catalog.vector_indexes().map(|index| index.id).max();
    let before = latest(database, newest)?;
    let span = name.map_or(wanted.span, |(_, span)| span);
    let created = place.build(|database, watch| database.create_vector_index_watched(index, watch));
    created.map_err(|error| match setting_of(&error) {
        Some((key, message)) => options.bad(key, message),
        None => refused(error).at(span),
    })?;
    Ok(Counters {
        indexes_added: u64::from(latest(database, newest)? > before),
        ..Counters::default()
    })
}

/// The option that an index refuses, and why.
fn setting_of(error: &Error) -> Option<(&'static str, String)> {
    let Error::VectorIndex { source, .. } = error else {
        return None;
    };
    let IndexError::BadSetting {
        setting,
        value,
        wanted,
    } = &**source
    else {
        return None;
    };
    let key = match *setting {
        "dimensions" => DIMENSIONS,
        "links" => LINKS,
        "breadth" => BREADTH,
        _ => return None,
    };
    Some((key, format!("`{key}` is {value}, but must be {wanted}")))
}

fn coding(options: &Options<'_>) -> Result<Option<Coding>, Fault> {
    let coding = options.word(QUANTIZATION, CODINGS)?;
    match (options.truth(QUANTIZED)?, coding) {
        (Some(false), Some(_)) => {
            let message = format!("`{QUANTIZED}` is false, and `{QUANTIZATION}` says how");
            Err(options
                .bad(QUANTIZATION, message)
                .hint("leave one of the two out"))
        }
        (Some(false), None) => Ok(Some(Coding::Whole)),
        (_, coding) => Ok(coding),
    }
}

fn on(on: &IndexedOn, property: &str, dimensions: usize) -> Result<VectorIndex, Fault> {
    Ok(match (only_name(on)?, on.relationships) {
        (Some(label), false) => VectorIndex::on_nodes(label, property, dimensions),
        (Some(of), true) => VectorIndex::on_relationships(of, property, dimensions),
        (None, false) => VectorIndex::on_any_node(property, dimensions),
        (None, true) => VectorIndex::on_any_relationship(property, dimensions),
    })
}

/// The only label or type that an index is on; none if it is on any.
pub(super) fn only_name(on: &IndexedOn) -> Result<Option<&str>, Fault> {
    match on.names.as_slice() {
        [] => Ok(None),
        [name] => Ok(Some(&name.name)),
        _ => {
            let (what, any) = match on.relationships {
                false => ("labels", "(n)"),
                true => ("types", "()-[r]-()"),
            };
            let message = format!("an index cannot be on several {what} yet");
            let hint = format!("create one for each, or one on any: FOR {any}");
            let last = on.names.last().map_or(on.span, |name| name.span);
            let first = on.names.first().map_or(on.span, |name| name.span);
            Err(raise(Detail::NotSupported, message)
                .hint(hint)
                .at(first.to(last)))
        }
    }
}
