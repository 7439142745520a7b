//! The vector indexes of an open database.

use super::bound::{Bound, Live, State, VectorSettings, WORTH_KEEPING};
use super::bring_up::Rows;
use super::{bring_up, leftovers, saved};
use crate::catalog::{Catalog, SchemaId, VectorIndexDef};
use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::index::Jobs;
use crate::keys::Background;
use crate::storage::cancel::CancelToken;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use stratigraph_vector::Index;

/// All of them.
pub struct VectorIndexes {
    all: RwLock<BTreeMap<SchemaId, Arc<Bound>>>,
    background: Background,
    settings: VectorSettings,
    jobs: Arc<Jobs>,
}

impl VectorIndexes {
    /// The indexes that a catalogue declares. Those that were kept are there when this returns; the others are
    /// made in the background.
    pub(crate) fn open(
        background: Background,
        settings: VectorSettings,
        jobs: Arc<Jobs>,
        catalog: &Catalog,
    ) -> Result<Arc<Self>> {
        leftovers::remove_strangers(&background, catalog)?;
        let indexes = Arc::new(Self {
            all: RwLock::default(),
            background,
            settings,
            jobs,
        });
        for def in catalog.vector_indexes() {
            let bound = indexes.bind(def);
            match bring_up::load(&indexes.background, settings, &bound) {
                Ok(true) => {}
                Ok(false) => indexes.make(&bound),
                Err(error) => {
                    tracing::warn!(index = &*def.name, %error, "the snapshot of a vector index is of no use: making it anew");
                    indexes.make(&bound);
                }
            }
        }
        Ok(indexes)
    }

    pub(crate) fn get(&self, id: SchemaId) -> Option<Arc<Bound>> {
        self.all.read().get(&id).cloned()
    }

    /// All of them, in the order of their declaration.
    pub(crate) fn all(&self) -> Vec<Arc<Bound>> {
        self.all.read().values().cloned().collect()
    }

    /// Begins to make an index that was declared.
    ///
    /// # Errors
    /// [`Error::DroppedMeanwhile`].
    pub(crate) fn begin(self: &Arc<Self>, def: &VectorIndexDef) -> Result<()> {
        let bound = self.get(def.id).ok_or_else(|| def.dropped_meanwhile())?;
        self.make(&bound);
        Ok(())
    }

    /// Knows an index from now on, that is about to be declared: nobody may be able to drop it before.
    pub(crate) fn bind(&self, def: &Arc<VectorIndexDef>) -> Arc<Bound> {
        let mut all = self.all.write();
        let bound = all
            .entry(def.id)
            .or_insert_with(|| Arc::new(Bound::new(Arc::clone(def))));
        Arc::clone(bound)
    }

    /// Forgets an index that was dropped, and the file of its vectors.
    pub(crate) fn remove(&self, id: SchemaId) {
        let removed = self.all.write().remove(&id);
        if let Some(bound) = removed {
            bound.dropped.cancel();
        }
        // Who still works on it may write another: that is removed by them.
        leftovers::remove_files(&self.background, id);
    }

    /// Does something with an index in a thread of its own.
    fn work(
        self: &Arc<Self>,
        bound: &Arc<Bound>,
        work: impl FnOnce(&Arc<Self>, &Arc<Bound>, &CancelToken) + Send + 'static,
    ) -> Result<()> {
        let (indexes, bound) = (Arc::clone(self), Arc::clone(bound));
        self.jobs.start("stratigraph-vectors", move |closing| {
            let stop = bound.dropped.or(closing);
            let worked = catch_unwind(AssertUnwindSafe(|| work(&indexes, &bound, &stop)));
            if worked.is_err() {
                bound.end_keeping();
                // Whoever waits for it hears of it. One that answers was only being kept.
                if bound.live().is_none() {
                    bound.set(State::Failed(Error::bug(
                        "a thread of a vector index panicked",
                    )));
                }
            }
            if bound.dropped.is_cancelled() {
                leftovers::remove_files(&indexes.background, bound.def.id);
            }
        })
    }

    /// Makes an index of what is stored, in the background.
    fn make(self: &Arc<Self>, bound: &Arc<Bound>) {
        bound.set(State::Building { done: 0, total: 0 });
        let started = self.work(bound, |indexes, bound, stop| {
            match bring_up::make(&indexes.background, indexes.settings, bound, stop) {
                Ok(()) => indexes.keep(bound, stop),
                Err(error) if ends_quietly(&error) => {}
                Err(error) => {
                    tracing::error!(index = &*bound.def.name, %error, "a vector index could not be made");
                    bound.set(State::Failed(error));
                }
            }
        });
        if let Err(error) = started {
            bound.set(State::Failed(error));
        }
    }

