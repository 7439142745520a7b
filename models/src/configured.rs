//! Models by the few words that a command line or a file of settings has for them.

use std::sync::Arc;

use crate::{
    ChatModel, Embedder, Endpoint, Lexical, LocalReranker, ModelError, ModelSource, Reranker,
    cached_minilm, open_embedder,
};

/// What MiniLM is called among embedders.
const MINILM: &str = "minilm";

/// The embedder of this name: `lexical` (no files needed), `minilm` (what `cargo xtask setup --models` fetches), a folder,
/// a wheel, or a name in the hub's cache.
///
/// ```
/// use stratigraph_models::embedder_named;
///
/// assert_eq!(embedder_named("lexical")?.name(), "lexical-1");
/// assert!(embedder_named("no/such-model").is_err());
/// # Ok::<(), stratigraph_models::ModelError>(())
/// ```
///
/// # Errors
/// It is not on this machine, or its files are not what they should be.
pub fn embedder_named(name: &str) -> Result<Arc<dyn Embedder>, ModelError> {
    let source = match name {
        "lexical" => return Ok(Arc::new(Lexical::new())),
        MINILM => ModelSource::folder(cached_minilm().ok_or(ModelError::NotFetched)?),
        name => ModelSource::named(name),
    };
    Ok(Arc::from(open_embedder(&source)?))
}

/// The model of this name that judges what was found: a folder, or a name in the hub's cache.
///
/// ```
/// assert!(stratigraph_models::reranker_named("no/such-model").is_err());
/// ```
///
/// # Errors
/// It is not on this machine, or its files are not what they should be.
pub fn reranker_named(name: &str) -> Result<Arc<dyn Reranker>, ModelError> {
    let judge = LocalReranker::builder().open(&ModelSource::named(name))?;
    Ok(Arc::new(judge))
}

/// The model of a name at an address that speaks OpenAI's chat completions, which is asked so many things at a time.
///
/// # Errors
/// [`ModelError::BadAddress`] if it is no address, or would show the key to others.
pub fn chat_model_at(
    url: &str,
    model: &str,
    calls: usize,
    key: Option<&str>,
) -> Result<ChatModel, ModelError> {
    let mut endpoint = Endpoint::builder(url).concurrent_calls(calls);
    if let Some(key) = key {
        endpoint = endpoint.key(key);
    }
    Ok(endpoint.build()?.chat(model))
}
