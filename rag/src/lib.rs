//! Retrieval over layered knowledge, on top of the engine.
//!
//! From a document to an answer, and to what becomes of it after an edit:
//!
//! ```
//! use stratigraph::Database;
//! use stratigraph::storage::cancel::CancelToken;
//! use stratigraph_rag::Metadata;
//! use stratigraph_rag::door::{Ask, Equipment, Incoming, Library, Wanted};
//! use stratigraph_rag::ingest::System;
//! use stratigraph_rag::retrieve::{Pipeline, Question, Receipt};
//!
//! let db = Database::in_memory()?; // or Database::create("guide")?, which is a folder
//! let library = Library::new(&db, Equipment::default()); // no model: rules, and vectors of letters
//! let open = library.create(&Wanted::new(System::Strata))?; // said once for a database
//! let never = CancelToken::new();
//!
//! let take_in = |text: &str| {
//!     let rocks = Incoming {
//!         id: "rocks.md".to_owned(),
//!         bytes: text.into(),
//!         format: None, // its name tells
//!         metadata: Metadata::new(),
//!     };
//!     open.upsert(rocks, &never, &|_| ())
//! };
//! let text = "# Rocks\n\n## Basalt\n\nBasalt comes from Mount Etna. It is dark and heavy.\n";
//! let report = take_in(text)?; // durable in a folder; what cannot be read is among `problems`
//! assert_eq!((report.documents, report.problems.count_failed), (1, 0));
//!
//! let pipeline = Pipeline::preset("strata")?;
//! let question = Question::new("Where does basalt come from?")?;
//! for found in open.retrieve(&pipeline, &question, &never)?.found {
//!     println!("{:.2}  {}", found.receipt.score.value, found.heading);
//! }
//! let answer = open.ask(&Ask::new(&pipeline, &question), &never, &mut |_| ())?;
//! assert!(answer.answer[0].text.contains("Mount Etna"));
//!
//! // What was cited says later whether it still stands.
//! let cited = answer.sources.into_iter();
//! let receipts: Vec<Receipt> = cited.map(|source| source.receipt).collect();
//! let standing = library.verify(&receipts, &never)?;
//! assert!(standing.iter().all(|one| one.holds()));
//! take_in(&text.replace("Mount Etna", "Iceland"))?;
//! let standing = library.verify(&receipts, &never)?;
//! assert!(!standing.iter().any(|one| one.holds()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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

pub mod aliases;
pub mod answer;
pub mod build;
pub mod calibrate;
pub mod chunk;
mod cosine;
mod document;
pub mod door;
pub mod evaluate;
pub mod extract;
mod growing;
pub mod ingest;
mod numerals;
pub mod read;
pub mod relations;
pub mod retrieve;
pub mod routes;
mod under_way;

pub use document::{Block, BlockKind, Datum, Document, Metadata, Outline, Page, Section};
pub use growing::GrowingError;
