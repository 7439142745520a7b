//! The life of vector indexes: declared in one commit, made in the background, dropped with all that is theirs.

use super::{Database, VectorIndex, given_up, unknown};
use crate::catalog::{Catalog, Change, VectorIndexDef};
use crate::error::{Error, Result};
use crate::graph::Read as _;
use crate::index::vector::{VectorIndexInfo, VectorIndexState};
use crate::storage::cancel::Watch;
use crate::storage::plant;
use std::sync::Arc;
use std::time::Duration;

/// How often whoever waits for an index is told how far it is.
const PATIENCE: Duration = Duration::from_millis(50);

impl Database {
    /// Creates a vector index, and returns when it answers. Readers and writers go on meanwhile; what they
    /// search for in it is found by comparing all vectors until then.
    ///
    /// # Errors
    /// [`Error::AlreadyDeclared`]; [`Error::VectorIndex`] for settings that cannot be;
    /// [`Error::VectorRefused`] if a vector is there that does not fit, and then there is no index.
    pub fn create_vector_index(&self, index: VectorIndex) -> Result<()> {
        self.create_vector_index_watched(index, &mut Watch::quiet())
    }

    /// The same, with progress, and cancellable.
    ///
    /// # Errors
    /// As [`create_vector_index`](Self::create_vector_index), and [`Error::Cancelled`]: there is no index then.
    pub fn create_vector_index_watched(
        &self,
        index: VectorIndex,
        watch: &mut Watch<'_>,
    ) -> Result<()> {
        let (def, is_new) = self.start_vector_index(index, watch)?;
        let waited = self.wait_for_vector_index(&def.name, watch);
        // What was there before stays.
        waited.inspect_err(|_| {
            if is_new {
                self.take_back(&def);
            }
        })
    }

    /// The same, without waiting: [`vector_indexes`](Self::vector_indexes) tells how far it is. An index that
    /// cannot be made stays as failed, with the reason, until it is dropped.
    ///
    /// # Errors
    /// As [`create_vector_index`](Self::create_vector_index), but for what only making it brings to light.
    pub fn create_vector_index_in_background(&self, index: VectorIndex) -> Result<()> {
        self.start_vector_index(index, &mut Watch::quiet())
            .map(drop)
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "a description is used up by what it describes"
    )]
    fn start_vector_index(
        &self,
        index: VectorIndex,
        watch: &mut Watch<'_>,
    ) -> Result<(Arc<VectorIndexDef>, bool)> {
        index.check()?;
        let vectors = &self.inner.vectors;
        let mut txn = self.write()?;
        let (def, is_new) = txn.declare_vector_index(&index)?;
        if !is_new {
            drop(txn);
            // A crash may have cut them short.
            self.build_filters(&def, watch)?;
            return Ok((def, false));
        }
        // Before the commit: as soon as others see it, they may drop it.
        vectors.bind(&def);
        txn.commit().inspect_err(|_| vectors.remove(def.id))?;
        // First of all: whatever becomes of the filters, whoever waits for the index must not wait for nobody.
        vectors.begin(&def)?;
        let filters = self.build_filters(&def, watch);
        filters.inspect_err(|_| self.take_back(&def))?;
        Ok((def, true))
    }

    pub(super) fn take_back(&self, def: &VectorIndexDef) {
        let dropped = self.drop_vector(|catalog| catalog.vector_index(def.id).cloned());
        if let Err(error) = dropped {
            tracing::warn!(index = &*def.name, %error, "what was declared in vain is still there");
        }
    }

    /// Drops a vector index, with the property indexes that it was given for its filters. The vectors stay.
    ///
    /// # Errors
    /// [`Error::UnknownName`].
    pub fn drop_vector_index(&self, name: &str) -> Result<()> {
        match self.drop_vector(|catalog| catalog.vector_index_named(name).cloned())? {
            true => Ok(()),
            false => Err(unknown("vector index", name)),
        }
    }

    /// Drops an index; whether there was one.
    fn drop_vector(&self, find: impl Fn(&Catalog) -> Option<Arc<VectorIndexDef>>) -> Result<bool> {
        // What is not there waits for no writer.
        if find(self.read()?.catalog()).is_none() {
            return Ok(false);
        }
        let mut txn = self.write()?;
        let catalog = txn.catalog();
        let Some(def) = find(catalog) else {
            return Ok(false);
        };
        let owned = catalog.owned_by(def.id);
        let owned = owned.map(|index| given_up(catalog, index));
        let mut changes: Vec<Change> = owned.collect();
        changes.push(Change::DropVectorIndex(def.id));
        for change in &changes {
            txn.change_catalog(change)?;
        }
        txn.commit()?;
        self.inner.vectors.remove(def.id);
        plant::step("the files of a vector index are removed");
        self.remove_dropped()?;
        Ok(true)
    }

    /// The vector indexes, and what each is doing.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn vector_indexes(&self) -> Result<Vec<VectorIndexInfo>> {
        self.inner.ground.ensure_open()?;
        let all = self.inner.vectors.all();
        Ok(all.iter().map(|bound| bound.info()).collect())
    }

    /// Links what was written lately and takes out what has gone, now instead of in the background. What
    /// searches find does not depend on it, only how fast.
    ///
    /// # Errors
    /// [`Error::UnknownName`]; [`Error::IndexNotReady`] while it is being made.
    pub fn tend_vector_index(&self, name: &str) -> Result<()> {
        let def = self.read()?.catalog().vector_index_named(name).cloned();
        let def = def.ok_or_else(|| unknown("vector index", name))?;
        let bound = self.inner.vectors.get(def.id);
        let live = bound.and_then(|bound| bound.live());
        let live = live.ok_or_else(|| Error::IndexNotReady {
            index: Arc::clone(&def.name),
        })?;
        live.index.tend(self.inner.ground.log.oldest().get());
        Ok(())
    }

    /// Waits until a vector index answers, and tells how far it is meanwhile.
    ///
    /// # Errors
    /// [`Error::UnknownName`]; [`Error::Cancelled`]; why it could not be made.
    pub fn wait_for_vector_index(&self, name: &str, watch: &mut Watch<'_>) -> Result<()> {
        let def = self.read()?.catalog().vector_index_named(name).cloned();
        let def = def.ok_or_else(|| unknown("vector index", name))?;
        loop {
            let bound = self
                .inner
                .vectors
                .get(def.id)
                .ok_or_else(|| def.dropped_meanwhile())?;
            match bound.info().state {
                VectorIndexState::Ready => return Ok(()),
                VectorIndexState::Failed(error) => return Err(error),
                VectorIndexState::Building { done, total } => {
                    watch.step("make the vector index", done, total)?;
                }
            }
            bound.wait(PATIENCE);
        }
    }
}

#[cfg(test)]
mod tests;
