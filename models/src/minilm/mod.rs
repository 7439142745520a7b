//! MiniLM and its kin: BERT encoders with mean pooling, computed on this machine's processor.
//!
//! ```text
//! texts ──> tokens ──> batches of similar length ──> bert, on every core ──> length 1 ──> rows, in order
//! ```
//!
//! A model is a folder with `config.json`, `sentence_bert_config.json`, `1_Pooling/config.json`,
//! `tokenizer.json` and `model.safetensors`, in the form sentence-transformers keeps them. Files are
//! read as if an enemy had written them. Nothing is fetched from anywhere.

mod batches;
mod bert;
mod cache;
mod kernel;
mod settings;
mod tokens;
mod weights;
mod workers;

use crate::embedder::{Embedder, Rows};
use crate::error::ModelError;
use bert::Bert;
pub use cache::cached_minilm;
use settings::Settings;
use std::path::Path;
use std::thread;
use tokens::Tokens;
use weights::Weights;
use workers::Workers;

/// Tokens computed together. From 512 to 4,096 it makes no difference that could be measured; below, the
/// matrices are too low. Few, so that few texts are enough work for every core.
const TOKENS_PER_BATCH: usize = 1024;
/// Texts that one thread cuts into tokens before it asks for more.
const TEXTS_PER_JOB: usize = 64;
/// A vector shorter than this is left at zero instead of being blown up, as PyTorch has it.
const SHORTEST: f32 = 1e-12;

/// A sentence encoder on the processor. Its rows have length 1.
///
/// The row of a text depends on nothing but the text, the model and the kind of processor: neither on
/// the other texts nor on the number of threads.
///
/// ```no_run
/// use stratigraph_models::{Embedder, MiniLm};
///
/// let model = MiniLm::load("models/all-MiniLM-L6-v2")?;
/// let rows = model.embed(&["A cat sits on the mat.", "Eine Katze sitzt auf der Matte."])?;
/// assert_eq!(rows.dimensions(), 384);
/// # Ok::<(), stratigraph_models::ModelError>(())
/// ```
pub struct MiniLm {
    name: String,
    settings: Settings,
    tokens: Tokens,
    bert: Bert,
    workers: Workers,
    batch_tokens: usize,
}

/// How a [`MiniLm`] is to be loaded.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct MiniLmBuilder {
    name: Option<String>,
    threads: Option<usize>,
    batch_tokens: Option<usize>,
}

impl MiniLmBuilder {
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

    /// About how many tokens are computed at once by each thread. Only for measuring.
    pub fn batch_tokens(mut self, tokens: usize) -> Self {
        self.batch_tokens = Some(tokens);
        self
    }

    /// Reads the model from its folder and starts its threads.
    ///
    /// # Errors
    ///
    /// A file is missing, damaged or too large, asks for something that this encoder does not do, or
    /// holds a tensor of another shape than the settings say.
    pub fn load(self, folder: impl AsRef<Path>) -> Result<MiniLm, ModelError> {
        let folder = folder.as_ref();
        let settings = Settings::read(folder)?;
        let tokens = Tokens::read(folder, &settings)?;
        let bert = Bert::new(&settings, &Weights::read(folder)?)?;
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or_else(cores).clamp(1, 1024);
        let own_name = || {
            let name = folder.file_name().unwrap_or(folder.as_os_str());
            name.to_string_lossy().into_owned()
        };
        Ok(MiniLm {
            name: self.name.unwrap_or_else(own_name),
            settings,
            tokens,
            bert,
            workers: Workers::start(threads)?,
            batch_tokens: self.batch_tokens.unwrap_or(TOKENS_PER_BATCH),
        })
    }
}

impl MiniLm {
    /// Reads a model from its folder, for all cores.
    ///
    /// # Errors
    ///
    /// As for [`MiniLmBuilder::load`].
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, ModelError> {
        Self::builder().load(folder)
    }

    /// To set the number of threads or the name before loading.
    pub fn builder() -> MiniLmBuilder {
        MiniLmBuilder::default()
    }

    /// The ids of each text, in order.
    fn tokenise(&self, texts: &[&str]) -> Result<Vec<Vec<u32>>, ModelError> {
        let jobs = texts.len().div_ceil(TEXTS_PER_JOB);
        let portions = self.workers.run(jobs, |job| {
            let first = job * TEXTS_PER_JOB;
            let texts = texts.iter().enumerate().skip(first).take(TEXTS_PER_JOB);
            texts
                .map(|(place, text)| {
                    let ids = self.tokens.ids(text);
                    ids.map_err(|source| ModelError::Tokens { place, source })
                })
                .collect::<Result<Vec<_>, _>>()
        })?;
        Ok(portions.into_iter().flatten().collect())
    }
}

impl Embedder for MiniLm {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.settings.hidden
    }

    fn max_tokens(&self) -> usize {
        self.settings.max_tokens
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let dimensions = self.dimensions();
        let mut rows = Rows::zeros(texts.len(), dimensions)?;
        let ids = self.tokenise(texts)?;
        let lengths: Vec<usize> = ids.iter().map(Vec::len).collect();
        let plan = batches::plan(&lengths, self.batch_tokens);
        let computed = self.workers.run(plan.batches.len(), |job| {
            let batch = &plan.batches[job];
            let places = &plan.order[batch.places.clone()];
            let ids: Vec<u32> = places
                .iter()
                .flat_map(|place| &ids[*place])
                .copied()
                .collect();
            let pooled = self.bert.forward(&ids, &batch.groups);
            let values = pooled.and_then(|pooled| pooled.flatten_all()?.to_vec1::<f32>());
            let mut values = values.map_err(|error| ModelError::Compute(error.into()))?;
            for (place, row) in places.iter().zip(values.chunks_exact_mut(dimensions)) {
                normalise(row).ok_or(ModelError::NotFinite { place: *place })?;
            }
            Ok(values)
        })?;
        let mut targets: Vec<&mut [f32]> = rows.iter_mut().collect();
        for (batch, values) in plan.batches.iter().zip(computed) {
            let places = &plan.order[batch.places.clone()];
            for (place, row) in places.iter().zip(values.chunks_exact(dimensions)) {
                targets[*place].copy_from_slice(row);
            }
        }
        Ok(rows)
    }
}

/// To length 1, unless a number is none.
fn normalise(row: &mut [f32]) -> Option<()> {
    let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
    row.iter_mut()
        .for_each(|value| *value /= length.max(SHORTEST));
    // Also when the squares were too large to be added.
    (length.is_finite() && row.iter().all(|value| value.is_finite())).then_some(())
}
