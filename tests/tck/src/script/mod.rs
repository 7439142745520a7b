//! Scripts: cases in plain text, and the examples of a document, with what each query must give.
//!
//! `text.rs` reads `.test` files, `document.rs` reads Markdown; both make the same cases. `attempt.rs` runs
//! a case, `rewrite.rs` writes expectations anew. The format is described in `tests/scripts/README.md`. It
//! must never accept a section that it does not know, and never pass a query that states nothing.
//!
//! Next: `text.rs`.

pub mod attempt;
pub mod document;
pub mod rewrite;
pub mod table;
pub mod text;

use crate::cell::Cell;
use crate::effects::Effects;
use crate::scenario::Rows;
use std::ops::Range;

/// Queries on one database, in order.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Its title.
    pub name: String,
    /// The line of its title, from 1.
    pub line: usize,
    /// What is done to the database before it, by its file.
    pub before: Vec<Statement>,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A text to run, and where it stands.
#[derive(Clone, Debug, Default)]
pub struct Statement {
    /// The text.
    pub text: String,
    /// Its first line in the file, from 1.
    pub line: usize,
}

/// One step of a case.
#[derive(Clone, Debug)]
pub enum Step {
    /// Something that only has to work.
    Setup(Statement),
    /// Something that is judged.
    Query(Query),
}

/// A query and what it must give.
#[derive(Clone, Debug)]
pub struct Query {
    /// What is run.
    pub statement: Statement,
    /// Its parameters.
    pub parameters: Vec<(String, Cell)>,
    /// What it must give; `None` if that is not stated yet.
    pub outcome: Option<Outcome>,
    /// What it must do to the graph; `None` if that does not count.
    pub effects: Option<Effects>,
    /// What the engine must say that it changed; `None` if that is not stated.
    pub counters: Option<String>,
    /// The lines, from 0, that state the outcome and the effects: those that `--accept` replaces.
    pub stated: Range<usize>,
    /// How they are written.
    pub form: Form,
}

/// What a query must give.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Rows.
    Rows(Rows),
    /// An error: its words in the first line, and if more lines follow, all that is shown of it.
    Error(String),
    /// Anything but an error.
    Anything,
}

/// How an expectation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In sections.
    Sections,
    /// In Markdown.
    Document,
}
