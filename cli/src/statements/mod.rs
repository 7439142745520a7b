//! StratQL on the command line: what `query` and `repl` share.
//!
//! A [`Session`] runs statements over one database, in transactions of their own or in one that stays open.
//! A [`Printer`] shows their rows. Nothing here reads a terminal, and nothing here knows the language: it runs
//! what it is given.
//!
//! | what | where |
//! |---|---|
//! | a database, its open transaction, parameters and limits | `session.rs` |
//! | a text of several statements, one after the other | `script.rs` |
//! | parameters as they come from outside | `parameters.rs`, `literal.rs` |
//! | which form rows have | `format.rs` |
//! | the forms | `table.rs`, `csv.rs`, `json.rs` |
//! | one value in a table | `cell.rs` |
//! | the line after the rows | `told.rs` |
//!
//! Next: `session.rs`.

mod cell;
mod csv;
mod format;
mod json;
mod literal;
mod parameters;
mod script;
mod session;
mod table;
mod told;

pub(crate) use format::{Format, Layout, Printer, Shown};
pub(crate) use parameters::{add_json, named_value, value_of};
pub(crate) use script::{read_input, run_script};
pub(crate) use session::{Limits, Session};
pub(crate) use told::{outcome, took};
