//! Merging the postings of text indexes in the background, whenever writers have left many small pieces.

use crate::catalog::{SchemaId, TextIndexDef};
use crate::error::{Error, Result};
use crate::index::Jobs;
use crate::index::text::{TextIndex, next_merge, should_merge};
use crate::keys::{Background, StoredKeys};
use crate::storage::batch::Batch;
use crate::storage::cancel::CancelToken;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What merges postings. Clones share what is under way; none of them holds the database itself.
#[derive(Clone)]
pub(crate) struct TextMerger {
    background: Background,
    jobs: Arc<Jobs>,
    /// Indexes that a thread is at.
    merging: Arc<Mutex<BTreeSet<SchemaId>>>,
}

/// An index that a thread is at, until it is dropped, also by a panic or with a thread that could not start.
struct Place(Arc<Mutex<BTreeSet<SchemaId>>>, SchemaId);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
    }
}

impl TextMerger {
    pub(super) fn new(background: Background, jobs: Arc<Jobs>) -> Self {
        Self {
            background,
            jobs,
            merging: Arc::default(),
        }
    }

    /// Looks whether indexes that were written to are worth merging, and has it done.
    pub(crate) fn tend(&self, indexes: &[Arc<TextIndexDef>]) {
        for def in indexes {
            let index = def.index();
            let stored = StoredKeys::new(self.background.published());
            match should_merge(&stored, &index, self.background.transaction_bytes()) {
                Ok(true) => self.start(index),
                Ok(false) => {}
                // Whoever searches hears of it.
                Err(error) => tracing::warn!(index = &*def.name, %error, "postings are not merged"),
            }
        }
    }

    fn start(&self, index: TextIndex) {
        let id = index.id();
        if !self.merging.lock().insert(id) {
            return;
        }
        let (merger, place) = (self.clone(), Place(Arc::clone(&self.merging), id));
        let started = self.jobs.start("stratigraph-texts", move |stop| {
            let _place = place;
            while !stop.is_cancelled() {
                match merger.merge_once(&index, stop) {
                    Ok(true) => {}
                    Ok(false) | Err(Error::Closed | Error::Cancelled) => break,
                    // It will be tried again after another commit.
                    Err(error) => {
                        tracing::warn!(%error, "postings are not merged");
                        break;
                    }
                }
            }
        });
        if let Err(error) = started {
            // After another commit it is tried again.
            tracing::debug!(%error, "postings are not merged");
        }
    }

    /// Merges once; whether there is more to do.
    fn merge_once(&self, index: &TextIndex, stop: &CancelToken) -> Result<bool> {
        let mut more = false;
        self.background.commit_shared(|view| {
            let mut batch = Batch::new();
            // Whoever drops an index removes its keys bit by bit after that.
            if view.state.catalog.text_index(index.id()).is_none() {
                return Ok(batch);
            }
            let stored = StoredKeys::new(view).with_cancel(stop.clone());
            let most = self.background.transaction_bytes();
            let (merged, pairs) = next_merge(&stored, index, most)?;
            for (family, key, value) in pairs {
                batch.change(family, key, value);
            }
            more = merged.more;
            Ok(batch)
        })?;
        Ok(more)
    }
}
