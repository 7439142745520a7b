//! The small files of a model's folder, read into one set of checked settings.
//!
//! A setting that we do not know how to honour is refused by name: a model must never run with
//! another meaning than it was trained with. Nothing here allocates on the word of a file before it
//! was held against a limit.

use crate::error::ModelError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Far above any vocabulary in JSON (MiniLM: 0.5 MB), far below what would hurt.
const MOST_BYTES_OF_JSON: u64 = 64 << 20;
/// The largest encoders of this family have 1.3 GB.
const MOST_BYTES_OF_WEIGHTS: u64 = 4 << 30;
/// No encoder of this family has a dimension above 2^18 (vocabularies of many languages).
const LARGEST_DIMENSION: usize = 1 << 20;

/// Everything that shapes the computation.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) vocabulary: usize,
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) intermediate: usize,
    pub(crate) positions: usize,
    pub(crate) token_types: usize,
    pub(crate) norm_epsilon: f64,
    /// How many tokens of a text are read, the two that are added included.
    pub(crate) max_tokens: usize,
}

/// `config.json`, as the transformers library writes it.
#[derive(Deserialize)]
struct Config {
    model_type: String,
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    vocab_size: usize,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    max_position_embeddings: usize,
    type_vocab_size: usize,
    layer_norm_eps: f64,
}

fn absolute() -> String {
    "absolute".to_owned()
}

/// `sentence_bert_config.json`.
#[derive(Deserialize)]
struct Sentence {
    max_seq_length: usize,
    #[serde(default)]
    do_lower_case: bool,
}

/// `1_Pooling/config.json`. All other modes are off unless named.
#[derive(Deserialize)]
struct Pooling {
    word_embedding_dimension: usize,
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_sqrt_len_tokens: bool,
    #[serde(default)]
    pooling_mode_weightedmean_tokens: bool,
    #[serde(default)]
    pooling_mode_lasttoken: bool,
}

impl Settings {
    /// Reads and checks the three files.
    pub(crate) fn read(folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join("config.json");
        let config: Config = json(&path)?;
        let check = Check { path: &path };
        check.only("model_type", config.model_type.as_str(), "bert")?;
        check.only("hidden_act", config.hidden_act.as_str(), "gelu")?;
        let positions = config.position_embedding_type.as_str();
        check.only("position_embedding_type", positions, "absolute")?;
        check.size("vocab_size", config.vocab_size)?;
        check.size("hidden_size", config.hidden_size)?;
        check.size("intermediate_size", config.intermediate_size)?;
        check.size("max_position_embeddings", config.max_position_embeddings)?;
        check.size("type_vocab_size", config.type_vocab_size)?;
        // Before its own limit, so that it is never a remainder by zero.
        check.size("num_attention_heads", config.num_attention_heads)?;
        let heads = config.num_attention_heads;
        let divides = config.hidden_size.is_multiple_of(heads);
        check.that(
            "num_attention_heads",
            heads,
            divides,
            "a divisor of hidden_size",
        )?;
        let layers = config.num_hidden_layers;
        let few = (1..=1024).contains(&layers);
        check.that("num_hidden_layers", layers, few, "1 to 1024")?;
        let epsilon = config.layer_norm_eps;
        let small = (0.0..1.0).contains(&epsilon);
        check.that("layer_norm_eps", epsilon, small, "from 0 to below 1")?;

        let path = folder.join("sentence_bert_config.json");
        let sentence: Sentence = json(&path)?;
        let check = Check { path: &path };
        check.only("do_lower_case", sentence.do_lower_case, false)?;
        // Three: the two tokens that are added, and one of the text.
        let tokens = sentence.max_seq_length;
        let fits = (3..=config.max_position_embeddings).contains(&tokens);
        check.that(
            "max_seq_length",
            tokens,
            fits,
            "3 to max_position_embeddings",
        )?;

        let path = folder.join("1_Pooling/config.json");
        let pooling: Pooling = json(&path)?;
        let check = Check { path: &path };
        let dimension = pooling.word_embedding_dimension;
        check.only("word_embedding_dimension", dimension, config.hidden_size)?;
        let mean = pooling.pooling_mode_mean_tokens;
        check.only("pooling_mode_mean_tokens", mean, true)?;
        for (setting, on) in [
            ("pooling_mode_cls_token", pooling.pooling_mode_cls_token),
            ("pooling_mode_max_tokens", pooling.pooling_mode_max_tokens),
            (
                "pooling_mode_mean_sqrt_len_tokens",
                pooling.pooling_mode_mean_sqrt_len_tokens,
            ),
            (
                "pooling_mode_weightedmean_tokens",
                pooling.pooling_mode_weightedmean_tokens,
            ),
            ("pooling_mode_lasttoken", pooling.pooling_mode_lasttoken),
        ] {
            check.only(setting, on, false)?;
        }

        Ok(Self {
            vocabulary: config.vocab_size,
            hidden: config.hidden_size,
            layers,
            heads,
            intermediate: config.intermediate_size,
            positions: config.max_position_embeddings,
            token_types: config.type_vocab_size,
            norm_epsilon: epsilon,
            max_tokens: tokens,
        })
    }
}

/// Refusals that name the file.
pub(crate) struct Check<'a> {
    pub(crate) path: &'a Path,
}

impl Check<'_> {
    pub(crate) fn that(
        &self,
        setting: &'static str,
        found: impl Display + Copy,
        holds: bool,
        supported: &str,
    ) -> Result<(), ModelError> {
        if holds {
            return Ok(());
        }
        Err(ModelError::Unsupported {
            path: self.path.to_path_buf(),
            setting,
            // A file may hold a megabyte where a word should be.
            found: found.to_string().chars().take(80).collect(),
            supported: supported.to_owned(),
        })
    }

    pub(crate) fn only<T: Display + PartialEq + Copy>(
        &self,
        setting: &'static str,
        found: T,
        supported: T,
    ) -> Result<(), ModelError> {
        self.that(setting, found, found == supported, &supported.to_string())
    }

    fn size(&self, setting: &'static str, found: usize) -> Result<(), ModelError> {
        let fits = (1..=LARGEST_DIMENSION).contains(&found);
        self.that(setting, found, fits, "1 to 1048576")
    }
}

/// A JSON file of the model.
pub(crate) fn json<T: DeserializeOwned>(path: &Path) -> Result<T, ModelError> {
    let bytes = read(path, MOST_BYTES_OF_JSON)?;
    serde_json::from_slice(&bytes).map_err(|error| malformed(path, error))
}

/// The bytes of the tensors.
pub(crate) fn weights(path: &Path) -> Result<Vec<u8>, ModelError> {
    read(path, MOST_BYTES_OF_WEIGHTS)
}

pub(crate) fn malformed(
    path: impl Into<PathBuf>,
    source: impl Into<crate::error::Cause>,
) -> ModelError {
    ModelError::Malformed {
        path: path.into(),
        source: source.into(),
    }
}

fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ModelError> {
    let unreadable = |source| ModelError::Unreadable {
        path: path.to_path_buf(),
        source,
    };
    let file = File::open(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    if bytes > limit {
        return Err(ModelError::TooLarge {
            path: path.to_path_buf(),
            bytes,
            limit,
        });
    }
    let mut content = Vec::new();
    // Once more here: a file may grow, and a pipe has no length.
    file.take(limit)
        .read_to_end(&mut content)
        .map_err(unreadable)?;
    Ok(content)
}
