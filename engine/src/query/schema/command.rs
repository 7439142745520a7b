//! `CREATE` and `DROP` of indexes and constraints.
//!
//! They are no part of a transaction: each returns when what it declared is ready, and is durable then.
//!
//! Next: `naming.rs`.

use super::naming::{is_taken, latest, name_of, named, names};
use super::refusal::refused;
use super::typed::kind_of;
use super::{fulltext, hierarchy, vector};
use crate::catalog::{Catalog, SchemaId};
use crate::database::{Constraint, Database, Index};
use crate::error::Error;
use crate::graph::Read as _;
use crate::query::counters::Counters;
use crate::query::error::{Detail, Fault, raise};
use crate::query::options::QueryOptions;
use crate::query::parameters::Parameters;
use crate::storage::cancel::{Progress, Watch};
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    CreateConstraint, CreateIndex, DeclaredOn, Drop, Expression, ExpressionKind, Required,
    SchemaCommand,
};

/// Where a command is run.
pub(crate) struct Place<'a> {
    pub(crate) database: &'a Database,
    pub(crate) text: &'a str,
    pub(crate) parameters: &'a Parameters,
    pub(crate) options: &'a QueryOptions,
}

impl Place<'_> {
    /// Builds something, until it is ready or somebody cancels the statement.
    pub(super) fn build<T>(
        &self,
        work: impl FnOnce(&Database, &mut Watch<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        // What other threads build may be ready before anybody asks again whether it is still wanted.
        self.options.cancel.check()?;
        let mut nobody = |_: Progress<'_>| {};
        let mut watch = Watch::new(&mut nobody, self.options.cancel.clone());
        work(self.database, &mut watch)
    }
}

/// Runs a command, and says what it changed.
pub(crate) fn run(place: &Place<'_>, command: &SchemaCommand) -> Result<Counters, Fault> {
    let (database, parameters) = (place.database, place.parameters);
    match command {
        SchemaCommand::CreateIndex(wanted) => create_index(place, wanted),
        SchemaCommand::CreateConstraint(wanted) => create_constraint(place, wanted),
        SchemaCommand::DropIndex(unwanted) => drop_index(database, unwanted, parameters),
        SchemaCommand::DropConstraint(unwanted) => drop_constraint(database, unwanted, parameters),
        SchemaCommand::CreateVectorIndex(wanted) => vector::create(place, wanted),
        SchemaCommand::CreateFulltextIndex(wanted) => fulltext::create(place, wanted),
        SchemaCommand::CreateHierarchy(wanted) => hierarchy::create(place, wanted),
        SchemaCommand::DropHierarchy(unwanted) => hierarchy::drop(place, unwanted),
    }
}

fn create_index(place: &Place<'_>, wanted: &CreateIndex) -> Result<Counters, Fault> {
    let database = place.database;
    check_options(wanted.options.as_ref())?;
    let on = String::from(&*wanted.on.name.name);
    let properties = names(&wanted.properties);
    let mut index = match wanted.on.relationships {
        false => Index::on_nodes(on, properties),
        true => Index::on_relationships(on, properties),
    };
    let name = named(wanted.name.as_ref(), place.parameters)?;
    if let Some((name, _)) = &name {
        index = index.named(&**name);
        let other = |catalog: &Catalog| catalog.index_named(name).is_none();
        if wanted.if_not_exists && is_taken(database, name, other)? {
            return Ok(Counters::default());
        }
    }
    if wanted.if_not_exists {
        index = index.if_missing();
    }
    let before = latest(database, latest_index)?;
    let span = name.map_or(wanted.span, |(_, span)| span);
    let created = place.build(|database, watch| database.create_index_watched(index, watch));
    created.map_err(|error| refused(error).at(span))?;
    let after = latest(database, latest_index)?;
    Ok(Counters {
        indexes_added: u64::from(after > before),
        ..Counters::default()
    })
}

fn create_constraint(place: &Place<'_>, wanted: &CreateConstraint) -> Result<Counters, Fault> {
    let database = place.database;
    let mut constraint = demanded(wanted)?;
    let name = named(wanted.name.as_ref(), place.parameters)?;
    if let Some((name, _)) = &name {
        constraint = constraint.named(&**name);
        let other = |catalog: &Catalog| catalog.constraint_named(name).is_none();
        if wanted.if_not_exists && is_taken(database, name, other)? {
            return Ok(Counters::default());
        }
    }
    if wanted.if_not_exists {
        constraint = constraint.if_missing();
    }
    let before = latest(database, latest_constraint)?;
    let span = name.map_or(wanted.span, |(_, span)| span);
    let created =
        place.build(|database, watch| database.create_constraint_watched(constraint, watch));
    created.map_err(|error| refused(error).at(span))?;
    let after = latest(database, latest_constraint)?;
    Ok(Counters {
        constraints_added: u64::from(after > before),
        ..Counters::default()
    })
}

