//! Models behind an address: whatever speaks OpenAI's two calls, `chat/completions` and `embeddings`, or `rerank`.
//!
//! An [`Endpoint`] is the address with its key, its limits and what was spent there; models of it share all
//! that. `http.rs` makes one call, `again.rs` repeats it where that is safe and useful, `limits.rs` bounds how many
//! run and what they may cost (`prices.rs`), `chat.rs`, `embeddings.rs` and `rerank.rs` know the calls, `stream.rs` reads replies
//! that come in pieces.
//!
//! What comes from there is hostile: bodies have a limit, redirects are not followed, and no text of it is
//! ever an address. The key is in no error, no log and no `Debug`.

mod again;
mod chat;
mod embeddings;
mod http;
mod limits;
mod prices;
mod rerank;
mod stream;

use crate::error::ModelError;
use http::Http;
use limits::Limits;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use chat::{ChatModel, SchemaMode};
pub use embeddings::EmbeddingModel;
pub use limits::Spent;
pub use prices::Prices;
pub use rerank::RerankModel;

/// An address where models are.
#[derive(Clone)]
pub struct Endpoint {
    http: Arc<Http>,
}

/// Makes an [`Endpoint`].
#[must_use]
#[derive(Debug)]
pub struct EndpointBuilder {
    url: String,
    key: Option<Key>,
    key_in_the_clear: bool,
    timeout: Duration,
    attempts: u32,
    max_response_bytes: usize,
    concurrent_calls: usize,
    max_tokens: Option<u64>,
    prices: Prices,
}

/// A key, which nothing shows.
#[derive(Clone)]
pub(crate) struct Key(String);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &self.http.url())
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    /// An endpoint at this address: all before `/chat/completions`, such as `http://localhost:11434/v1`.
    pub fn builder(url: &str) -> EndpointBuilder {
        EndpointBuilder {
            url: url.trim_end_matches('/').to_owned(),
            key: None,
            key_in_the_clear: false,
            timeout: Duration::from_secs(120),
            attempts: 4,
            max_response_bytes: 64 << 20,
            concurrent_calls: 8,
            max_tokens: None,
            prices: Prices::default(),
        }
    }

    /// A model there that writes.
    #[must_use]
    pub fn chat(&self, model: &str) -> ChatModel {
        ChatModel::new(Arc::clone(&self.http), model)
    }

    /// A model there that makes vectors of so many numbers.
    #[must_use]
    pub fn embeddings(&self, model: &str, dimensions: usize) -> EmbeddingModel {
        EmbeddingModel::new(Arc::clone(&self.http), model, dimensions)
    }

    /// A model there that makes vectors of as many numbers as it gives when it is asked now.
    ///
    /// # Errors
    ///
    /// [`ModelError::Endpoint`] if it does not answer, or with no vector.
    pub fn measured_embeddings(&self, model: &str) -> Result<EmbeddingModel, ModelError> {
        EmbeddingModel::measured(Arc::clone(&self.http), model)
    }

    /// A model there that judges passages.
    #[must_use]
    pub fn reranker(&self, model: &str) -> RerankModel {
        RerankModel::new(Arc::clone(&self.http), model)
    }

    /// What was spent there so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.http.limits.spent()
    }
}

impl EndpointBuilder {
    /// The key that is sent as a bearer token, without the line break that files end with.
    pub fn key(mut self, key: &str) -> Self {
        self.key = Some(Key(key.trim().to_owned()));
        self
    }

    /// Sends the key to an address of `http://` that is not on this machine, where anybody between can read it.
    pub fn send_key_in_the_clear(mut self) -> Self {
        self.key_in_the_clear = true;
        self
    }

    /// How long one attempt may take, its reply included; 2 minutes unless something else is said.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How often a call is tried in all; 4 times unless something else is said.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// The largest reply that is read; 64 MiB unless something else is said.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.max_response_bytes = bytes;
        self
    }

    /// How many calls are under way at a time; 8 unless something else is said. Others wait.
    pub fn concurrent_calls(mut self, calls: usize) -> Self {
        self.concurrent_calls = calls.max(1);
        self
    }

    /// After so many tokens, read and written, no further call is made.
    pub fn max_tokens(mut self, tokens: u64) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// What tokens cost.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = prices;
        self
    }

    /// The endpoint. Nothing is called yet.
    ///
    /// # Errors
    ///
    /// [`ModelError::BadAddress`] if it is no address of `http://` or `https://`, or would show the key to others.
    pub fn build(self) -> Result<Endpoint, ModelError> {
        let limits = Limits::new(self.concurrent_calls, self.max_tokens, self.prices);
        let http = Http::new(self, limits)?;
        Ok(Endpoint {
            http: Arc::new(http),
        })
    }
}
