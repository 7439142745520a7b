//! Retrieval over layered knowledge, on top of the engine.
//!
//! Documents come in through a reader of [`read`], which turns a file into a [`Document`]: its text, the
//! tree of its headings, and where everything stands. [`chunk`] cuts that into pieces that a model can
//! read, without ever losing where a piece came from. What others have taken apart already comes in as it
//! is: tables as a typed graph ([`read::TableMapping`]), facts as lines ([`read::TripleReader`]).
//!
//! [`extract`] says what a piece names and states, by rules
//! or by asking a model; [`relations`] and [`aliases`] find what means the same under several names. [`build`] makes all that one
//! layered graph and keeps it up, and [`ingest`] is the whole way, for many documents. [`door`] is where they come in:
//! the same for a program, a query, the network and the command line.
//!
//! What a reader is given is hostile until it is read: no file makes it panic, loop or take memory out of
//! proportion, and what it cannot read is an error that names the file and the place.
//!
//! ```
//! use stratigraph_rag::read::{Format, Source};
//!
//! let text = "# Rocks\n\nAll of them are old.\n\n## Basalt\n\nIt was lava.\n";
//! let document = Source::new("rocks.md", text.as_bytes()).read(Format::Markdown)?;
//! let basalt = &document.sections()[2];
//! assert_eq!((basalt.title.as_str(), basalt.depth), ("Basalt", 2));
//! assert_eq!(document.text_of(basalt.body.clone()), "\nIt was lava.\n");
//! # Ok::<(), stratigraph_rag::read::ReadError>(())
//! ```

pub mod aliases;
pub mod answer;
pub mod build;
pub mod calibrate;
pub mod chunk;
mod document;
pub mod door;
pub mod evaluate;
pub mod extract;
mod growing;
pub mod ingest;
pub mod read;
pub mod relations;
pub mod retrieve;
pub mod routes;

pub use document::{Block, BlockKind, Datum, Document, Metadata, Outline, Page, Section};
pub use growing::GrowingError;
