//! Prints the clauses that change the graph.
//!
//! Next: `schema.rs`.

use super::expression::{Level, expression};
use super::{clause::clauses, expressions, name, pattern, separated, variable};
use crate::ast::{Clause, Expression, Identifier, LabelName, RemoveItem, SetItem};
use std::fmt::{Formatter, Result};

pub(super) fn clause(f: &mut Formatter<'_>, clause: &Clause) -> Result {
    match clause {
        Clause::Create(clause) => {
            f.write_str("CREATE ")?;
            separated(f, &clause.pattern.paths, ", ", pattern::path)
        }
        Clause::Merge(clause) => {
            write!(f, "MERGE {}", clause.path)?;
            for action in &clause.actions {
                let when = if action.on_create { "CREATE" } else { "MATCH" };
                write!(f, " ON {when} SET ")?;
                separated(f, &action.items, ", ", set_item)?;
            }
            Ok(())
        }
        Clause::Set(clause) => {
            f.write_str("SET ")?;
            separated(f, &clause.items, ", ", set_item)
        }
        Clause::Remove(clause) => {
            f.write_str("REMOVE ")?;
            separated(f, &clause.items, ", ", remove_item)
        }
        Clause::Delete(clause) => {
            f.write_str(if clause.detach {
                "DETACH DELETE "
            } else {
                "DELETE "
            })?;
            expressions(f, &clause.items)
        }
        Clause::Foreach(clause) => {
            f.write_str("FOREACH (")?;
            name(f, &clause.variable)?;
            write!(f, " IN {} | ", clause.list)?;
            clauses(f, &clause.body)?;
            f.write_str(")")
        }
        // The clauses that read are printed where this was called from.
        _ => Ok(()),
    }
}

fn property(f: &mut Formatter<'_>, of: &Expression, key: &Identifier) -> Result {
    expression(f, of, Level::Postfix)?;
    f.write_str(".")?;
    name(f, key)
}

fn dynamic_property(f: &mut Formatter<'_>, of: &Expression, key: &Expression) -> Result {
    expression(f, of, Level::Postfix)?;
    write!(f, "[{key}]")
}

fn set_item(f: &mut Formatter<'_>, item: &SetItem) -> Result {
    match item {
        SetItem::Property { of, key, value } => {
            property(f, of, key)?;
            write!(f, " = {value}")
        }
        SetItem::DynamicProperty { of, key, value } => {
            dynamic_property(f, of, key)?;
            write!(f, " = {value}")
        }
        SetItem::Replace {
            variable: of,
            value,
        } => {
            variable(f, &of.name)?;
            write!(f, " = {value}")
        }
        SetItem::Add {
            variable: of,
            value,
        } => {
            variable(f, &of.name)?;
            write!(f, " += {value}")
        }
        SetItem::Labels {
            variable, labels, ..
        } => label_names(f, variable, labels),
    }
}

fn remove_item(f: &mut Formatter<'_>, item: &RemoveItem) -> Result {
    match item {
        RemoveItem::Property { of, key } => property(f, of, key),
        RemoveItem::DynamicProperty { of, key } => dynamic_property(f, of, key),
        RemoveItem::Labels {
            variable, labels, ..
        } => label_names(f, variable, labels),
    }
}

fn label_names(f: &mut Formatter<'_>, of: &Identifier, labels: &[LabelName]) -> Result {
    variable(f, &of.name)?;
    for label in labels {
        match label {
            LabelName::Static(label) => {
                f.write_str(":")?;
                name(f, label)?;
            }
            LabelName::Dynamic(expression) => write!(f, ":$({expression})")?,
        }
    }
    Ok(())
}
