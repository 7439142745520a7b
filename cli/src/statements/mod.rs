//! StratQL on the command line: what `query` and `repl` share.
//!
//! A [`Session`] runs statements over one database, in transactions of their own or in one that stays open. Where
//! that database is, only its [`Place`] knows. A [`Printer`] shows their rows. Nothing here reads a terminal, and
//! nothing here knows the language: it runs what it is given.
//!
//! | what | where |
//! |---|---|
//! | what a place must be able to do, and the one that is a folder; the other one is in `remote/` | `place.rs`, `folder.rs` |
//! | the names that a database knows, and what is said of those that it does not | `names.rs`, `unknown.rs` |
//! | a bar while what was declared is made ready | `building.rs` |
//! | parameters, limits and the open transaction of a conversation | `session.rs` |
//! | a text of several statements, one after the other | `script.rs` |
//! | parameters as they come from outside | `parameters.rs`, `literal.rs` |
//! | which form rows have | `format.rs` |
//! | the forms | `table.rs`, `csv.rs`, `json.rs` |
//! | one value in a table | `cell.rs` |
//! | the line after the rows | `footer.rs` |
//!
//! Next: `place.rs`.

mod building;
mod cell;
mod csv;
mod folder;
mod footer;
mod format;
mod json;
mod literal;
mod names;
mod parameters;
mod place;
mod script;
mod session;
mod table;
mod unknown;

pub(crate) use building::{Building, UNDER_WAY, building};
pub(crate) use cell::{cut as cut_to, text as cell_text, width as width_of};
pub(crate) use folder::Folder;
pub(crate) use footer::{outcome, took};
pub(crate) use format::{Format, Layout, Out, Printer, Shown};
pub(crate) use names::{Names, counts};
pub(crate) use parameters::{add_json, named_value, value_of};
pub(crate) use place::{Answer, Asked, Operator, Place, Take, Told, Work};
pub(crate) use script::{read_input, run_script};
pub(crate) use session::{IDLE, Limits, Session, TOTAL};
