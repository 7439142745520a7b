//! Models behind traits: what turns text into vectors ([`Embedder`]), what judges ([`Reranker`]), and what writes
//! ([`Generator`]).
//!
//! Whoever needs vectors takes an [`Embedder`] and never asks what is behind it:
//!
//! | | |
//! |---|---|
//! | [`LocalEmbedder`], [`open_embedder`] | a model that computes on this machine's processor: of BERT's family (MiniLM, bge, e5, gte), of XLM-R's (bge-m3, multilingual-e5), or Qwen3-Embedding |
//! | [`EmbeddingModel`] | one behind an address |
//! | [`Lexical`] | no model: it knows only letters |
//! | [`GivenVectors`] | vectors that were made elsewhere |
//! | [`Cached`] | any of them, so that each text is computed once |
//! | [`Checked`] | one of somebody else's, whose rows are looked at |
//!
//! [`choose_embedder`] takes the embedder of letters where a model cannot read the writing of a corpus. This crate knows
//! no database and fetches nothing: a model is a [`ModelSource`] that is already there, or an address. No type
//! of the libraries that compute is part of its face, so that they can be replaced.
//!
//! ```
//! # #[cfg(feature = "candle")] {
//! use stratigraph_models::{Embedder, LocalEmbedder, cached_minilm};
//!
//! // Where `cargo xtask setup --models` puts it; a product asks its user for a folder.
//! if let Some(folder) = cached_minilm() {
//!     let model = LocalEmbedder::load(folder)?;
//!     let kept = model.embed(&["A cat sleeps.", "Taxes are due in May."])?;
//!     // A question may be read otherwise than what answers it; to MiniLM it is all the same.
//!     let asked = model.embed_questions(&["What does the kitten do?"])?;
//!     // Rows have length 1, so that their product is their cosine.
//!     let cosine = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
//!     let kept: Vec<&[f32]> = kept.iter().collect();
//!     assert!(cosine(asked.values(), kept[0]) > 0.3);
//!     assert!(cosine(asked.values(), kept[1]) < 0.2);
//! }
//! # }
//! # Ok::<(), stratigraph_models::ModelError>(())
//! ```
//!
//! Start with `embedder.rs` for the face, then `local/mod.rs` for the way of a text to its vector.

mod cached;
mod checked;
#[cfg(all(feature = "candle", feature = "endpoint"))]
mod configured;
mod embedder;
#[cfg(feature = "endpoint")]
mod endpoint;
mod error;
mod generate;
mod given;
mod language;
mod lexical;
#[cfg(feature = "candle")]
mod local;
#[cfg(feature = "scripted")]
mod placed;
#[cfg(any(feature = "candle", feature = "endpoint"))]
mod prompts;
mod rerank;
#[cfg(feature = "scripted")]
mod scripted;

pub use cached::{CacheCounts, Cached, TextHash, VectorStore};
pub use checked::Checked;
#[cfg(all(feature = "candle", feature = "endpoint"))]
pub use configured::{
    Configured, EMBEDDER_KEY, LLM_KEY, RERANKER_KEY, embedder_called, is_address,
};
pub use embedder::{Embedder, Purpose, Rows};
#[cfg(feature = "endpoint")]
pub use endpoint::{
    ChatModel, EmbeddingModel, Endpoint, EndpointBuilder, Prices, RerankModel, SchemaMode, Spent,
};
pub use error::ModelError;
pub use generate::{
    Answered, Call, Generator, Heard, Message, Recorded, Reply, Request, Role, Schema, Structured,
    Tool, Unanswered, Usage, Violation,
};
pub use given::GivenVectors;
pub use language::{Chosen, Coverage, choose_embedder, knows_english_alone};
pub use lexical::Lexical;
#[cfg(feature = "candle")]
pub use local::{
    LocalEmbedder, LocalEmbedderBuilder, LocalReranker, LocalRerankerBuilder, ModelSource,
    cached_minilm, open_embedder,
};
#[cfg(feature = "scripted")]
pub use placed::Placed;
pub use rerank::{Reranker, ScoreScale};
#[cfg(feature = "scripted")]
pub use scripted::{Asked, ScriptedServer, Step};
