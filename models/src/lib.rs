//! Models behind traits: what turns text into vectors, and later what ranks and writes.
//!
//! Whoever needs vectors takes an [`Embedder`] and never asks what is behind it. [`MiniLm`] is a model that
//! computes on this machine's processor; [`Lexical`] needs no model and knows only letters. This crate knows no database and fetches nothing:
//! a model is a folder that is already there, or an address that a [`Generator`] or [`Embedder`] asks. No type
//! of the libraries that compute is part of its face, so that they can be replaced.
//!
//! ```
//! # #[cfg(feature = "candle")] {
//! use stratigraph_models::{Embedder, MiniLm, cached_minilm};
//!
//! // Where `cargo xtask setup --models` puts it; a product asks its user for a folder.
//! if let Some(folder) = cached_minilm() {
//!     let model = MiniLm::load(folder)?;
//!     let rows = model.embed(&["A cat sleeps.", "A kitten is napping.", "Taxes are due in May."])?;
//!     let rows: Vec<&[f32]> = rows.iter().collect();
//!     // Rows have length 1, so that their product is their cosine.
//!     let cosine = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
//!     assert!(cosine(rows[0], rows[1]) > 0.5);
//!     assert!(cosine(rows[0], rows[2]) < 0.2);
//! }
//! # }
//! # Ok::<(), stratigraph_models::ModelError>(())
//! ```
//!
//! Start with `embedder.rs` for the face, then `minilm/mod.rs` for the way of a text to its vector.

mod embedder;
#[cfg(feature = "endpoint")]
mod endpoint;
mod error;
mod generate;
mod lexical;
#[cfg(feature = "candle")]
mod minilm;
#[cfg(feature = "scripted")]
mod scripted;

pub use embedder::{Embedder, Rows};
#[cfg(feature = "endpoint")]
pub use endpoint::{ChatModel, EmbeddingModel, Endpoint, EndpointBuilder, SchemaMode, Spent};
pub use error::ModelError;
pub use generate::{
    Answered, Call, Generator, Message, Recorded, Reply, Request, Role, Schema, Structured, Tool,
    Usage, Violation,
};
pub use lexical::Lexical;
#[cfg(feature = "candle")]
pub use minilm::{MiniLm, MiniLmBuilder, cached_minilm};
#[cfg(feature = "scripted")]
pub use scripted::{Asked, ScriptedServer, Step};
