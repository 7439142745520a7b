//! `config.json` of Qwen3, whose embedders read from left to right.

use super::Check;
use crate::error::ModelError;
use serde::Deserialize;

/// Everything that shapes the network.
#[derive(Clone, Debug)]
pub(crate) struct Qwen3Shape {
    pub(crate) vocabulary: usize,
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    /// Heads that ask.
    pub(crate) heads: usize,
    /// Heads that are asked; each by as many of the others.
    pub(crate) key_heads: usize,
    pub(crate) head_size: usize,
    pub(crate) intermediate: usize,
    pub(crate) positions: usize,
    pub(crate) norm_epsilon: f64,
    /// How slowly the slowest pair of numbers turns from place to place.
    pub(crate) turning: f64,
}

/// `config.json`, as the transformers library writes it.
#[derive(Deserialize)]
pub(super) struct Config {
    hidden_act: String,
    vocab_size: usize,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    num_key_value_heads: usize,
    #[serde(default = "usual_head")]
    head_dim: usize,
    intermediate_size: usize,
    max_position_embeddings: usize,
    rms_norm_eps: f64,
    #[serde(default)]
    attention_bias: bool,
    #[serde(default)]
    use_sliding_window: bool,
    rope_theta: Option<f64>,
    rope_scaling: Option<Turning>,
    /// Where newer files have both.
    rope_parameters: Option<Turning>,
}

#[derive(Deserialize)]
struct Turning {
    #[serde(alias = "type", default = "plain")]
    rope_type: String,
    rope_theta: Option<f64>,
}

fn usual_head() -> usize {
    128
}

fn plain() -> String {
    "default".to_owned()
}

impl Qwen3Shape {
    pub(super) fn check(config: &Config, check: &Check<'_>) -> Result<Self, ModelError> {
        check.only("hidden_act", config.hidden_act.as_str(), "silu")?;
        check.only("attention_bias", config.attention_bias, false)?;
        check.only("use_sliding_window", config.use_sliding_window, false)?;
        check.size("vocab_size", config.vocab_size)?;
        check.size("hidden_size", config.hidden_size)?;
        check.size("intermediate_size", config.intermediate_size)?;
        check.size("max_position_embeddings", config.max_position_embeddings)?;
        check.layers(config.num_hidden_layers)?;
        check.epsilon("rms_norm_eps", config.rms_norm_eps)?;
        let (heads, key_heads) = (config.num_attention_heads, config.num_key_value_heads);
        for (setting, heads) in [
            ("num_attention_heads", heads),
            ("num_key_value_heads", key_heads),
        ] {
            check.that(setting, heads, (1..=1024).contains(&heads), "1 to 1024")?;
        }
        let divides = heads.is_multiple_of(key_heads);
        let supported = "a divisor of num_attention_heads";
        check.that("num_key_value_heads", key_heads, divides, supported)?;
        let size = config.head_dim;
        let fits = (2..=1024).contains(&size) && size.is_multiple_of(2);
        check.that("head_dim", size, fits, "an even number from 2 to 1024")?;
        let turnings = [&config.rope_scaling, &config.rope_parameters];
        for turning in turnings.into_iter().flatten() {
            check.only("rope_type", turning.rope_type.as_str(), "default")?;
        }
        let said = config.rope_parameters.as_ref();
        let said = said.and_then(|turning| turning.rope_theta);
        let turning = said.or(config.rope_theta).unwrap_or(10_000.0);
        let fits = (1.0..1e12).contains(&turning);
        check.that("rope_theta", turning, fits, "from 1 to below 10^12")?;
        Ok(Self {
            vocabulary: config.vocab_size,
            hidden: config.hidden_size,
            layers: config.num_hidden_layers,
            heads,
            key_heads,
            head_size: size,
            intermediate: config.intermediate_size,
            positions: config.max_position_embeddings,
            norm_epsilon: config.rms_norm_eps,
            turning,
        })
    }
}
