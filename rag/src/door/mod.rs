//! The doors: whoever has opened a database takes documents in, and out, whichever way they come.
//!
//! ```text
//! CALL rag.upsertDocument ──┐
//! gRPC RagService ──────────┼──> Library: the recipe that the database was built by ──> Ingest ──> Layers
//! stratigraph ingest ───────┘    the models that the process was started with
//! ```
//! A [`Library`] is a database with the [`Equipment`] of the process that opened it: whose vectors, which model
//! reads, who parses PDF. [`Library::create`] decides once what is made of documents; after that the database
//! itself says so, and every door does the same: what comes in is the same graph, byte for byte.
//!
//! | what | where |
//! |---|---|
//! | models of a process | `equipment.rs`, `recent.rs` |
//! | a database that is opened with them | `library.rs`, `wanted.rs` |
//! | whether the embedder can read what comes | `fitting.rs` |
//! | documents as they come | `incoming.rs` |
//! | tables as they come | `tables.rs` |
//! | questions and answers | `ask.rs` |
//! | declared queries | `routes.rs` |
//! | which names may mean the same | `naming.rs` |
//! | summaries that are stale are made anew | `resummarise.rs`, `unwritten.rs`, `subject.rs` |
//! | `CALL rag.…` | `procedures/` |
//! | why not | `error.rs` |
//!
//! ```
//! use stratigraph::Database;
//! use stratigraph_rag::door::{Equipment, Library};
//!
//! let db = Database::in_memory()?;
//! Library::new(&db, Equipment::default()).register()?;
//! db.query("CALL rag.createLayers('bag')", ())?;
//! let rows = db.query(
//!     "CALL rag.upsertDocument({id: 'rocks.md', content: '# Rocks\n\nBasalt comes from Etna.'}) YIELD pieces",
//!     (),
//! )?;
//! assert_eq!(rows.map(|row| row.unwrap().get::<i64>("pieces").unwrap()).collect::<Vec<_>>(), [1]);
//! let rows = db.query("MATCH (i:Instance) RETURN i.name AS name ORDER BY name", ())?;
//! assert!(rows.count() > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ask;
mod equipment;
mod error;
mod fitting;
mod incoming;
mod library;
mod naming;
mod procedures;
mod recent;
mod resummarise;
mod routes;
mod subject;
mod tables;
mod unwritten;
mod wanted;

pub use ask::{Ask, MOST_RECEIPTS};
pub use equipment::Equipment;
pub use error::{DoorError, causes};
pub use fitting::Fitting;
pub use incoming::{Incoming, LONGEST_METADATA, datum};
pub use library::{Library, Open, both_notes};
pub use naming::Alike;
pub use resummarise::{Mended, Resummarise, Resummarised, Unmended};
pub use tables::{Tables, TablesTaken};
pub use unwritten::ForeseenSummaries;
pub use wanted::Wanted;

#[cfg(test)]
mod tests;
