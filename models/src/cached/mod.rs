//! An embedder that computes each text once: what it made is kept under the hash of the text.
//!
//! Some of it is kept in memory, up to a limit (`memory.rs`); all of it in a [`VectorStore`], if there is one, which
//! may be a table of a database. Rows that come out of it are looked at like rows of a model.

mod memory;

use crate::checked::{Checked, check};
use crate::embedder::{Embedder, Purpose, Rows};
use crate::error::{Cause, ModelError};
use crate::language::Coverage;
use memory::Memory;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The SHA-256 of a text. It is what a text is called where vectors are kept: nobody can write a text that takes
/// another's vector.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextHash([u8; 32]);

impl TextHash {
    /// The hash of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for TextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Where vectors are kept beyond the life of a process.
///
/// A vector belongs to the name of the embedder that made it, to what the text was to it, and to the text. Whoever
/// gives different models the same name mixes their vectors.
pub trait VectorStore: Send + Sync {
    /// For each text the vector that was put, if it was.
    ///
    /// # Errors
    ///
    /// When nothing can be read. The text is not embedded then: whoever has no store says so by having none.
    fn get(
        &self,
        embedder: &str,
        purpose: Purpose,
        texts: &[TextHash],
    ) -> Result<Vec<Option<Vec<f32>>>, Box<dyn std::error::Error + Send + Sync>>;

    /// Keeps vectors; what was there under the same names is replaced.
    ///
    /// # Errors
    ///
    /// When nothing can be written.
    fn put(
        &self,
        embedder: &str,
        purpose: Purpose,
        vectors: &[(TextHash, &[f32])],
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}

/// Where the rows of a [`Cached`] came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheCounts {
    /// From memory, or from the same text in the same call.
    pub from_memory: u64,
    /// From the store.
    pub from_store: u64,
    /// From the model.
    pub computed: u64,
}

/// An embedder that computes each text once.
///
/// ```
/// use stratigraph_models::{Cached, Embedder, Lexical};
///
/// let model = Cached::new(Lexical::new(), 16 << 20);
/// let first = model.embed(&["old rocks", "old rocks"])?;
/// assert_eq!(model.embed(&["old rocks"])?.row(0), first.row(1));
/// assert_eq!(model.counts().computed, 1);
/// # Ok::<(), stratigraph_models::ModelError>(())
/// ```
pub struct Cached<E> {
    embedder: Checked<E>,
    memory: Mutex<Memory>,
    store: Option<Arc<dyn VectorStore>>,
    from_memory: AtomicU64,
    from_store: AtomicU64,
    computed: AtomicU64,
}

impl<E: Embedder> Cached<E> {
    /// Keeps rows in memory, in at most so many bytes.
    pub fn new(embedder: E, memory_bytes: usize) -> Self {
        Self {
            embedder: Checked::new(embedder),
            memory: Mutex::new(Memory::new(memory_bytes)),
            store: None,
            from_memory: AtomicU64::new(0),
            from_store: AtomicU64::new(0),
            computed: AtomicU64::new(0),
        }
    }

    /// Keeps them there as well.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn VectorStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Where the rows came from so far.
    #[must_use]
    pub fn counts(&self) -> CacheCounts {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        CacheCounts {
            from_memory: count(&self.from_memory),
            from_store: count(&self.from_store),
            computed: count(&self.computed),
        }
    }

    fn embed_cached(&self, purpose: Purpose, texts: &[&str]) -> Result<Rows, ModelError> {
        let mut rows = Rows::zeros(texts.len(), self.dimensions())?;
        let mut targets: Vec<&mut [f32]> = rows.iter_mut().collect();
        let hashes: Vec<TextHash> = texts.iter().map(|text| TextHash::of(text)).collect();
        let mut wanted = Wanted::default();
        {
            let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
            for (place, hash) in hashes.iter().enumerate() {
                match memory.get(purpose, hash) {
                    Some(row) => targets[place].copy_from_slice(row),
                    None => wanted.add(place, *hash),
                }
            }
        }
        let missing = wanted.hashes.len() as u64;
        add(&self.from_memory, texts.len() as u64 - missing);
        self.look_in_store(purpose, &mut wanted, &mut targets)?;
        add(&self.from_store, missing - wanted.hashes.len() as u64);
        add(&self.computed, wanted.hashes.len() as u64);
        if wanted.hashes.is_empty() {
            return Ok(rows);
        }
        let firsts: Vec<usize> = wanted.places.iter().map(|places| places[0]).collect();
        let distinct: Vec<&str> = firsts.iter().map(|place| texts[*place]).collect();
        let computed = self.embedder.embed_for(purpose, &distinct);
        // The places that an error names are those of the caller.
        let computed = computed
            .map_err(|error| error.at(|place| firsts.get(place).copied().unwrap_or(place)))?;
        if let Some(store) = &self.store {
            let hashes = wanted.hashes.iter().copied();
            let vectors: Vec<(TextHash, &[f32])> = hashes.zip(computed.iter()).collect();
            let name = self.embedder.name();
            let put = store.put(name, purpose, &vectors);
            put.map_err(ModelError::Store)?;
        }
        self.fill(purpose, &wanted, computed.iter(), &mut targets);
        Ok(rows.counted(computed.tokens()))
    }

