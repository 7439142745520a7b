//! Models behind traits: what turns text into vectors, and later what ranks and writes.
//!
//! Whoever needs vectors takes an [`Embedder`] and never asks what is behind it. The one model that
//! stands is [`MiniLm`], which computes on this machine's processor. This crate knows no database; it
//! opens no network connection and fetches nothing: a model is a folder that is already there. No type
//! of the libraries that compute is part of its face, so that they can be replaced.
//!
//! Start with `embedder.rs` for the face, then `minilm/mod.rs` for the way of a text to its vector.

mod embedder;
mod error;
#[cfg(feature = "candle")]
mod minilm;

pub use embedder::{Embedder, Rows};
pub use error::ModelError;
#[cfg(feature = "candle")]
pub use minilm::{MiniLm, MiniLmBuilder, cached_minilm};
