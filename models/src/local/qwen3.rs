//! Qwen3: token ids in, a vector for each token out, each knowing only what came before it.
//!
//! As in `bert.rs` there is no padding: the tokens of all texts stand one after another, and only attention looks at
//! texts one by one. Several heads that ask share one that is asked; places are told apart by turning pairs of
//! numbers, not by a table.

use crate::error::ModelError;
use crate::local::attention::attention;
use crate::local::batches::Group;
use crate::local::bert::computing;
use crate::local::kernel::{JoinHeads, RootNorm, SwiGlu, TurnHeads, Turning};
use crate::local::settings::Qwen3Shape;
use crate::local::weights::Weights;
use candle_core::{Device, Result, Tensor};

/// The network with its weights. Every matrix is kept turned, so that rows of tokens are multiplied from the left.
pub(crate) struct Qwen3 {
    words: Tensor,
    layers: Vec<Layer>,
    norm: RootNorm,
    turning: Turning,
    heads: usize,
    key_heads: usize,
    head_size: usize,
}

struct Layer {
    norm: RootNorm,
    /// Queries, keys and values in one matrix.
    attention: Tensor,
    /// With the scale of the scores.
    query_norm: RootNorm,
    key_norm: RootNorm,
    attention_output: Tensor,
    wide_norm: RootNorm,
    /// The gate and what goes through it in one matrix.
    wide: Tensor,
    output: Tensor,
}

impl Qwen3 {
    /// Takes every tensor the settings call for out of the file. No text will be longer than `most`.
    pub(crate) fn new(
        shape: &Qwen3Shape,
        weights: &Weights,
        most: usize,
    ) -> std::result::Result<Self, ModelError> {
        let (vocabulary, hidden) = (shape.vocabulary, shape.hidden);
        let norm = weights.tensor("norm.weight", &[hidden])?;
        let layers = (0..shape.layers).map(|number| Layer::new(number, shape, weights));
        Ok(Self {
            words: weights.tensor("embed_tokens.weight", &[vocabulary, hidden])?,
            layers: layers.collect::<std::result::Result<_, _>>()?,
            norm: RootNorm::new(&norm, shape.norm_epsilon).map_err(computing)?,
            turning: Turning::new(most.min(shape.positions), shape.head_size, shape.turning),
            heads: shape.heads,
            key_heads: shape.key_heads,
            head_size: shape.head_size,
        })
    }

    /// The last layer: a row for each token. `ids` holds the tokens of all groups, one after another.
    pub(crate) fn forward(&self, ids: &[u32], groups: &[Group]) -> Result<Tensor> {
        let ids = Tensor::new(ids, &Device::Cpu)?;
        let mut rows = self.words.index_select(&ids, 0)?;
        for layer in &self.layers {
            let normed = rows.apply_op1_no_bwd(&layer.norm)?;
            let around = self.attend(layer, &normed, groups)?;
            rows = (rows + around.matmul(&layer.attention_output)?)?;
            let normed = rows.apply_op1_no_bwd(&layer.wide_norm)?;
            let wide = normed.matmul(&layer.wide)?;
            let thought = wide.apply_op1_no_bwd(&SwiGlu)?.matmul(&layer.output)?;
            rows = (rows + thought)?;
        }
        rows.apply_op1_no_bwd(&self.norm)
    }

    /// What each token takes from the tokens of its own text that are not behind it.
    fn attend(&self, layer: &Layer, rows: &Tensor, groups: &[Group]) -> Result<Tensor> {
        let all = rows.matmul(&layer.attention)?;
        let (heads, key_heads, size) = (self.heads, self.key_heads, self.head_size);
        let mut start = 0;
        let mut around = Vec::with_capacity(groups.len());
        for &Group { texts, tokens } in groups {
            let part = all.narrow(0, start, texts * tokens)?;
            let part = part.apply_op1_no_bwd(&TurnHeads {
                heads,
                key_heads,
                tokens,
                query_norm: &layer.query_norm,
                key_norm: &layer.key_norm,
                turning: &self.turning,
            })?;
            // The heads that share one stand one below another, as one higher matrix.
            let together = heads / key_heads;
            let queries = part.narrow(0, 0, texts * heads)?;
            let queries = queries.reshape((texts * key_heads, together * tokens, size))?;
            let keys = part.narrow(0, texts * heads, texts * key_heads)?;
            let values = part.narrow(0, texts * (heads + key_heads), texts * key_heads)?;
            let taken = attention(&queries, &keys, &values, Some(tokens))?;
            let taken = taken.reshape((texts, heads, tokens, size))?;
            around.push(taken.apply_op1_no_bwd(&JoinHeads)?);
            start += texts * tokens;
        }
        Tensor::cat(&around, 0)
    }
}

impl Layer {
    fn new(
        number: usize,
        shape: &Qwen3Shape,
        weights: &Weights,
    ) -> std::result::Result<Self, ModelError> {
        let (hidden, wide, size) = (shape.hidden, shape.intermediate, shape.head_size);
        let tensor = |part: &str, shape: &[usize]| {
            weights.tensor(&format!("layers.{number}.{part}.weight"), shape)
        };
        let (queries, keys) = (shape.heads * size, shape.key_heads * size);
        let query = tensor("self_attn.q_proj", &[queries, hidden])?;
        let key = tensor("self_attn.k_proj", &[keys, hidden])?;
        let value = tensor("self_attn.v_proj", &[keys, hidden])?;
        let query_norm = tensor("self_attn.q_norm", &[size])?;
        let key_norm = tensor("self_attn.k_norm", &[size])?;
        let around = tensor("self_attn.o_proj", &[hidden, queries])?;
        let gate = tensor("mlp.gate_proj", &[wide, hidden])?;
        let up = tensor("mlp.up_proj", &[wide, hidden])?;
        let down = tensor("mlp.down_proj", &[hidden, wide])?;
        let norm = tensor("input_layernorm", &[hidden])?;
        let wide_norm = tensor("post_attention_layernorm", &[hidden])?;
        let put_together = || {
            let epsilon = shape.norm_epsilon;
            // Turning does not change lengths, so that the scale can be taken beforehand.
            let query_norm = (query_norm / (size as f64).sqrt())?;
            Ok(Self {
                norm: RootNorm::new(&norm, epsilon)?,
                attention: Tensor::cat(&[&query, &key, &value], 0)?.t()?,
                query_norm: RootNorm::new(&query_norm, epsilon)?,
                key_norm: RootNorm::new(&key_norm, epsilon)?,
                attention_output: around.t()?,
                wide_norm: RootNorm::new(&wide_norm, epsilon)?,
                wide: Tensor::cat(&[&gate, &up], 0)?.t()?,
                output: down.t()?,
            })
        };
        put_together().map_err(computing)
    }
}
