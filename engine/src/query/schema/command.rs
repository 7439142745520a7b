//! `CREATE` and `DROP` of indexes and constraints.
//!
//! They are no part of a transaction: each returns when what it declared is ready, and is durable then.
//!
//! Next: `typed.rs`.

use super::refusal::refused;
use super::typed::kind_of;
use crate::catalog::{Catalog, SchemaId};
use crate::database::{Constraint, Database, Index};
use crate::error::Error;
use crate::graph::Read as _;
use crate::query::counters::Counters;
use crate::query::error::{Detail, Fault, raise};
use crate::query::functions::operators::with_article;
use crate::query::parameters::Parameters;
use crate::value::Value;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    CreateConstraint, CreateFulltextIndex, CreateHierarchy, CreateIndex, CreateVectorIndex,
    DeclaredOn, Drop, Expression, ExpressionKind, Identifier, Required, SchemaCommand, SchemaName,
};

/// Runs a command, and says what it changed.
pub(crate) fn run(
    database: &Database,
    command: &SchemaCommand,
    parameters: &Parameters,
) -> Result<Counters, Fault> {
    match command {
        SchemaCommand::CreateIndex(wanted) => create_index(database, wanted, parameters),
        SchemaCommand::CreateConstraint(wanted) => create_constraint(database, wanted, parameters),
        SchemaCommand::DropIndex(unwanted) => drop_index(database, unwanted, parameters),
        SchemaCommand::DropConstraint(unwanted) => drop_constraint(database, unwanted, parameters),
        SchemaCommand::CreateVectorIndex(CreateVectorIndex { span, .. })
        | SchemaCommand::CreateFulltextIndex(CreateFulltextIndex { span, .. })
        | SchemaCommand::CreateHierarchy(CreateHierarchy { span, .. })
        | SchemaCommand::DropHierarchy(Drop { span, .. }) => {
            let fault = raise(Detail::NotSupported, "the language cannot declare this yet");
            Err(fault.hint("use the program's own interface").at(*span))
        }
    }
}

fn create_index(
    database: &Database,
    wanted: &CreateIndex,
    parameters: &Parameters,
) -> Result<Counters, Fault> {
    check_options(wanted.options.as_ref())?;
    let on = String::from(&*wanted.on.name.name);
    let properties = names(&wanted.properties);
    let mut index = match wanted.on.relationships {
        false => Index::on_nodes(on, properties),
        true => Index::on_relationships(on, properties),
    };
    let place = named(wanted.name.as_ref(), parameters)?;
    if let Some((name, _)) = &place {
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
    let span = place.map_or(wanted.span, |(_, span)| span);
    let created = database.create_index(index);
    created.map_err(|error| refused(error).at(span))?;
    let after = latest(database, latest_index)?;
    Ok(Counters {
        indexes_added: u64::from(after > before),
        ..Counters::default()
    })
}

fn create_constraint(
    database: &Database,
    wanted: &CreateConstraint,
    parameters: &Parameters,
) -> Result<Counters, Fault> {
    let mut constraint = demanded(wanted)?;
    let place = named(wanted.name.as_ref(), parameters)?;
    if let Some((name, _)) = &place {
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
    let span = place.map_or(wanted.span, |(_, span)| span);
    let created = database.create_constraint(constraint);
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

/// Whether a name belongs to something of another kind: `IF NOT EXISTS` leaves everything as it is then, since
/// all that is declared shares one set of names.
fn is_taken(
    database: &Database,
    name: &str,
    other: impl Fn(&Catalog) -> bool,
) -> Result<bool, Fault> {
    let read = database.read()?;
    Ok(read.catalog().is_taken(name) && other(read.catalog()))
}

/// The number of the latest declaration that is picked: numbers only rise, so a higher one tells that
/// something came.
fn latest(
    database: &Database,
    pick: impl Fn(&Catalog) -> Option<SchemaId>,
) -> Result<Option<SchemaId>, Fault> {
    let read = database.read()?;
    Ok(pick(read.catalog()))
}

fn latest_index(catalog: &Catalog) -> Option<SchemaId> {
    catalog.indexes().map(|index| index.id).max()
}

fn latest_constraint(catalog: &Catalog) -> Option<SchemaId> {
    catalog.constraints().map(|constraint| constraint.id).max()
}

fn names(identifiers: &[Identifier]) -> Vec<String> {
    let identifiers = identifiers.iter();
    identifiers.map(|one| one.name.to_string()).collect()
}

fn named(
    name: Option<&SchemaName>,
    parameters: &Parameters,
) -> Result<Option<(Arc<str>, Span)>, Fault> {
    name.map(|name| name_of(name, parameters)).transpose()
}

/// A name that is written or a parameter, and its place.
fn name_of(name: &SchemaName, parameters: &Parameters) -> Result<(Arc<str>, Span), Fault> {
    match name {
        SchemaName::Static(name) => Ok((Arc::clone(&name.name), name.span)),
        SchemaName::Parameter(parameter, span) => {
            match parameters
                .needed(parameter)
                .map_err(|fault| fault.at(*span))?
            {
                Value::String(name) => Ok((Arc::clone(name), *span)),
                other => {
                    let kind = with_article(other.kind());
                    let message = format!("${parameter} is {kind}, and a name is a string");
                    Err(raise(Detail::InvalidArgumentType, message).at(*span))
                }
            }
        }
    }
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
