//! The encoder: token ids in, one pooled vector for each text out.
//!
//! There is no padding and therefore no mask. The tokens of all texts stand one after another in one
//! matrix, which is all that the linear layers need; only attention and pooling look at texts one by
//! one, and they take all texts of equal length at once. It knows no text and no thread.

use crate::error::ModelError;
use crate::minilm::gelu::BiasGelu;
use crate::minilm::settings::Settings;
use crate::minilm::weights::Weights;
use candle_core::{D, Device, Result, Tensor};
use candle_nn::ops::{layer_norm, softmax_last_dim};

/// Texts of equal length that stand one after another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Group {
    /// How many texts.
    pub(crate) texts: usize,
    /// How many tokens each has; never 0.
    pub(crate) tokens: usize,
}

/// A BERT encoder with its weights.
pub(crate) struct Bert {
    words: Tensor,
    /// What is added to a word for its place. The type of the token is always the first one, so its
    /// vector has been added to every place.
    places: Tensor,
    norm: Norm,
    layers: Vec<Layer>,
    hidden: usize,
    heads: usize,
}

struct Layer {
    /// Queries, keys and values in one matrix; the queries are scaled already.
    attention: Linear,
    attention_output: Linear,
    attention_norm: Norm,
    intermediate: Linear,
    output: Linear,
    output_norm: Norm,
}

struct Linear {
    /// Turned, so that rows of tokens are multiplied from the left.
    weight: Tensor,
    bias: Tensor,
}

impl Linear {
    fn new((weight, bias): (Tensor, Tensor)) -> Result<Self> {
        let weight = weight.t()?;
        Ok(Self { weight, bias })
    }

    fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        rows.matmul(&self.weight)?.broadcast_add(&self.bias)
    }
}

struct Norm {
    scale: Tensor,
    shift: Tensor,
    epsilon: f32,
}

impl Norm {
    fn new((scale, shift): (Tensor, Tensor), settings: &Settings) -> Self {
        Self {
            scale,
            shift,
            epsilon: settings.norm_epsilon as f32,
        }
    }

    fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        layer_norm(rows, &self.scale, &self.shift, self.epsilon)
    }
}

impl Bert {
    /// Takes every tensor the settings call for out of the file.
    pub(crate) fn new(
        settings: &Settings,
        weights: &Weights,
    ) -> std::result::Result<Self, ModelError> {
        let hidden = settings.hidden;
        let table = |name: &str, rows| {
            weights.tensor(
                &format!("embeddings.{name}_embeddings.weight"),
                &[rows, hidden],
            )
        };
        let places = table("position", settings.positions)?;
        let types = table("token_type", settings.token_types)?;
        let norm = weights.norm("embeddings.LayerNorm", settings)?;
        Ok(Self {
            words: table("word", settings.vocabulary)?,
            places: types
                .narrow(0, 0, 1)
                .and_then(|first| places.broadcast_add(&first))
                .map_err(computing)?,
            norm: Norm::new(norm, settings),
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
            let around = layer.attention_output.forward(&around)?;
            let seen = layer.attention_norm.forward(&(rows + around)?)?;
            let wide = seen.matmul(&layer.intermediate.weight)?;
            let wide = wide.apply_op2_no_bwd(&layer.intermediate.bias, &BiasGelu)?;
            let thought = layer.output.forward(&wide)?;
            rows = layer.output_norm.forward(&(seen + thought)?)?;
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
        self.norm.forward(&(words + places)?)
    }
}

impl Layer {
    fn new(
        number: usize,
        settings: &Settings,
        weights: &Weights,
    ) -> std::result::Result<Self, ModelError> {
        let (hidden, wide) = (settings.hidden, settings.intermediate);
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let (queries, queries_bias) =
            weights.linear(&name("attention.self.query"), hidden, hidden)?;
        let (keys, keys_bias) = weights.linear(&name("attention.self.key"), hidden, hidden)?;
        let (values, values_bias) =
            weights.linear(&name("attention.self.value"), hidden, hidden)?;
        let scale = 1.0 / ((hidden / settings.heads) as f64).sqrt();
        let attention = || {
            Ok((
                Tensor::cat(&[&(queries * scale)?, &keys, &values], 0)?,
                Tensor::cat(&[&(queries_bias * scale)?, &keys_bias, &values_bias], 0)?,
            ))
        };
        let linear = |part: &str, from, to| {
            Linear::new(weights.linear(&name(part), from, to)?).map_err(computing)
        };
        let norm = |part: &str| Ok(Norm::new(weights.norm(&name(part), settings)?, settings));
        Ok(Self {
            attention: attention().and_then(Linear::new).map_err(computing)?,
            attention_output: linear("attention.output.dense", hidden, hidden)?,
            attention_norm: norm("attention.output.LayerNorm")?,
            intermediate: linear("intermediate.dense", hidden, wide)?,
            output: linear("output.dense", wide, hidden)?,
            output_norm: norm("output.LayerNorm")?,
        })
    }

    /// What each token takes from the tokens of its own text.
    fn attend(&self, rows: &Tensor, groups: &[Group], heads: usize) -> Result<Tensor> {
        let (_, hidden) = rows.dims2()?;
        let all = self.attention.forward(rows)?;
        let mut start = 0;
        let mut around = Vec::with_capacity(groups.len());
        for &Group { texts, tokens } in groups {
            let part = all.narrow(0, start, texts * tokens)?;
            let part = part.reshape((texts, tokens, 3, heads, hidden / heads))?;
            // Text and head in front: for each of them one small product.
            let of = |which: usize| {
                part.narrow(2, which, 1)?
                    .squeeze(2)?
                    .transpose(1, 2)?
                    .contiguous()
            };
            let scores = of(0)?.matmul(&of(1)?.transpose(D::Minus1, D::Minus2)?)?;
            let taken = softmax_last_dim(&scores)?.matmul(&of(2)?)?;
            around.push(taken.transpose(1, 2)?.reshape((texts * tokens, hidden))?);
            start += texts * tokens;
        }
        Tensor::cat(&around, 0)
    }
}

fn computing(error: candle_core::Error) -> ModelError {
    ModelError::Compute(error.into())
}
