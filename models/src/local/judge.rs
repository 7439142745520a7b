//! A judge whose model computes here: an encoder that reads question and passage as one text, and a small head on the
//! vector of its first token.

use crate::error::ModelError;
use crate::local::batches::Group;
use crate::local::bert::{Bert, computing};
use crate::local::embed::threads;
use crate::local::network::BERT_PREFIXES;
use crate::local::pipeline::{self, TOKENS_PER_BATCH};
use crate::local::pool::pool;
use crate::local::settings::{BertShape, Check, Pooling, Shape, max_tokens};
use crate::local::source::ModelSource;
use crate::local::tokens::Tokens;
use crate::local::weights::Weights;
use crate::local::workers::Workers;
use crate::rerank::{Reranker, ScoreScale};
use candle_core::{Result as CandleResult, Tensor};
use std::path::Path;

/// A model on the processor that judges passages: a cross-encoder of BERT's or XLM-R's family with one score, such as
/// ms-marco-MiniLM or bge-reranker. Its scores are logits.
///
/// ```no_run
/// use stratigraph_models::{LocalReranker, Reranker};
///
/// let judge = LocalReranker::load("models/ms-marco-MiniLM-L-6-v2")?;
/// let scores = judge.scores("How old are these rocks?", &["They formed long ago.", "Tea is hot."])?;
/// assert!(scores[0] > scores[1]);
/// # Ok::<(), stratigraph_models::ModelError>(())
/// ```
pub struct LocalReranker {
    name: String,
    tokens: Tokens,
    bert: Bert,
    head: Head,
    /// Whether question and passage are told apart by more than their places.
    kinds: bool,
    workers: Workers,
}

/// How a [`LocalReranker`] is to be loaded.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct LocalRerankerBuilder {
    name: Option<String>,
    threads: Option<usize>,
    max_tokens: Option<usize>,
}

/// What makes one score of a vector: a matrix, a bend, and a row.
struct Head {
    inner: (Tensor, Tensor),
    outer: (Tensor, Tensor),
}

impl LocalRerankerBuilder {
    /// What the model is called; the name of its folder by default.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// How many threads compute; one for each core by default. At least one and at most 1,024.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Reads no more than so many tokens of a question and a passage together, where the model would read more. At
    /// least 16.
    pub fn max_tokens(mut self, tokens: usize) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// Reads the model from where it lies and starts its threads.
    ///
    /// # Errors
    ///
    /// A file is missing, damaged or too large, asks for something that is not done here, or
    /// holds a tensor of another shape than the settings say.
    pub fn open(self, source: &ModelSource) -> Result<LocalReranker, ModelError> {
        let (files, place) = source.files()?;
        let (shape, _) = Shape::read(&files)?;
        let path = files.path("config.json");
        let check = Check { path: &path };
        let Shape::Bert(bert) = &shape else {
            let supported = "bert or xlm-roberta for models that judge";
            return Err(check.refuse("model_type", "another", supported));
        };
        let most = max_tokens(&files, &shape)?;
        let most = self
            .max_tokens
            .map_or(most, |asked| most.min(asked.max(16)));
        let tokens = Tokens::read(&files, bert.vocabulary, most)?;
        let path = files.path("tokenizer.json");
        let check = Check { path: &path };
        let Some(largest) = tokens.pair_kinds() else {
            let supported = "a template for two texts, with room for them";
            return Err(check.refuse("post_processor", "without a pair", supported));
        };
        let kinds = bert.token_types > 1;
        let fits = !kinds || (largest as usize) < bert.token_types;
        check.that("type_id", largest, fits, "kinds below type_vocab_size")?;
        let weights = Weights::read(&files)?;
        let weights = weights.under(&BERT_PREFIXES, "embeddings.word_embeddings.weight");
        Ok(LocalReranker {
            name: self.name.unwrap_or(place),
            tokens,
            head: Head::new(bert, &weights)?,
            bert: Bert::new(bert, &weights)?,
            kinds,
            workers: Workers::start(threads(self.threads))?,
        })
    }
}

impl LocalReranker {
    /// Reads a model from its folder, for all cores.
    ///
    /// # Errors
    ///
    /// As for [`LocalRerankerBuilder::open`].
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, ModelError> {
        Self::builder().open(&ModelSource::folder(folder.as_ref()))
    }

    /// To set the number of threads or the name before opening.
    pub fn builder() -> LocalRerankerBuilder {
        LocalRerankerBuilder::default()
    }

    fn forward(
        &self,
        ids: &[u32],
        kinds: Option<&[u32]>,
        groups: &[Group],
    ) -> CandleResult<Tensor> {
        let kinds = kinds.filter(|_| self.kinds);
        let rows = self.bert.forward(ids, kinds, groups)?;
        self.head.forward(&pool(&rows, groups, Pooling::First)?)
    }
}

impl Head {
    /// BERT's head begins with the layer that it was trained with; XLM-R's has one of its own.
    fn new(shape: &BertShape, weights: &Weights) -> Result<Self, ModelError> {
        let hidden = shape.hidden;
        let plain = |name: &str, rows: usize| {
            Ok((
                weights.any(&format!("{name}.weight"), &[rows, hidden])?,
                weights.any(&format!("{name}.bias"), &[rows])?,
            ))
        };
        let (inner, outer) = if shape.roberta {
            let inner = plain("classifier.dense", hidden)?;
            (inner, plain("classifier.out_proj", 1)?)
        } else {
            let inner = weights.linear("pooler.dense", hidden, hidden)?;
            (inner, plain("classifier", 1)?)
        };
        let turned = |(weight, bias): (Tensor, Tensor)| CandleResult::Ok((weight.t()?, bias));
        let both = || CandleResult::Ok((turned(inner)?, turned(outer)?));
        let (inner, outer) = both().map_err(computing)?;
        Ok(Self { inner, outer })
    }

    fn forward(&self, rows: &Tensor) -> CandleResult<Tensor> {
        let inner = rows.matmul(&self.inner.0)?.broadcast_add(&self.inner.1)?;
        inner
            .tanh()?
            .matmul(&self.outer.0)?
            .broadcast_add(&self.outer.1)
    }
}

impl Reranker for LocalReranker {
    fn name(&self) -> &str {
        &self.name
    }

    fn max_tokens(&self) -> usize {
        self.tokens.most()
    }

    fn scale(&self) -> ScoreScale {
        ScoreScale::Logit
    }

    fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, ModelError> {
        let cut = |place| move |source| ModelError::Tokens { place, source };
        let question = self.tokens.question(question).map_err(cut(0))?;
        let framed = pipeline::frame(&self.workers, passages.len(), |place| {
            let framed = self.tokens.pair(&question, passages[place]);
            framed.map_err(cut(place))
        })?;
        let rows = pipeline::compute(
            &self.workers,
            TOKENS_PER_BATCH,
            &framed,
            1,
            |ids, kinds, groups| self.forward(ids, kinds, groups),
            |place, score| {
                let finite = score.iter().all(|score| score.is_finite());
                finite.then_some(()).ok_or(ModelError::NotFinite { place })
            },
        )?;
        Ok(rows.into_values())
    }
}
