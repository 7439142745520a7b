//! Merging the postings of text indexes in the background, whenever writers have left many small pieces.

use super::Inner;
use super::keys::{KeyWriteTxn, StoredKeys};
use crate::catalog::{SchemaId, TextIndexDef};
use crate::error::{Error, Result};
use crate::index::text::{TextIndex, merge_some, should_merge};
use std::sync::{Arc, Weak};

impl Inner {
    /// Looks whether text indexes that were written to are worth merging, and has it done.
    pub(crate) fn tend_texts(self: &Arc<Self>, indexes: &[Arc<TextIndexDef>]) {
        for def in indexes {
            let index = def.index();
            let stored = StoredKeys::new(self.log.published());
            match should_merge(&stored, &index) {
                Ok(true) => self.merge_in_background(index),
                Ok(false) => {}
                // Whoever searches hears of it.
                Err(error) => tracing::warn!(index = &*def.name, %error, "postings are not merged"),
            }
        }
    }

    fn merge_in_background(self: &Arc<Self>, index: TextIndex) {
        let id = index.id();
        if !self.merging.lock().insert(id) {
            return;
        }
        let database = Arc::downgrade(self);
        let started = self.jobs.start("stratigraph-texts", move |stop| {
            while !stop.is_cancelled() {
                match merge_once(&database, &index) {
                    Ok(true) => {}
                    Ok(false) | Err(Error::Closed) => break,
                    // It will be tried again after another commit.
                    Err(error) => {
                        tracing::warn!(%error, "postings are not merged");
                        break;
                    }
                }
            }
            forget(&database, id);
        });
        if started.is_err() {
            self.merging.lock().remove(&id);
        }
    }
}

/// Merges once; whether there is more to do.
fn merge_once(database: &Weak<Inner>, index: &TextIndex) -> Result<bool> {
    // Held for one merge only, so that the last user of the database closes it.
    let Some(database) = database.upgrade() else {
        return Ok(false);
    };
    let mut txn = KeyWriteTxn::begin(&database)?;
    if txn.base_state().catalog.text_index(index.id()).is_none() {
        return Ok(false);
    }
    let merged = merge_some(&mut txn, index)?;
    if merged.segments > 0 {
        txn.commit()?;
    }
    Ok(merged.more)
}

fn forget(database: &Weak<Inner>, id: SchemaId) {
    if let Some(database) = database.upgrade() {
        database.merging.lock().remove(&id);
    }
}
