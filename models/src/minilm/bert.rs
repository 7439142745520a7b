//! The encoder: token ids in, one pooled vector for each text out.
//!
//! There is no padding and therefore no mask. The tokens of all texts stand one after another in one
//! matrix, which is all that the linear layers need; only attention and pooling look at texts one by
//! one, and they take all texts of equal length at once. It knows no text and no thread.

use crate::error::ModelError;
use crate::minilm::kernel::{AddNorm, BiasGelu, JoinHeads, Softmax, SplitHeads};
use crate::minilm::settings::Settings;
use crate::minilm::weights::Weights;
use candle_core::{D, Device, Result, Tensor};

/// How many scores of attention are in memory at once: 1 MiB, so that they stay in the processor's cache
/// and the allocator keeps the memory instead of asking the system for it again.
const SCORES_AT_ONCE: usize = 256 << 10;

/// Texts of equal length that stand one after another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Group {
    /// How many texts.
    pub(crate) texts: usize,
    /// How many tokens each has; never 0.
    pub(crate) tokens: usize,
}

/// A BERT encoder with its weights. Every matrix is kept turned, so that rows of tokens are multiplied
/// from the left.
pub(crate) struct Bert {
    words: Tensor,
    places: Tensor,
    /// Its bias is the vector of the first token type: all our tokens are of that type.
    norm: AddNorm,
    layers: Vec<Layer>,
    hidden: usize,
    heads: usize,
}

struct Layer {
    /// Queries, keys and values in one matrix; the queries are scaled already.
    attention: Tensor,
    attention_bias: Vec<f32>,
    attention_output: Tensor,
    attention_norm: AddNorm,
    intermediate: Tensor,
    gelu: BiasGelu,
    output: Tensor,
    output_norm: AddNorm,
}

impl Bert {
    /// Takes every tensor the settings call for out of the file.
    pub(crate) fn new(
        settings: &Settings,
        weights: &Weights,
    ) -> std::result::Result<Self, ModelError> {
        let hidden = settings.hidden;
        let table = |name: &str, rows| {
            let name = format!("embeddings.{name}_embeddings.weight");
            weights.tensor(&name, &[rows, hidden])
        };
        let types = table("token_type", settings.token_types)?;
        let norm = weights.norm("embeddings.LayerNorm", settings)?;
        let norm = types
            .get(0)
            .and_then(|first| AddNorm::new(&first, norm, settings.norm_epsilon));
        Ok(Self {
            words: table("word", settings.vocabulary)?,
            places: table("position", settings.positions)?,
            norm: norm.map_err(computing)?,
            layers: (0..settings.layers)
                .map(|number| Layer::new(number, settings, weights))
                .collect::<std::result::Result<_, _>>()?,
            hidden,
            heads: settings.heads,
        })
    }

    /// The mean of the last layer over the tokens of each text, not normalised. `ids` holds the
    /// tokens of all groups, one after another.
    pub(crate) fn forward(&self, ids: &[u32], groups: &[Group]) -> Result<Tensor> {
        let mut rows = self.embed(ids, groups)?;
        for layer in &self.layers {
            let around = layer.attend(&rows, groups, self.heads)?;
            let seen = around.matmul(&layer.attention_output)?;
            seen.inplace_op2(&rows, &layer.attention_norm)?;
            let wide = seen.matmul(&layer.intermediate)?;
            wide.inplace_op1(&layer.gelu)?;
            rows = wide.matmul(&layer.output)?;
            rows.inplace_op2(&seen, &layer.output_norm)?;
        }
        let mut start = 0;
        let mut pooled = Vec::with_capacity(groups.len());
        for group in groups {
            let length = group.texts * group.tokens;
            let texts = rows.narrow(0, start, length)?;
            let texts = texts.reshape((group.texts, group.tokens, self.hidden))?;
            pooled.push(texts.mean(1)?);
            start += length;
        }
        Tensor::cat(&pooled, 0)
    }

