//! What declarations are called, and whether something new came.
//!
//! Next: `typed.rs`.

use crate::catalog::{Catalog, SchemaId};
use crate::database::Database;
use crate::graph::Read as _;
use crate::query::error::{Detail, Fault, raise};
use crate::query::functions::operators::with_article;
use crate::query::parameters::Parameters;
use crate::value::Value;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{Identifier, SchemaName};

/// Whether a name belongs to something of another kind: `IF NOT EXISTS` leaves everything as it is then, since
/// all that is declared shares one set of names.
pub(super) fn is_taken(
    database: &Database,
    name: &str,
    other: impl Fn(&Catalog) -> bool,
) -> Result<bool, Fault> {
    let read = database.read()?;
    Ok(read.catalog().is_taken(name) && other(read.catalog()))
}

/// The number of the latest declaration that is picked: numbers only rise, so a higher one tells that
/// something came.
pub(super) fn latest(
    database: &Database,
    pick: impl Fn(&Catalog) -> Option<SchemaId>,
) -> Result<Option<SchemaId>, Fault> {
    let read = database.read()?;
    Ok(pick(read.catalog()))
}

pub(super) fn names(identifiers: &[Identifier]) -> Vec<String> {
    let identifiers = identifiers.iter();
    identifiers.map(|one| one.name.to_string()).collect()
}

pub(super) fn named(
    name: Option<&SchemaName>,
    parameters: &Parameters,
) -> Result<Option<(Arc<str>, Span)>, Fault> {
    name.map(|name| name_of(name, parameters)).transpose()
}

/// A name that is written or a parameter, and its place.
pub(super) fn name_of(
    name: &SchemaName,
    parameters: &Parameters,
) -> Result<(Arc<str>, Span), Fault> {
    match name {
        SchemaName::Static(name) => Ok((Arc::clone(&name.name), name.span)),
        SchemaName::Parameter(parameter, span) => match parameters.get(parameter) {
            Some(Value::String(name)) => Ok((Arc::clone(name), *span)),
            Some(other) => {
                let kind = with_article(other.kind());
                let message = format!("${parameter} is {kind}, and a name is a string");
                Err(raise(Detail::InvalidArgumentType, message).at(*span))
            }
            None => {
                let message = format!("the parameter ${parameter} was not given");
                Err(raise(Detail::MissingParameter, message).at(*span))
            }
        },
    }
}
