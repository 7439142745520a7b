//! The small files of a model, read into one set of checked settings.
//!
//! A setting that we do not know how to honour is refused by name: a model must never run with
//! another meaning than it was trained with. Nothing here allocates on the word of a file before it
//! was held against a limit. `bert.rs` reads what shapes an encoder of BERT's family, `sentence.rs` how its
//! tokens become one vector, `prompts.rs` what they say is put before a text.

mod bert;
mod prompts;
mod qwen3;
mod sentence;

pub(crate) use bert::BertShape;
pub(crate) use qwen3::Qwen3Shape;
pub(crate) use sentence::{Pooling, Sentence, max_tokens};

use crate::error::ModelError;
use crate::local::files::Files;
use serde::Deserialize;
use std::fmt::Display;
use std::path::Path;

/// No model here has a dimension above 2^18 (vocabularies of many languages).
const LARGEST_DIMENSION: usize = 1 << 20;
/// Nobody who knows what it costs has a processor read more of one text.
const MOST_TOKENS: usize = 8192;

/// The kinds of models that are known, as an error names them.
const KNOWN: &str =
    "bert (MiniLM, bge, e5, gte), xlm-roberta (bge-m3, multilingual-e5) or qwen3 (Qwen3-Embedding)";

/// What shapes the computation, by the kind of model.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// An encoder of BERT's family.
    Bert(BertShape),
    /// Qwen3, which reads from left to right.
    Qwen3(Qwen3Shape),
}

/// What a model is, before its shape.
pub(crate) struct Made {
    /// The name that it had when it was made.
    pub(crate) name: String,
    /// Whether it judges, and makes no vectors.
    pub(crate) judges: bool,
}

/// What every `config.json` has.
#[derive(Deserialize)]
struct Kind {
    model_type: String,
    #[serde(default)]
    _name_or_path: String,
    #[serde(default)]
    architectures: Vec<String>,
}

impl Shape {
    /// Reads and checks `config.json`.
    pub(crate) fn read(files: &Files) -> Result<(Self, Made), ModelError> {
        const FILE: &str = "config.json";
        let kind: Kind = files.json(FILE)?;
        let path = files.path(FILE);
        let check = Check { path: &path };
        let shape = match kind.model_type.as_str() {
            "bert" => BertShape::check(&files.json(FILE)?, false, &check).map(Self::Bert),
            "xlm-roberta" => BertShape::check(&files.json(FILE)?, true, &check).map(Self::Bert),
            "qwen3" => Qwen3Shape::check(&files.json(FILE)?, &check).map(Self::Qwen3),
            other => Err(check.refuse("model_type", other, KNOWN)),
        }?;
        let judges = |name: &String| name.ends_with("ForSequenceClassification");
        let made = Made {
            name: kind._name_or_path,
            judges: kind.architectures.iter().any(judges),
        };
        Ok((shape, made))
    }

    /// How many rows the table of words has.
    pub(crate) fn vocabulary(&self) -> usize {
        match self {
            Self::Bert(shape) => shape.vocabulary,
            Self::Qwen3(shape) => shape.vocabulary,
        }
    }

    /// How many numbers a token has.
    pub(crate) fn hidden(&self) -> usize {
        match self {
            Self::Bert(shape) => shape.hidden,
            Self::Qwen3(shape) => shape.hidden,
        }
    }

    /// How many tokens can be told apart by their places.
    pub(crate) fn places(&self) -> usize {
        match self {
            Self::Bert(shape) => shape.positions - shape.first_position,
            Self::Qwen3(shape) => shape.positions,
        }
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
        Err(self.refuse(setting, found, supported))
    }

    pub(crate) fn refuse(
        &self,
        setting: &'static str,
        found: impl Display,
        supported: &str,
    ) -> ModelError {
        ModelError::Unsupported {
            path: self.path.to_path_buf(),
            setting,
            // A file may hold a megabyte where a word should be.
            found: found.to_string().chars().take(80).collect(),
            supported: supported.to_owned(),
        }
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

    fn layers(&self, found: usize) -> Result<(), ModelError> {
        let few = (1..=1024).contains(&found);
        self.that("num_hidden_layers", found, few, "1 to 1024")
    }

    fn epsilon(&self, setting: &'static str, found: f64) -> Result<(), ModelError> {
        let small = (0.0..1.0).contains(&found);
        self.that(setting, found, small, "from 0 to below 1")
    }
}
