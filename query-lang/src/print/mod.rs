//! From the tree back to text.
//!
//! What is printed parses to the same tree, places aside, if the tree is one that a text has. Parentheses
//! stand only where they are needed, keywords are in capitals. Where a tree is nearly as deep as is allowed,
//! parentheses that its text did without may make the print too deep.
//!
//! | what | where |
//! |---|---|
//! | names, lists | here |
//! | expressions | `expression.rs`, `bracket.rs` |
//! | patterns | `pattern.rs` |
//! | clauses | `clause.rs`, `search.rs`, `write.rs` |
//! | indexes, constraints, hierarchies | `schema.rs` |
//!
//! Next: `expression.rs`.

mod bracket;
mod clause;
mod expression;
mod pattern;
mod schema;
mod search;
mod write;

use crate::ast::{
    Body, Expression, Identifier, LabelExpression, Mode, PathPattern, Query, Statement,
};
use crate::lex::Keyword;
use expression::Level;
use std::borrow::Cow;
use std::fmt::{Display, Formatter, Result, Write};
use unicode_ident::{is_xid_continue, is_xid_start};

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.mode {
            Mode::Run => {}
            Mode::Explain => f.write_str("EXPLAIN ")?,
            Mode::Profile => f.write_str("PROFILE ")?,
        }
        match &self.body {
            Body::Query(query) => clause::query(f, query),
            Body::Schema(command) => schema::command(f, command),
        }
    }
}

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        clause::query(f, self)
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        expression::expression(f, self, Level::Or)
    }
}

impl Display for PathPattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        pattern::path(f, self)
    }
}

impl Display for LabelExpression {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        pattern::labels(f, self, pattern::Labels::Or)
    }
}

/// `items` with `between` between two.
fn separated<T>(
    f: &mut Formatter<'_>,
    items: &[T],
    between: &str,
    mut print: impl FnMut(&mut Formatter<'_>, &T) -> Result,
) -> Result {
    for (number, item) in items.iter().enumerate() {
        if number > 0 {
            f.write_str(between)?;
        }
        print(f, item)?;
    }
    Ok(())
}

/// `a, b`.
fn expressions(f: &mut Formatter<'_>, items: &[Expression]) -> Result {
    separated(f, items, ", ", |f, item| write!(f, "{item}"))
}

/// ` WHERE filter`.
fn filter(f: &mut Formatter<'_>, filter: Option<&Expression>) -> Result {
    optional(f, " WHERE ", filter)
}

/// `before` and the expression, if there is one.
fn optional(f: &mut Formatter<'_>, before: &str, expression: Option<&Expression>) -> Result {
    match expression {
        Some(expression) => write!(f, "{before}{expression}"),
        None => Ok(()),
    }
}

/// ` AS name`.
fn alias(f: &mut Formatter<'_>, alias: Option<&Identifier>) -> Result {
    match alias {
        Some(alias) => {
            f.write_str(" AS ")?;
            name(f, alias)
        }
        None => Ok(()),
    }
}

/// A name where no keyword is looked for.
fn name(f: &mut Formatter<'_>, name: &Identifier) -> Result {
    name_text(f, &name.name)
}

fn name_text(f: &mut Formatter<'_>, name: &str) -> Result {
    f.write_str(&written_name(name))
}

/// Names with dots between them.
fn full_name(f: &mut Formatter<'_>, parts: &[Identifier]) -> Result {
    separated(f, parts, ".", name)
}

/// A name where a keyword could be meant.
fn variable(f: &mut Formatter<'_>, name: &str) -> Result {
    let safe = match Keyword::of(name) {
        None => is_plain(name),
        Some(keyword) => matches!(
            keyword,
            Keyword::Node
                | Keyword::Relationship
                | Keyword::Path
                | Keyword::Paths
                | Keyword::Row
                | Keyword::Rows
                | Keyword::Key
                | Keyword::Index
                | Keyword::Group
                | Keyword::Groups
                | Keyword::Status
                | Keyword::Error
                | Keyword::Range
                | Keyword::Vector
                | Keyword::Budget
                | Keyword::Candidates
                | Keyword::Each
                | Keyword::Edges
                | Keyword::Emit
                | Keyword::Exact
                | Keyword::Exceed
                | Keyword::From
                | Keyword::Keep
                | Keyword::Kept
                | Keyword::Levels
                | Keyword::Milliseconds
                | Keyword::Nodes
                | Keyword::Parent
                | Keyword::Per
                | Keyword::Recover
                | Keyword::Score
                | Keyword::Search
                | Keyword::Step
                | Keyword::Stop
                | Keyword::Top
                | Keyword::Traverse
                | Keyword::Tree
                | Keyword::Unfiltered
        ),
    };
    if safe {
        f.write_str(name)
    } else {
        quoted(f, name)
    }
}

/// The name of a function, namespaces first.
fn function(f: &mut Formatter<'_>, parts: &[Identifier]) -> Result {
    let [first, rest @ ..] = parts else {
        return Ok(());
    };
    match Keyword::of(&first.name) {
        Some(Keyword::Count | Keyword::Collect | Keyword::Exists) => name(f, first)?,
        _ => variable(f, &first.name)?,
    }
    for part in rest {
        f.write_char('.')?;
        name(f, part)?;
    }
    Ok(())
}

/// Whether a name needs no quotes.
fn is_plain(name: &str) -> bool {
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|first| first == '_' || is_xid_start(first))
        && characters.all(is_xid_continue)
}

/// A name in backquotes, as statements take any name anywhere.
///
/// Whoever puts a name into the text of a statement writes it so: backquotes and backslashes mean something between
/// backquotes, and a name may hold both.
///
/// ```
/// use stratigraph_query_lang::quoted_name;
///
/// assert_eq!(quoted_name("Person"), "`Person`");
/// assert_eq!(quoted_name(r"a`b\"), r"`a``b\\`");
/// ```
#[must_use]
pub fn quoted_name(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    // Writing to a string cannot fail.
    let _ = quoted(&mut text, name);
    text
}

/// The name of a label, a type, a property or a key: as it is, or in backquotes if it has to be.
///
/// A variable may need quotes where these do not: keywords are looked for in its place.
///
/// ```
/// use stratigraph_query_lang::written_name;
///
/// assert_eq!(written_name("Person"), "Person");
/// assert_eq!(written_name("Two words"), "`Two words`");
/// ```
#[must_use]
pub fn written_name(name: &str) -> Cow<'_, str> {
    match is_plain(name) {
        true => name.into(),
        false => quoted_name(name).into(),
    }
}

fn quoted(out: &mut impl Write, name: &str) -> Result {
    out.write_char('`')?;
    for character in name.chars() {
        match character {
            '`' => out.write_str("``")?,
            '\\' => out.write_str("\\\\")?,
            _ => out.write_char(character)?,
        }
    }
    out.write_char('`')
}

/// `$name`.
fn parameter(f: &mut Formatter<'_>, name: &str) -> Result {
    f.write_char('$')?;
    if !name.is_empty() && name.chars().all(is_xid_continue) {
        f.write_str(name)
    } else {
        quoted(f, name)
    }
}

/// A string in single quotes.
fn string(f: &mut Formatter<'_>, text: &str) -> Result {
    f.write_char('\'')?;
    for character in text.chars() {
        match character {
            '\'' => f.write_str("\\'")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            control if control.is_control() => write!(f, "\\u{:04X}", u32::from(control))?,
            _ => f.write_char(character)?,
        }
    }
    f.write_char('\'')
}
