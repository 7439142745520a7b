//! Prints `SHOW`, and the commands about indexes and constraints.
//!
//! Next: `crate::split`.

use super::{filter, name, parameter, separated};
use crate::ast::{DeclaredOn, Drop, Identifier, Required, SchemaCommand, SchemaName, Show, Shown};
use std::fmt::{Formatter, Result};

pub(super) fn command(f: &mut Formatter<'_>, command: &SchemaCommand) -> Result {
    match command {
        SchemaCommand::CreateIndex(made) => {
            f.write_str("CREATE INDEX ")?;
            declared(f, made.name.as_ref(), made.if_not_exists, &made.on)?;
            f.write_str(" ON ")?;
            properties(f, &made.on.variable, &made.properties)?;
            super::optional(f, " OPTIONS ", made.options.as_ref())
        }
        SchemaCommand::CreateConstraint(made) => {
            f.write_str("CREATE CONSTRAINT ")?;
            declared(f, made.name.as_ref(), made.if_not_exists, &made.on)?;
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
    }
}

fn dropped(f: &mut Formatter<'_>, what: &str, drop: &Drop) -> Result {
    write!(f, "DROP {what} ")?;
    schema_name(f, &drop.name)?;
    f.write_str(if drop.if_exists { " IF EXISTS" } else { "" })
}

fn schema_name(f: &mut Formatter<'_>, of: &SchemaName) -> Result {
    match of {
        // FOR and IF would be taken for what follows a name that is not said.
        SchemaName::Static(of) => super::variable(f, &of.name),
        SchemaName::Parameter(of, _) => parameter(f, of),
    }
}

fn declared(
    f: &mut Formatter<'_>,
    of: Option<&SchemaName>,
    if_not_exists: bool,
    on: &DeclaredOn,
) -> Result {
    if let Some(of) = of {
        schema_name(f, of)?;
        f.write_str(" ")?;
    }
    f.write_str(if if_not_exists {
        "IF NOT EXISTS FOR "
    } else {
        "FOR "
    })?;
    f.write_str(if on.relationships { "()-[" } else { "(" })?;
    name(f, &on.variable)?;
    f.write_str(":")?;
    name(f, &on.name)?;
    f.write_str(if on.relationships { "]-()" } else { ")" })
}

fn properties(f: &mut Formatter<'_>, of: &Identifier, properties: &[Identifier]) -> Result {
    f.write_str("(")?;
    separated(f, properties, ", ", |f, property| {
        name(f, of)?;
        f.write_str(".")?;
        name(f, property)
    })?;
    f.write_str(")")
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