    /// Makes an index anew that has lost something.
    pub(crate) fn rebuild(self: &Arc<Self>, bound: &Arc<Bound>) {
        if !matches!(bound.state(), State::Building { .. }) {
            self.make(bound);
        }
    }

    /// Puts back what was lost of the file of an index's vectors, or makes the index anew. Searches compare
    /// the stored vectors meanwhile.
    pub(crate) fn mend(self: &Arc<Self>, bound: &Arc<Bound>, live: &Arc<Live>) {
        // Only the first who meets it.
        if bound.stop_answering(Some(live)).is_some() {
            self.resume_in_background(bound, Arc::clone(&live.index), Rows::Missing);
        }
    }

    /// Lets some indexes answer no more, before a commit that they will not hear of.
    pub(crate) fn suspend<'a>(&self, ids: impl Iterator<Item = &'a SchemaId>) {
        for bound in ids.filter_map(|id| self.get(*id)) {
            bound.suspend();
        }
    }

    /// Lets them catch up.
    pub(crate) fn resume<'a>(self: &Arc<Self>, ids: impl Iterator<Item = &'a SchemaId>) {
        for bound in ids.filter_map(|id| self.get(*id)) {
            if let Some(index) = bound.suspended() {
                self.resume_in_background(&bound, index, Rows::There);
            }
        }
    }

    fn resume_in_background(self: &Arc<Self>, bound: &Arc<Bound>, index: Arc<Index>, rows: Rows) {
        let at = CommitSeq::new(index.latest());
        let started = self.work(bound, move |indexes, bound, stop| {
            match bring_up::resume(&indexes.background, bound, &index, at, rows, stop) {
                Ok(()) => indexes.keep_if_worth(bound),
                Err(error) if ends_quietly(&error) => {}
                Err(error) => {
                    tracing::warn!(index = &*bound.def.name, %error, "making a vector index anew");
                    drop(index);
                    indexes.make(bound);
                }
            }
        });
        if let Err(error) = started {
            bound.set(State::Failed(error));
        }
    }

    /// Keeps an index of which much is only in the journal, in the background.
    pub(crate) fn keep_if_worth(self: &Arc<Self>, bound: &Arc<Bound>) {
        if self.background.is_read_only() || bound.live().is_none() {
            return;
        }
        let journaled = bound.journaled.load(Ordering::Relaxed);
        if journaled < bound.worth.load(Ordering::Relaxed) || bound.is_keeping() {
            return;
        }
        let started = self.work(bound, |indexes, bound, stop| indexes.keep(bound, stop));
        if let Err(error) = started {
            tracing::warn!(%error, "no snapshot of a vector index is made");
        }
    }

    fn keep(&self, bound: &Bound, stop: &CancelToken) {
        let Some(live) = bound.live() else { return };
        if self.background.is_read_only() || !bound.begin_keeping() {
            return;
        }
        let kept = saved::save(saved::Saving {
            background: &self.background,
            bound,
            live: &live,
            writing: saved::Writing::InTurn(stop),
        });
        let mut worth = WORTH_KEEPING;
        match kept {
            Err(error) if !ends_quietly(&error) => {
                // Not again with every commit while the disk is full.
                worth = worth.saturating_add(bound.journaled.load(Ordering::Relaxed));
                tracing::warn!(index = &*bound.def.name, %error, "no snapshot of a vector index was made; its journal goes on");
            }
            _ => {}
        }
        bound.worth.store(worth, Ordering::Relaxed);
        bound.end_keeping();
    }

    /// Keeps what is only in journals. Nobody writes any more, and no job runs.
    pub(crate) fn close(&self) {
        for bound in self.all() {
            let Some(live) = bound.live() else { continue };
            let is_kept = bound.journaled.load(Ordering::Relaxed) == 0
                && !bound.keeps_all.load(Ordering::Relaxed);
            if is_kept || self.background.is_read_only() || self.background.folder().is_none() {
                continue;
            }
            let kept = saved::save(saved::Saving {
                background: &self.background,
                bound: &bound,
                live: &live,
                writing: saved::Writing::Alone,
            });
            if let Err(error) = kept {
                tracing::warn!(index = &*bound.def.name, %error, "no snapshot of a vector index was made; the next open reads its journal");
            }
        }
        // Their threads end with them.
        self.all.write().clear();
    }
}

/// Whether whoever closes the database, or has dropped the index, knows it.
fn ends_quietly(error: &Error) -> bool {
    matches!(
        error,
        Error::Cancelled | Error::Closed | Error::DroppedMeanwhile { .. }
    )
}