    /// Takes out of what is wanted what the store has.
    fn look_in_store(
        &self,
        purpose: Purpose,
        wanted: &mut Wanted,
        targets: &mut [&mut [f32]],
    ) -> Result<(), ModelError> {
        let Some(store) = self.store.as_ref().filter(|_| !wanted.hashes.is_empty()) else {
            return Ok(());
        };
        let kept = store.get(self.embedder.name(), purpose, &wanted.hashes);
        let kept = kept.map_err(ModelError::Store)?;
        if kept.len() != wanted.hashes.len() {
            let problem = format!("{} vectors for {} texts", kept.len(), wanted.hashes.len());
            return Err(ModelError::Store(Cause::from(problem)));
        }
        // One that is damaged or of another model is made again, and replaced.
        let good = |row: &Vec<f32>| row.len() == self.dimensions() && check(0, row).is_ok();
        let kept: Vec<Option<Vec<f32>>> = kept.into_iter().map(|row| row.filter(good)).collect();
        let (found, left) = std::mem::take(wanted).split(|at| kept[at].is_some());
        let rows = kept.iter().flatten().map(Vec::as_slice);
        self.fill(purpose, &found, rows, targets);
        *wanted = left;
        Ok(())
    }

    fn fill<'a>(
        &self,
        purpose: Purpose,
        texts: &Wanted,
        rows: impl Iterator<Item = &'a [f32]>,
        targets: &mut [&mut [f32]],
    ) {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        for ((hash, places), row) in texts.hashes.iter().zip(&texts.places).zip(rows) {
            for place in places {
                targets[*place].copy_from_slice(row);
            }
            memory.put(purpose, *hash, row);
        }
    }
}

fn add(count: &AtomicU64, more: u64) {
    count.fetch_add(more, Ordering::Relaxed);
}

/// Texts whose rows are still to be found, each once.
#[derive(Default)]
struct Wanted {
    hashes: Vec<TextHash>,
    /// Where each is wanted; at least in one place.
    places: Vec<Vec<usize>>,
    known: HashMap<TextHash, usize>,
}

impl Wanted {
    fn add(&mut self, place: usize, hash: TextHash) {
        let at = *self.known.entry(hash).or_insert(self.hashes.len());
        if at == self.hashes.len() {
            self.hashes.push(hash);
            self.places.push(Vec::new());
        }
        self.places[at].push(place);
    }

    /// Those of which this is true, and the others.
    fn split(self, first: impl Fn(usize) -> bool) -> (Self, Self) {
        let (mut yes, mut no) = (Self::default(), Self::default());
        let all = self.hashes.into_iter().zip(self.places);
        for (at, (hash, places)) in all.enumerate() {
            let side = if first(at) { &mut yes } else { &mut no };
            side.hashes.push(hash);
            side.places.push(places);
        }
        (yes, no)
    }
}

impl<E: Embedder> Embedder for Cached<E> {
    fn name(&self) -> &str {
        self.embedder.name()
    }

    fn dimensions(&self) -> usize {
        self.embedder.dimensions()
    }

    fn max_tokens(&self) -> usize {
        self.embedder.max_tokens()
    }

    fn max_text_tokens(&self) -> usize {
        self.embedder.max_text_tokens()
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.embed_cached(Purpose::Passage, texts)
    }

    fn embed_questions(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.embed_cached(Purpose::Question, texts)
    }

    fn token_ends(&self, text: &str) -> Result<Option<Vec<usize>>, ModelError> {
        self.embedder.token_ends(text)
    }

    // Nobody asks for them twice.
    fn token_vectors(&self, texts: &[&str]) -> Result<Option<Vec<Rows>>, ModelError> {
        self.embedder.token_vectors(texts)
    }

    fn coverage(&self, texts: &[&str]) -> Result<Option<Coverage>, ModelError> {
        self.embedder.coverage(texts)
    }
}

#[cfg(test)]
mod tests;
