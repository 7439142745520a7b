//! `CREATE FULLTEXT INDEX`.
//!
//! Next: `hierarchy.rs`.

use super::command::Place;
use super::naming::{is_taken, latest, named, names};
use super::options::Options;
use super::refusal::refused;
use super::vector::only_name;
use crate::catalog::Catalog;
use crate::database::TextIndex;
use crate::index::text::Analysis;
use crate::query::counters::Counters;
use crate::query::error::Fault;
use stratigraph_query_lang::ast::CreateFulltextIndex;

pub(in crate::query::schema) const ANALYZER: &str = "fulltext.analyzer";
/// What others may put off: here a search sees every commit, whatever is said.
const CONSISTENCY: &str = "fulltext.eventually_consistent";

/// How text becomes terms: the first name of each is the one that is shown, the others are Neo4j's.
pub(in crate::query::schema) const ANALYZERS: &[(&str, Analysis)] = &[
    ("english", Analysis::English),
    ("plain", Analysis::Plain),
    ("italian", Analysis::Italian),
    ("chinese", Analysis::Chinese),
    ("standard", Analysis::Plain),
    ("standard-no-stop-words", Analysis::Plain),
    ("simple", Analysis::Plain),
    ("cjk", Analysis::Chinese),
];

pub(super) fn create(place: &Place<'_>, wanted: &CreateFulltextIndex) -> Result<Counters, Fault> {
    let database = place.database;
    let options = Options::read(place, wanted.options.as_ref(), &[ANALYZER, CONSISTENCY])?;
    options.truth(CONSISTENCY)?;
    let name = named(wanted.name.as_ref(), place.parameters)?;
    let properties = names(&wanted.properties);
    let mut index = match (only_name(&wanted.on)?, wanted.on.relationships) {
        (Some(label), false) => TextIndex::on_nodes(label, properties),
        (Some(of), true) => TextIndex::on_relationships(of, properties),
        (None, false) => TextIndex::on_any_node(properties),
        (None, true) => TextIndex::on_any_relationship(properties),
    };
    if let Some(analysis) = options.word(ANALYZER, ANALYZERS)? {
        index = index.analysis(analysis);
    }
    if let Some((name, _)) = &name {
        index = index.named(&**name);
        let other = |catalog: &Catalog| catalog.text_index_named(name).is_none();
        if wanted.if_not_exists && is_taken(database, name, other)? {
            return Ok(Counters::default());
        }
    }
    if wanted.if_not_exists {
        index = index.if_missing();
    }
    let newest = |catalog: &Catalog| catalog.text_indexes().map(|index| index.id).max();
    let before = latest(database, newest)?;
    let span = name.map_or(wanted.span, |(_, span)| span);
    let created = place.build(|database, watch| database.create_text_index_watched(index, watch));
    created.map_err(|error| refused(error).at(span))?;
    Ok(Counters {
        indexes_added: u64::from(latest(database, newest)? > before),
        ..Counters::default()
    })
}
