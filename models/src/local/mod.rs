//! Models that compute on this machine's processor.
//!
//! ```text
//! texts ──> tokens ──> batches of similar length ──> network, on every core ──> one vector each ──> rows, in order
//! ```
//!
//! A model is a set of files: `config.json`, `1_Pooling/config.json`, `tokenizer.json`, `model.safetensors` and some
//! smaller ones, in the form sentence-transformers keeps them (`files/`, `settings/`). Its kind stands in `config.json`.
//! Files are read as if an enemy had written them. Nothing is fetched from anywhere.

mod attention;
mod batches;
mod bert;
mod cache;
mod embed;
mod files;
mod judge;
mod kernel;
mod network;
mod pipeline;
mod pool;
mod qwen3;
mod settings;
mod source;
mod tokens;
mod weights;
mod workers;

pub use cache::cached_minilm;
pub use embed::{LocalEmbedder, LocalEmbedderBuilder};
pub use judge::{LocalReranker, LocalRerankerBuilder};
pub use source::{ModelSource, open_embedder};
