//! The networks that are known, behind one face.

use crate::error::ModelError;
use crate::local::batches::Group;
use crate::local::bert::Bert;
use crate::local::qwen3::Qwen3;
use crate::local::settings::Shape;
use crate::local::weights::Weights;
use candle_core::{Result, Tensor};

/// A network with its weights.
pub(crate) enum Network {
    Bert(Bert),
    Qwen3(Qwen3),
}

impl Network {
    /// Takes every tensor the settings call for out of the file. No text will be longer than `most`.
    pub(crate) fn new(
        shape: &Shape,
        weights: Weights,
        most: usize,
    ) -> std::result::Result<Self, ModelError> {
        match shape {
            Shape::Bert(shape) => {
                let weights = weights.under(&BERT_PREFIXES, "embeddings.word_embeddings.weight");
                Ok(Self::Bert(Bert::new(shape, &weights)?))
            }
            Shape::Qwen3(shape) => {
                let weights = weights.under(&["", "model."], "embed_tokens.weight");
                Ok(Self::Qwen3(Qwen3::new(shape, &weights, most)?))
            }
        }
    }

    /// The last layer: a row for each token of these texts, which stand one after another.
    pub(crate) fn forward(&self, ids: &[u32], groups: &[Group]) -> Result<Tensor> {
        match self {
            Self::Bert(bert) => bert.forward(ids, None, groups),
            Self::Qwen3(qwen3) => qwen3.forward(ids, groups),
        }
    }
}

/// An encoder that was saved as a part of something larger has names with the part's before them.
pub(crate) const BERT_PREFIXES: [&str; 3] = ["", "bert.", "roberta."];