    fn embed(&self, ids: &[u32], groups: &[Group]) -> Result<Tensor> {
        let words = Tensor::new(ids, &Device::Cpu)?;
        let texts = groups
            .iter()
            .flat_map(|group| (0..group.texts).map(|_| group.tokens));
        let places: Vec<u32> = texts.flat_map(|tokens| 0..tokens as u32).collect();
        let places = Tensor::new(&places[..], &Device::Cpu)?;
        let words = self.words.index_select(&words, 0)?;
        let places = self.places.index_select(&places, 0)?;
        words.inplace_op2(&places, &self.norm)?;
        Ok(words)
    }
}

impl Layer {
    fn new(
        number: usize,
        settings: &Settings,
        weights: &Weights,
    ) -> std::result::Result<Self, ModelError> {
        let (hidden, wide) = (settings.hidden, settings.intermediate);
        let linear = |part: &str, from, to| {
            weights.linear(&format!("encoder.layer.{number}.{part}"), from, to)
        };
        let norm = |part: &str| {
            weights.norm(
                &format!("encoder.layer.{number}.{part}.LayerNorm"),
                settings,
            )
        };
        let query = linear("attention.self.query", hidden, hidden)?;
        let key = linear("attention.self.key", hidden, hidden)?;
        let value = linear("attention.self.value", hidden, hidden)?;
        let around = linear("attention.output.dense", hidden, hidden)?;
        let around_norm = norm("attention.output")?;
        let into = linear("intermediate.dense", hidden, wide)?;
        let out = linear("output.dense", wide, hidden)?;
        let out_norm = norm("output")?;
        let put_together = || {
            let scale = 1.0 / ((hidden / settings.heads) as f64).sqrt();
            let attention = Tensor::cat(&[&(query.0 * scale)?, &key.0, &value.0], 0)?;
            let bias = Tensor::cat(&[&(query.1 * scale)?, &key.1, &value.1], 0)?;
            Ok(Self {
                attention: attention.t()?,
                attention_bias: SplitHeads::bias(&bias)?,
                attention_output: around.0.t()?,
                attention_norm: AddNorm::new(&around.1, around_norm, settings.norm_epsilon)?,
                intermediate: into.0.t()?,
                gelu: BiasGelu::new(&into.1)?,
                output: out.0.t()?,
                output_norm: AddNorm::new(&out.1, out_norm, settings.norm_epsilon)?,
            })
        };
        put_together().map_err(computing)
    }

    /// What each token takes from the tokens of its own text.
    fn attend(&self, rows: &Tensor, groups: &[Group], heads: usize) -> Result<Tensor> {
        let (_, hidden) = rows.dims2()?;
        let all = rows.matmul(&self.attention)?;
        let mut start = 0;
        let mut around = Vec::with_capacity(groups.len());
        for &Group { texts, tokens } in groups {
            let part = all.narrow(0, start, texts * tokens)?;
            let bias = &self.attention_bias;
            let part = part.apply_op1_no_bwd(&SplitHeads {
                bias,
                heads,
                tokens,
            })?;
            let part = part.flatten(1, 2)?;
            // For each head of each text one small product.
            let at_once = (SCORES_AT_ONCE / (tokens * tokens)).max(1);
            let mut taken = Vec::new();
            for first in (0..texts * heads).step_by(at_once) {
                let some = part.narrow(1, first, at_once.min(texts * heads - first))?;
                let keys = some.get(1)?.transpose(D::Minus1, D::Minus2)?;
                let scores = some.get(0)?.matmul(&keys)?;
                scores.inplace_op1(&Softmax)?;
                taken.push(scores.matmul(&some.get(2)?)?);
            }
            let taken = Tensor::cat(&taken, 0)?;
            let taken = taken.reshape((texts, heads, tokens, hidden / heads))?;
            around.push(taken.apply_op1_no_bwd(&JoinHeads)?);
            start += texts * tokens;
        }
        Tensor::cat(&around, 0)
    }
}

fn computing(error: candle_core::Error) -> ModelError {
    ModelError::Compute(error.into())
}
