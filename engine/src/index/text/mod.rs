//! Full-text indexes: which texts have which words, best first by BM25.
//!
//! Postings, lengths and statistics are pairs of two families like everything else, written by the transaction that
//! changes the text. So a search sees exactly the texts of its snapshot, and inside a write transaction its own.
//! [`keys`] has pictures of all keys.
//!
//! - A [`TextIndex`] is a number and [`TextSettings`]: properties with weights, an [`Analysis`], k1 and b.
//! - [`analysis`] makes terms of text; [`TextWriter`] collects what a transaction changes and writes it as one
//!   [`segment`], in which every version of a document has a number of its own.
//! - [`TextReader`] reads the segments of a snapshot: a [`Query`] becomes a plan, the plan is walked document by
//!   document or, when it is words only, in windows that leave out what cannot reach the best k.
//! - [`merge_some`] makes few segments of many; [`highlight`] shows where a text matches; [`check()`] recounts.
//!
//! **Scores are a function of the live documents**, not of history: how many documents there are, how long they are
//! and how many have a term is exact in every commit. Two indexes with the same texts give the same scores, to the
//! last bit, whatever was written, replaced, removed and merged in between. See docs/adr/0017.
//!
//! It must never rewrite what a reader may be reading by other means than keys: no state of its own decides what
//! is found.

pub mod analysis;
mod binding;
mod cache;
mod check;
mod highlight;
mod keys;
mod merging;
mod postings;
mod query;
mod request;
mod search;
mod segment;
mod settings;
mod statistics;
mod write;

pub use analysis::{Analysis, Term};
pub(crate) use binding::{settle_missing, settle_touched, texts_of};
pub(crate) use cache::DEFAULT_BYTES as DEFAULT_TEXT_CACHE_BYTES;
pub use cache::TextCache;
pub use check::{TextFinding, check, compare};
pub use highlight::{Highlight, Highlighter};
pub(crate) use merging::next_merge;
pub use merging::{Merged, merge_some, should_merge};
pub use query::{Query, QueryLimits};
pub use request::{TermCount, TextAnswer, TextHit, TextSearch};
pub use search::{Found, Hit, SearchOptions, TextReader, Work};
pub use settings::{MAX_FIELDS, TextField, TextSettings, Weight};
pub use write::{Settled, TextWriter};

use crate::catalog::{SchemaId, TextIndexDef};
use crate::error::Result;
use crate::graph::pending::Pairs;
use crate::keys::KeyWrite;
use crate::storage::batch::Batch;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use std::fmt;
use std::sync::Arc;

/// Whose text a document is: the number of a node or of a relationship. An index is on one of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId(u64);

impl OwnerId {
    /// The owner with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for OwnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An index of texts: its number, which all its keys begin with, and what it was declared with.
#[derive(Clone, Debug, PartialEq)]
pub struct TextIndex {
    id: SchemaId,
    settings: Arc<TextSettings>,
}

impl TextIndex {
    /// The index with this number.
    #[must_use]
    pub fn new(id: SchemaId, settings: impl Into<Arc<TextSettings>>) -> Self {
        Self {
            id,
            settings: settings.into(),
        }
    }

    /// The index with the number of a declaration that only tests and benchmarks have made.
    #[must_use]
    pub fn numbered(number: u32, settings: impl Into<Arc<TextSettings>>) -> Self {
        Self::new(SchemaId(number), settings)
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> SchemaId {
        self.id
    }

    /// What it was declared with.
    #[must_use]
    pub fn settings(&self) -> &TextSettings {
        &self.settings
    }

    /// Where its keys lie, in each of its families: what dropping it removes.
    #[must_use]
    pub fn keys(&self) -> [(Family, KeyRange); 2] {
        [Family::Postings, Family::TextDocuments].map(|family| (family, keys::of_index(self.id)))
    }
}

impl TextIndexDef {
    /// The index itself.
    #[must_use]
    pub fn index(&self) -> TextIndex {
        TextIndex::new(self.id, Arc::clone(&self.settings))
    }
}

/// When what was noted is written, which says what it has to keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// The transaction goes on, within its limit.
    Midway,
    /// At its commit the limit does not hold: the terms of a text are no more than a few times the text, which was
    /// let in, and refusing them would lose everything.
    Commit,
    /// For searches of the transaction itself, which are not refused either.
    Trial,
}

/// Writes all pairs or, if the transaction has no room for them, none.
fn write_pairs(keys: &mut impl KeyWrite, pairs: Pairs, occasion: Occasion) -> Result<()> {
    if occasion == Occasion::Midway {
        let bytes = pairs
            .iter()
            .map(|(_, key, value)| Batch::cost_of(key, value.as_deref().unwrap_or_default()));
        keys.ensure_room(bytes.sum())?;
    }
    for (family, key, value) in pairs {
        keys.change_admitted(family, key, value);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
