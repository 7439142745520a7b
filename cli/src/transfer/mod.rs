//! Graphs as files that other programs write and read: CSV with headers as Neo4j's `admin import` has them, JSON
//! lines, statements.
//!
//! What the files are is the business of this folder; what a graph may hold is the engine's. An import is one bulk
//! load, whole or not at all. What an export has written an import takes, and it is the same graph then, up to ids.
//! Nothing here trusts a file, holds more of it than a record, or writes where it was not told to.
//!
//! | what | where |
//! |---|---|
//! | which files, in which order | `sources.rs`, `mapping.rs` |
//! | records of CSV and of JSON lines, their types and places | the crate `stratigraph-tables` |
//! | headers of CSV, and lines of JSON that say what they are | `header.rs`, `json_line.rs` |
//! | files that are open, and the headers of CSV | `files.rs`, `table.rs` |
//! | from records to nodes and relationships | `parts.rs`, `bring.rs`, `ids.rs` |
//! | what ends a transfer | `place.rs` |
//! | from a graph to text | `export` of the crate `stratigraph-tables` |
//! | where that text goes | `outlets.rs` |
//!
//! Next: `sources.rs`, then `bring.rs`.

mod bring;
mod files;
mod header;
mod ids;
mod json_line;
mod mapping;
mod outlets;
mod parts;
mod place;
mod sources;
mod table;

pub(crate) use bring::{Brought, SHOWN_BAD, Target, bring};
pub(crate) use files::{Files, Reading};
pub(crate) use outlets::{Folder, Text};
pub(crate) use place::TransferError;
pub(crate) use sources::gather;
pub(crate) use stratigraph_tables::Signs;
