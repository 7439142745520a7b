//! An embedder whose model computes here.

use crate::embedder::{Embedder, Purpose, Rows};
use crate::error::ModelError;
use crate::language::{Coverage, stands_alone};
use crate::local::batches::Group;
use crate::local::files::Files;
use crate::local::network::Network;
use crate::local::pipeline::{self, TOKENS_PER_BATCH};
use crate::local::pool::pool;
use crate::local::settings::{Check, Sentence, Shape};
use crate::local::source::ModelSource;
use crate::local::tokens::{Span, Tokens};
use crate::local::weights::Weights;
use crate::local::workers::Workers;
use std::path::Path;
use std::thread;

/// A vector shorter than this has no direction.
const SHORTEST: f32 = 1e-12;

/// A model on the processor that makes vectors. Its rows have length 1.
///
/// Which models: those of BERT's family (MiniLM, bge, e5, gte), of XLM-R's (bge-m3, multilingual-e5), and
/// Qwen3-Embedding.
///
/// The row of a text depends on nothing but the text, the model and the kind of processor: not on the number of
/// threads, and not on the other texts, but for the last digits where so few tokens are computed at once that their
/// products are added up in another order.
///
/// ```no_run
/// use stratigraph_models::{Embedder, LocalEmbedder};
///
/// let model = LocalEmbedder::load("models/all-MiniLM-L6-v2")?;
/// let rows = model.embed(&["A cat sits on the mat.", "Eine Katze sitzt auf der Matte."])?;
/// assert_eq!(rows.dimensions(), 384);
/// # Ok::<(), stratigraph_models::ModelError>(())
/// ```
pub struct LocalEmbedder {
    name: String,
    sentence: Sentence,
    tokens: Tokens,
    network: Network,
    workers: Workers,
    batch_tokens: usize,
    dimensions: usize,
}

/// How a [`LocalEmbedder`] is to be loaded.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct LocalEmbedderBuilder {
    name: Option<String>,
    threads: Option<usize>,
    batch_tokens: Option<usize>,
    max_tokens: Option<usize>,
    question_prompt: Option<String>,
    passage_prompt: Option<String>,
}

impl LocalEmbedderBuilder {
    /// What the model is called; by default the name of its folder, and if its prompts or limit are not its own, their
    /// fingerprint. Vectors of different names must not be compared.
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

    /// Reads no more than so many tokens of a text, where the model would read more. At least 8.
    pub fn max_tokens(mut self, tokens: usize) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// What is put before a question; by default what the model's files say, or what is known of its family.
    pub fn question_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.question_prompt = Some(prompt.into());
        self
    }

    /// What is put before a passage; by default what the model's files say, or what is known of its family.
    pub fn passage_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.passage_prompt = Some(prompt.into());
        self
    }

    /// Reads the model from its folder and starts its threads.
    ///
    /// # Errors
    ///
    /// A file is missing, damaged or too large, asks for something that is not done here, or
    /// holds a tensor of another shape than the settings say.
    pub fn load(self, folder: impl AsRef<Path>) -> Result<LocalEmbedder, ModelError> {
        self.open(&ModelSource::folder(folder.as_ref()))
    }

    /// The same for a model that lies anywhere.
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load); also if it is not in the hub's cache, or an archive has other bytes.
    pub fn open(self, source: &ModelSource) -> Result<LocalEmbedder, ModelError> {
        let (files, place) = source.files()?;
        self.read(&files, &place)
    }

    fn read(self, files: &Files, place: &str) -> Result<LocalEmbedder, ModelError> {
        let (shape, made) = Shape::read(files)?;
        if made.judges {
            let path = files.path("config.json");
            let supported = "a model that makes vectors (a LocalReranker is one that judges)";
            return Err(Check { path: &path }.refuse(
                "architectures",
                "one that judges",
                supported,
            ));
        }
        let named = self.name.is_some();
        let name = self.name.unwrap_or_else(|| place.to_owned());
        let mut sentence = Sentence::read(files, &shape, &[&name, place, &made.name])?;
        let usual = sentence.clone();
        if let Some(most) = self.max_tokens {
            sentence.max_tokens = sentence.max_tokens.min(most.max(8));
        }
        if let Some(prompt) = self.question_prompt {
            sentence.prompts.question = prompt;
        }
        if let Some(prompt) = self.passage_prompt {
            sentence.prompts.passage = prompt;
        }
        // It makes other vectors than it would, which must not be taken for them.
        let name = match named {
            false if sentence != usual => format!("{name}#{}", sentence.fingerprint()),
            _ => name,
        };
        let tokens = Tokens::read(files, shape.vocabulary(), sentence.max_tokens)?;
        let network = Network::new(&shape, Weights::read(files)?, sentence.max_tokens)?;
        Ok(LocalEmbedder {
            name,
            sentence,
            tokens,
            network,
            workers: Workers::start(threads(self.threads))?,
            batch_tokens: self.batch_tokens.unwrap_or(TOKENS_PER_BATCH),
            dimensions: shape.hidden(),
        })
    }
}

/// As many as were asked for, or one for each core.
pub(crate) fn threads(asked: Option<usize>) -> usize {
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    asked.unwrap_or_else(cores).clamp(1, 1024)
}

