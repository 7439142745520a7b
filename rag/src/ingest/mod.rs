//! Documents into the graph: read, cut, extracted from, written.
//!
//! ```text
//! documents ──> Recipe: pieces ──> extractor, many pieces at once ──> Contribution ──> Layers: one commit for a few
//! ```
//! A [`Recipe`] says what is made of documents, as one of the published systems does it. [`Ingest`] takes
//! documents as they come, holds few of them at a time, and writes each as a whole or not at all; what cannot be
//! read or written is told, and the rest goes on. Who stops it, or is stopped, runs it again: a document that is
//! there as it would be taken in is neither cut nor read again, and no model is asked twice.
//!
//! ```
//! use std::sync::Arc;
//! use stratigraph::{Database, Read};
//! use stratigraph_models::Lexical;
//! use stratigraph_rag::build::Layers;
//! use stratigraph_rag::ingest::{Ingest, Recipe, System};
//! use stratigraph_rag::read::{Format, Source};
//!
//! let db = Database::in_memory()?;
//! let recipe = Recipe::new(System::Bag, 256);
//! let layers = Layers::open(&db, recipe.profile(), Arc::new(Lexical::new()))?;
//!
//! let text = "# Rocks\n\nBasalt comes from Etna.\n";
//! let document = Source::new("rocks.md", text.as_bytes()).read(Format::Markdown);
//! let report = Ingest::new(&layers, &recipe).run([document], &|_| ());
//! assert_eq!((report.documents, report.problems.count_failed), (1, 0));
//! assert!(db.read()?.node_count(Some("Instance"))? > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod lists;
mod problems;
mod recipe;
mod replies;
mod report;
mod run;
mod unchanged;

pub use lists::{FactList, ListError};
pub use problems::{Failed, Problems};
pub use recipe::{Recipe, System, UnknownSystem};
pub(crate) use replies::of_database;
pub use report::{Ended, Forecast, Progress, Report, Unread};
pub use run::Ingest;

#[cfg(test)]
mod tests;
