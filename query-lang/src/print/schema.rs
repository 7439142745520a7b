//! Prints `SHOW`, and the commands about indexes, constraints and hierarchies.
//!
//! Next: `crate::split`.

use super::{filter, name, parameter, separated};
use crate::ast::{
    Arrow, CreateHierarchy, DeclaredOn, Drop, Identifier, IndexedOn, Required, SchemaCommand,
    SchemaName, Show, Shown,
};
use std::fmt::{Formatter, Result};

pub(super) fn command(f: &mut Formatter<'_>, command: &SchemaCommand) -> Result {
    match command {
        SchemaCommand::CreateIndex(made) => {
            f.write_str("CREATE INDEX ")?;
            declared(f, made.name.as_ref(), made.if_not_exists)?;
            declared_on(f, &made.on)?;
            f.write_str(" ON ")?;
            properties(f, &made.on.variable, &made.properties)?;
            super::optional(f, " OPTIONS ", made.options.as_ref())
        }
        SchemaCommand::CreateVectorIndex(made) => {
            f.write_str("CREATE VECTOR INDEX ")?;
            declared(f, made.name.as_ref(), made.if_not_exists)?;
            indexed_on(f, &made.on)?;
            f.write_str(" ON ")?;
            properties(f, &made.on.variable, std::slice::from_ref(&made.property))?;
            if !made.filters.is_empty() {
                f.write_str(" WITH ")?;
                listed(f, &made.on.variable, &made.filters)?;
            }
            super::optional(f, " OPTIONS ", made.options.as_ref())
        }
        SchemaCommand::CreateFulltextIndex(made) => {
            f.write_str("CREATE FULLTEXT INDEX ")?;
            declared(f, made.name.as_ref(), made.if_not_exists)?;
            indexed_on(f, &made.on)?;
            f.write_str(" ON EACH ")?;
            listed(f, &made.on.variable, &made.properties)?;
            super::optional(f, " OPTIONS ", made.options.as_ref())
        }
        SchemaCommand::CreateHierarchy(made) => hierarchy(f, made),
        SchemaCommand::CreateConstraint(made) => {
            f.write_str("CREATE CONSTRAINT ")?;
            declared(f, made.name.as_ref(), made.if_not_exists)?;
            declared_on(f, &made.on)?;
            f.write_str(" REQUIRE ")?;
            properties(f, &made.on.variable, &made.properties)?;
            match &made.demand {
                Required::Unique => f.write_str(" IS UNIQUE"),
                Required::NotNull => f.write_str(" IS NOT NULL"),
                Required::Key => f.write_str(" IS KEY"),
                Required::Typed(words, _) => write!(f, " IS TYPED {words}"),
            }
        }
        SchemaCommand::DropIndex(drop) => dropped(f, "INDEX", drop),
        SchemaCommand::DropConstraint(drop) => dropped(f, "CONSTRAINT", drop),
        SchemaCommand::DropHierarchy(drop) => dropped(f, "HIERARCHY", drop),
    }
}

fn dropped(f: &mut Formatter<'_>, what: &str, drop: &Drop) -> Result {
    write!(f, "DROP {what} ")?;
    schema_name(f, &drop.name)?;
    f.write_str(if drop.if_exists { " IF EXISTS" } else { "" })
}

pub(super) fn schema_name(f: &mut Formatter<'_>, of: &SchemaName) -> Result {
    match of {
        // FOR and IF would be taken for what follows a name that is not said.
        SchemaName::Static(of) => super::variable(f, &of.name),
        SchemaName::Parameter(of, _) => parameter(f, of),
    }
}

fn hierarchy(f: &mut Formatter<'_>, made: &CreateHierarchy) -> Result {
    f.write_str("CREATE HIERARCHY ")?;
    declared(f, Some(&made.name), made.if_not_exists)?;
    let (before, after) = match made.arrow {
        Arrow::Left => ("()<-[:", "]-()"),
        _ => ("()-[:", "]->()"),
    };
    f.write_str(before)?;
    separated(f, &made.types, "|", name)?;
    f.write_str(after)?;
    f.write_str(if made.tree.is_some() { " AS TREE" } else { "" })
}

/// `name IF NOT EXISTS FOR `.
fn declared(f: &mut Formatter<'_>, of: Option<&SchemaName>, if_not_exists: bool) -> Result {
    if let Some(of) = of {
        schema_name(f, of)?;
        f.write_str(" ")?;
    }
    f.write_str(if if_not_exists {
        "IF NOT EXISTS FOR "
    } else {
        "FOR "
    })
}

fn declared_on(f: &mut Formatter<'_>, on: &DeclaredOn) -> Result {
    let names = std::slice::from_ref(&on.name);
    entities(f, on.relationships, &on.variable, names)
}

fn indexed_on(f: &mut Formatter<'_>, on: &IndexedOn) -> Result {
    entities(f, on.relationships, &on.variable, &on.names)
}

/// `(n:A|B)`, `()-[r:A|B]-()`.
fn entities(
    f: &mut Formatter<'_>,
    relationships: bool,
    variable: &Identifier,
    names: &[Identifier],
) -> Result {
    f.write_str(if relationships { "()-[" } else { "(" })?;
    name(f, variable)?;
    f.write_str(if names.is_empty() { "" } else { ":" })?;
    separated(f, names, "|", name)?;
    f.write_str(if relationships { "]-()" } else { ")" })
}

/// `(n.key, n.other)`.
fn properties(f: &mut Formatter<'_>, of: &Identifier, properties: &[Identifier]) -> Result {
    f.write_str("(")?;
    accesses(f, of, properties)?;
    f.write_str(")")
}

/// `[n.key, n.other]`.
fn listed(f: &mut Formatter<'_>, of: &Identifier, properties: &[Identifier]) -> Result {
    f.write_str("[")?;
    accesses(f, of, properties)?;
    f.write_str("]")
}

fn accesses(f: &mut Formatter<'_>, of: &Identifier, properties: &[Identifier]) -> Result {
    separated(f, properties, ", ", |f, property| {
        name(f, of)?;
        f.write_str(".")?;
        name(f, property)
    })
}

pub(super) fn show(f: &mut Formatter<'_>, show: &Show) -> Result {
    f.write_str(match show.what {
        Shown::Indexes => "SHOW INDEXES",
        Shown::VectorIndexes => "SHOW VECTOR INDEXES",
        Shown::FulltextIndexes => "SHOW FULLTEXT INDEXES",
        Shown::RangeIndexes => "SHOW RANGE INDEXES",
        Shown::Constraints => "SHOW CONSTRAINTS",
        Shown::Hierarchies => "SHOW HIERARCHIES",
        Shown::Functions => "SHOW FUNCTIONS",
        Shown::Procedures => "SHOW PROCEDURES",
    })?;
    if let Some(yields) = &show.yields {
        super::clause::yields(f, yields)?;
    }
    filter(f, show.filter.as_ref())
}