impl LocalEmbedder {
    /// Reads a model from its folder, for all cores.
    ///
    /// # Errors
    ///
    /// As for [`LocalEmbedderBuilder::load`].
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, ModelError> {
        Self::builder().load(folder)
    }

    /// To set the number of threads, the name or the prompts before loading.
    pub fn builder() -> LocalEmbedderBuilder {
        LocalEmbedderBuilder::default()
    }

    /// What is put before texts of this purpose; empty for models that do not care.
    #[must_use]
    pub fn prompt(&self, purpose: Purpose) -> &str {
        match purpose {
            Purpose::Passage => &self.sentence.prompts.passage,
            Purpose::Question => &self.sentence.prompts.question,
        }
    }

    fn embed_with(&self, prompt: &str, texts: &[&str]) -> Result<Rows, ModelError> {
        let framed = pipeline::frame(&self.workers, texts.len(), |place| {
            let framed = self.tokens.single(prompt, texts[place]);
            framed.map_err(|source| ModelError::Tokens { place, source })
        })?;
        pipeline::compute(
            &self.workers,
            self.batch_tokens,
            &framed,
            self.dimensions,
            |ids, _, groups| {
                let rows = self.network.forward(ids, groups)?;
                pool(&rows, groups, self.sentence.pooling)
            },
            normalise,
        )
    }
}

impl Embedder for LocalEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn max_tokens(&self) -> usize {
        self.tokens.most()
    }

    fn max_text_tokens(&self) -> usize {
        // A prompt that cannot be cut into tokens is an error of whoever embeds.
        let prompt = self.tokens.ends(self.prompt(Purpose::Passage));
        let before = prompt.as_ref().map_or(0, Vec::len);
        self.tokens.room().saturating_sub(before).max(1)
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.embed_with(self.prompt(Purpose::Passage), texts)
    }

    fn embed_questions(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.embed_with(self.prompt(Purpose::Question), texts)
    }

    fn token_ends(&self, text: &str) -> Result<Option<Vec<usize>>, ModelError> {
        let ends = self.tokens.ends(text);
        let ends = ends.map_err(|source| ModelError::Tokens { place: 0, source });
        ends.map(Some)
    }

    /// Of encoders of BERT's family, whose tokens see the whole text.
    fn token_vectors(&self, texts: &[&str]) -> Result<Option<Vec<Rows>>, ModelError> {
        let Network::Bert(bert) = &self.network else {
            return Ok(None);
        };
        let vectors = self.workers.run(texts.len(), |place| {
            let framed = self.tokens.single_with_place(texts[place]);
            let (framed, of_text) =
                framed.map_err(|source| ModelError::Tokens { place, source })?;
            let alone = Group {
                texts: 1,
                tokens: framed.ids.len(),
            };
            let values = bert.forward(&framed.ids, None, &[alone]);
            let values = values.and_then(|rows| rows.flatten_all()?.to_vec1::<f32>());
            let values = values.map_err(|error| ModelError::Compute(error.into()))?;
            let kept = of_text.start * self.dimensions..of_text.end * self.dimensions;
            let kept = values.get(kept).unwrap_or_default();
            match kept.iter().all(|value| value.is_finite()) {
                true => Rows::of(kept.to_vec(), self.dimensions),
                false => Err(ModelError::NotFinite { place }),
            }
        });
        vectors.map(Some)
    }

    fn coverage(&self, texts: &[&str]) -> Result<Option<Coverage>, ModelError> {
        let mut coverage = Coverage::default();
        for (place, text) in texts.iter().enumerate() {
            let spans = self.tokens.spans(text);
            let spans = spans.map_err(|source| ModelError::Tokens { place, source })?;
            count(text, &spans, &mut coverage);
        }
        Ok(Some(coverage))
    }
}

/// Counts the letters of a text by whether a token stands for more than one of them.
fn count(text: &str, spans: &[Span], coverage: &mut Coverage) {
    for (at, span) in spans.iter().enumerate() {
        let same = |other: Option<&Span>| other.is_some_and(|other| other.bytes == span.bytes);
        if at > 0 && same(spans.get(at - 1)) {
            continue;
        }
        let letters = text.get(span.bytes.clone()).unwrap_or_default();
        let letters = letters.chars().filter(|sign| sign.is_alphabetic());
        let several = letters.clone().count() > 1;
        // A part of a letter is less than one: several tokens that all stand for it.
        let parts = same(spans.get(at + 1));
        let joined = |sign: Option<char>| sign.is_some_and(char::is_alphabetic);
        let before = text.get(..span.bytes.start).unwrap_or_default();
        let behind = text.get(span.bytes.end..).unwrap_or_default();
        let in_word = joined(before.chars().next_back()) || joined(behind.chars().next());
        for letter in letters {
            let whole = several || stands_alone(letter) || !in_word;
            coverage.count(letter, whole && !parts && !span.unknown);
        }
    }
}

/// To length 1, unless a number is none or the row has no direction.
fn normalise(place: usize, row: &mut [f32]) -> Result<(), ModelError> {
    let length = row.iter().map(|value| value * value).sum::<f32>().sqrt();
    // Also when the squares were too large to be added.
    if !length.is_finite() {
        return Err(ModelError::NotFinite { place });
    }
    if length < SHORTEST {
        return Err(ModelError::NoDirection { place });
    }
    row.iter_mut().for_each(|value| *value /= length);
    Ok(())
}
