//! What a write transaction finds of the texts that it has changed itself.
//!
//! What it collects until its commit is in no key yet. A search writes it into a trial and reads there; the trial is
//! kept, so that the next search only adds what was changed since.

use crate::catalog::{GraphState, SchemaId, TextIndexDef};
use crate::error::Result;
use crate::index::text::{
    Found, Occasion, Query, SearchOptions, TextCache, TextReader, settle_touched,
};
use crate::keys::{KeyWriteTxn, Trial};
use crate::storage::batch::Batch;
use crate::storage::family::Family;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};

/// Where the pairs of text indexes are.
const FAMILIES: [Family; 2] = [Family::Postings, Family::TextDocuments];
/// What is kept decoded of a trial. Under the names of its segments the transaction itself will write others.
const CACHE_BYTES: usize = 16 << 20;

/// Whose texts came, changed or went, for each text index.
#[derive(Debug, Default)]
pub(crate) struct OwnTexts {
    touched: BTreeMap<SchemaId, BTreeSet<u64>>,
    /// Until the texts are written. Locked, since a search only has a reference to its transaction.
    trials: Mutex<BTreeMap<SchemaId, Tried>>,
}

/// A trial that was made, and what it does not know yet.
#[derive(Debug)]
struct Tried {
    batch: Batch,
    cache: TextCache,
    behind: BTreeSet<u64>,
}

impl OwnTexts {
    /// Notes that an index has to look at something.
    pub(crate) fn touch(&mut self, index: SchemaId, id: u64) {
        self.touched.entry(index).or_default().insert(id);
        if let Some(tried) = self.trials.get_mut().get_mut(&index) {
            tried.behind.insert(id);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.touched.is_empty()
    }

    /// Writes everything out. What was written waits no longer, also after an error.
    pub(crate) fn settle(
        &mut self,
        keys: &mut KeyWriteTxn,
        state: &GraphState,
        occasion: Occasion,
    ) -> Result<()> {
        self.trials.get_mut().clear();
        while let Some((id, touched)) = self.touched.first_key_value() {
            let id = *id;
            if let Some(def) = state.catalog.text_index(id) {
                settle_touched(keys, state, def, touched.iter().copied(), occasion)?;
            }
            self.touched.remove(&id);
        }
        Ok(())
    }

    /// Searches an index, with what waits to be written.
    pub(crate) fn search(
        &self,
        keys: &KeyWriteTxn,
        state: &GraphState,
        def: &TextIndexDef,
        query: &Query,
        options: &SearchOptions<'_>,
    ) -> Result<Found> {
        let index = def.index();
        let Some(touched) = self.touched.get(&def.id) else {
            let cache = keys.database().texts();
            return TextReader::open(keys, &index, cache)?.search(query, options);
        };
        let mut trials = self.trials.lock();
        // One that fails is forgotten.
        let (mut trial, cache, behind) = match trials.remove(&def.id) {
            Some(tried) => {
                let trial = Trial::resumed(keys, &FAMILIES, tried.batch);
                (trial, tried.cache, tried.behind)
            }
            None => {
                let trial = Trial::new(keys, &FAMILIES);
                (trial, TextCache::new(CACHE_BYTES), touched.clone())
            }
        };
        settle_touched(&mut trial, state, def, behind, Occasion::Trial)?;
        let found = TextReader::open(&trial, &index, &cache)?.search(query, options)?;
        let tried = Tried {
            batch: trial.into_batch(),
            cache,
            behind: BTreeSet::new(),
        };
        trials.insert(def.id, tried);
        Ok(found)
    }
}
