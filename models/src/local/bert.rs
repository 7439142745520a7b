//! The encoder of BERT's family: token ids in, a vector for each token out.
//!
//! There is no padding and therefore no mask. The tokens of all texts stand one after another in one
//! matrix, which is all that the linear layers need; only attention looks at texts one by
//! one, and takes all texts of equal length at once. It knows no text and no thread.

use crate::error::ModelError;
use crate::local::attention::attention;
use crate::local::batches::Group;
use crate::local::kernel::{AddNorm, BiasGelu, JoinHeads, SplitHeads};
use crate::local::settings::BertShape;
use crate::local::weights::Weights;
use candle_core::{Device, Result, Tensor};

/// A BERT encoder with its weights. Every matrix is kept turned, so that rows of tokens are multiplied
/// from the left.
pub(crate) struct Bert {
    words: Tensor,
    places: Tensor,
    /// What a token of each kind differs by from one of the first kind.
    kinds: Tensor,
    /// Its bias is the vector of the first kind: nearly all tokens are of that kind.
    norm: AddNorm,
    layers: Vec<Layer>,
    heads: usize,
    first_position: u32,
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
        shape: &BertShape,
        weights: &Weights,
    ) -> std::result::Result<Self, ModelError> {
        let hidden = shape.hidden;
        let table = |name: &str, rows| {
            let name = format!("embeddings.{name}_embeddings.weight");
            weights.tensor(&name, &[rows, hidden])
        };
        let types = table("token_type", shape.token_types)?;
        let norm = weights.norm("embeddings.LayerNorm", hidden)?;
        let first = || {
            let first = types.get(0)?;
            let kinds = types.broadcast_sub(&first)?;
            Ok((AddNorm::new(&first, norm, shape.norm_epsilon)?, kinds))
        };
        let (norm, kinds) = first().map_err(computing)?;
        Ok(Self {
            words: table("word", shape.vocabulary)?,
            places: table("position", shape.positions)?,
            kinds,
            norm,
            layers: (0..shape.layers)
                .map(|number| Layer::new(number, shape, weights))
                .collect::<std::result::Result<_, _>>()?,
            heads: shape.heads,
            first_position: shape.first_position as u32,
        })
    }

    /// The last layer: a row for each token. `ids` holds the tokens of all groups, one after another, and `kinds`
    /// their kinds unless all are of the first.
    pub(crate) fn forward(
        &self,
        ids: &[u32],
        kinds: Option<&[u32]>,
        groups: &[Group],
    ) -> Result<Tensor> {
        let mut rows = self.embed(ids, kinds, groups)?;
        for layer in &self.layers {
            let around = layer.attend(&rows, groups, self.heads)?;
            let seen = around.matmul(&layer.attention_output)?;
            seen.inplace_op2(&rows, &layer.attention_norm)?;
            let wide = seen.matmul(&layer.intermediate)?;
            wide.inplace_op1(&layer.gelu)?;
            rows = wide.matmul(&layer.output)?;
            rows.inplace_op2(&seen, &layer.output_norm)?;
        }
        Ok(rows)
    }

    fn embed(&self, ids: &[u32], kinds: Option<&[u32]>, groups: &[Group]) -> Result<Tensor> {
        let words = Tensor::new(ids, &Device::Cpu)?;
        let texts = groups
            .iter()
            .flat_map(|group| (0..group.texts).map(|_| group.tokens));
        let first = self.first_position;
        let places = texts.flat_map(|tokens| first..first + tokens as u32);
        let places: Vec<u32> = places.collect();
        let places = Tensor::new(&places[..], &Device::Cpu)?;
        let words = self.words.index_select(&words, 0)?;
        let mut places = self.places.index_select(&places, 0)?;
        if let Some(kinds) = kinds {
            let kinds = Tensor::new(kinds, &Device::Cpu)?;
            places = (places + self.kinds.index_select(&kinds, 0)?)?;
        }
        words.inplace_op2(&places, &self.norm)?;
        Ok(words)
    }
}

impl Layer {
    fn new(
        number: usize,
        shape: &BertShape,
        weights: &Weights,
    ) -> std::result::Result<Self, ModelError> {
        let (hidden, wide) = (shape.hidden, shape.intermediate);
        let linear = |part: &str, from, to| {
            weights.linear(&format!("encoder.layer.{number}.{part}"), from, to)
        };
        let norm =
            |part: &str| weights.norm(&format!("encoder.layer.{number}.{part}.LayerNorm"), hidden);
        let query = linear("attention.self.query", hidden, hidden)?;
        let key = linear("attention.self.key", hidden, hidden)?;
        let value = linear("attention.self.value", hidden, hidden)?;
        let around = linear("attention.output.dense", hidden, hidden)?;
        let around_norm = norm("attention.output")?;
        let into = linear("intermediate.dense", hidden, wide)?;
        let out = linear("output.dense", wide, hidden)?;
        let out_norm = norm("output")?;
        let put_together = || {
            let scale = 1.0 / ((hidden / shape.heads) as f64).sqrt();
            let attention = Tensor::cat(&[&(query.0 * scale)?, &key.0, &value.0], 0)?;
            let bias = Tensor::cat(&[&(query.1 * scale)?, &key.1, &value.1], 0)?;
            Ok(Self {
                attention: attention.t()?,
                attention_bias: SplitHeads::bias(&bias)?,
                attention_output: around.0.t()?,
                attention_norm: AddNorm::new(&around.1, around_norm, shape.norm_epsilon)?,
                intermediate: into.0.t()?,
                gelu: BiasGelu::new(&into.1)?,
                output: out.0.t()?,
                output_norm: AddNorm::new(&out.1, out_norm, shape.norm_epsilon)?,
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
            let taken = attention(&part.get(0)?, &part.get(1)?, &part.get(2)?, None)?;
            let taken = taken.reshape((texts, heads, tokens, hidden / heads))?;
            around.push(taken.apply_op1_no_bwd(&JoinHeads)?);
            start += texts * tokens;
        }
        Tensor::cat(&around, 0)
    }
}

pub(crate) fn computing(error: candle_core::Error) -> ModelError {
    ModelError::Compute(error.into())
}