fn demanded(wanted: &CreateConstraint) -> Result<Constraint, Fault> {
    let DeclaredOn {
        relationships,
        name,
        ..
    } = &wanted.on;
    let on = match relationships {
        false => Constraint::on_nodes(&*name.name),
        true => Constraint::on_relationships(&*name.name),
    };
    let single = || match wanted.properties.as_slice() {
        [property] => Ok(&*property.name),
        _ => {
            let message = "only IS UNIQUE and IS KEY can be on several properties together";
            let fault = raise(Detail::InvalidDeclaration, message);
            Err(fault
                .hint("create a constraint for each property")
                .at(wanted.span))
        }
    };
    Ok(match &wanted.demand {
        Required::Unique => on.unique(names(&wanted.properties)),
        Required::Key => on.key(names(&wanted.properties)),
        Required::NotNull => on.exists(single()?),
        Required::Typed(words, span) => {
            let kind = kind_of(words).ok_or_else(|| {
                let message = format!("a constraint cannot demand the type {words}");
                let hint = "demand one type: BOOLEAN, INTEGER, FLOAT, STRING, BYTES, DATE, ZONED TIME, LOCAL TIME, \
                            ZONED DATETIME, LOCAL DATETIME, DURATION, LIST or VECTOR";
                raise(Detail::InvalidDeclaration, message).hint(hint).at(*span)
            })?;
            on.kind(single()?, kind)
        }
    })
}

fn drop_index(
    database: &Database,
    unwanted: &Drop,
    parameters: &Parameters,
) -> Result<Counters, Fault> {
    let (name, span) = name_of(&unwanted.name, parameters)?;
    let read = database.read()?;
    let catalog = read.catalog();
    let dropped = if catalog.vector_index_named(&name).is_some() {
        database.drop_vector_index(&name)
    } else if catalog.text_index_named(&name).is_some() {
        database.drop_text_index(&name)
    } else {
        database.drop_index(&name)
    };
    Ok(Counters {
        indexes_removed: u64::from(was_there(dropped, unwanted, span)?),
        ..Counters::default()
    })
}

fn drop_constraint(
    database: &Database,
    unwanted: &Drop,
    parameters: &Parameters,
) -> Result<Counters, Fault> {
    let (name, span) = name_of(&unwanted.name, parameters)?;
    let dropped = database.drop_constraint(&name);
    Ok(Counters {
        constraints_removed: u64::from(was_there(dropped, unwanted, span)?),
        ..Counters::default()
    })
}

/// Whether something was dropped; what is not there is no mistake with `IF EXISTS`.
fn was_there(dropped: Result<(), Error>, unwanted: &Drop, span: Span) -> Result<bool, Fault> {
    match dropped {
        Ok(()) => Ok(true),
        Err(Error::UnknownName { .. }) if unwanted.if_exists => Ok(false),
        Err(error) => Err(refused(error).at(span)),
    }
}

fn latest_index(catalog: &Catalog) -> Option<SchemaId> {
    catalog.indexes().map(|index| index.id).max()
}

fn latest_constraint(catalog: &Catalog) -> Option<SchemaId> {
    catalog.constraints().map(|constraint| constraint.id).max()
}

/// Property indexes have no options; what other engines write there to name their provider is let through.
fn check_options(options: Option<&Expression>) -> Result<(), Fault> {
    let Some(options) = options else {
        return Ok(());
    };
    let bad = |span: Span| {
        let fault = raise(
            Detail::InvalidDeclaration,
            "an index of properties has no such option",
        );
        Err(fault.hint("leave OPTIONS out").at(span))
    };
    let ExpressionKind::Map(entries) = &options.kind else {
        return bad(options.span);
    };
    for (key, value) in entries {
        let is_empty = matches!(&value.kind, ExpressionKind::Map(inner) if inner.is_empty());
        match &*key.name {
            "indexProvider" => {}
            "indexConfig" if is_empty => {}
            _ => return bad(key.span),
        }
    }
    Ok(())
}
