//! `config.json` of BERT's family: BERT itself, and XLM-R, whose places begin behind the one of its padding.

use super::Check;
use crate::error::ModelError;
use serde::Deserialize;

/// Everything that shapes an encoder.
#[derive(Clone, Debug)]
pub(crate) struct BertShape {
    pub(crate) vocabulary: usize,
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) intermediate: usize,
    /// Rows of the table of places.
    pub(crate) positions: usize,
    /// The row of a text's first token: 0, or the one behind padding's.
    pub(crate) first_position: usize,
    pub(crate) token_types: usize,
    pub(crate) norm_epsilon: f64,
    /// Whether it is XLM-R, whose judges are made otherwise.
    pub(crate) roberta: bool,
}

/// `config.json`, as the transformers library writes it.
#[derive(Deserialize)]
pub(super) struct Config {
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
    pad_token_id: Option<usize>,
}

fn absolute() -> String {
    "absolute".to_owned()
}

impl BertShape {
    pub(super) fn check(
        config: &Config,
        roberta: bool,
        check: &Check<'_>,
    ) -> Result<Self, ModelError> {
        check.only("hidden_act", config.hidden_act.as_str(), "gelu")?;
        let kind = config.position_embedding_type.as_str();
        check.only("position_embedding_type", kind, "absolute")?;
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
        check.layers(config.num_hidden_layers)?;
        check.epsilon("layer_norm_eps", config.layer_norm_eps)?;
        let positions = config.max_position_embeddings;
        let mut first_position = 0;
        if roberta {
            let padding = config.pad_token_id.unwrap_or(1);
            let fits = padding < positions - 1;
            check.that("pad_token_id", padding, fits, "below the last position")?;
            first_position = padding + 1;
        }
        Ok(Self {
            vocabulary: config.vocab_size,
            hidden: config.hidden_size,
            layers: config.num_hidden_layers,
            heads,
            intermediate: config.intermediate_size,
            positions,
            first_position,
            token_types: config.type_vocab_size,
            norm_epsilon: config.layer_norm_eps,
            roberta,
        })
    }
}
