//! Who builds what: one builder at a time for each declaration, whom everybody else waits for.

use super::Database;
use crate::catalog::{
    Catalog, ConstraintDef, IndexDef, Readiness, SchemaId, TextIndexDef, VectorIndexDef,
};
use crate::error::{Error, Result};
use crate::graph::{Read as _, WriteTxn};
use crate::storage::cancel::Watch;
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::Duration;

/// So long a thread waits for another's build before it looks whether it is to go on waiting.
const PATIENCE: Duration = Duration::from_millis(50);

/// What is built in portions.
pub(super) enum Buildable {
    Index(Arc<IndexDef>),
    Constraint(Arc<ConstraintDef>),
    Text(Arc<TextIndexDef>),
}

impl Buildable {
    /// Something that was not built to its end and has not been refused, if there is anything. The index of a
    /// constraint is built with it.
    fn unfinished(catalog: &Catalog, refused: &[SchemaId]) -> Option<Self> {
        let constraints = catalog.constraints().cloned().map(Self::Constraint);
        let own = catalog.indexes().filter(|index| index.owner.is_none());
        let texts = catalog.text_indexes().cloned().map(Self::Text);
        // What is refused of them stays, so whoever asks has to remember it.
        let filters = catalog.indexes().filter(|index| {
            let owner = index.owner;
            owner.is_some_and(|owner| catalog.vector_index(owner).is_some())
        });
        constraints
            .chain(own.cloned().map(Self::Index))
            .chain(texts)
            .chain(filters.cloned().map(Self::Index))
            .find(|declared| {
                declared.readiness() != Readiness::Ready && !refused.contains(&declared.id())
            })
    }

    fn id(&self) -> SchemaId {
        match self {
            Self::Index(index) => index.id,
            Self::Constraint(constraint) => constraint.id,
            Self::Text(index) => index.id,
        }
    }

    fn readiness(&self) -> Readiness {
        match self {
            Self::Index(index) => index.readiness,
            Self::Constraint(constraint) => constraint.readiness,
            Self::Text(index) => index.readiness,
        }
    }

    /// How ready it is by now; nothing if it is gone.
    fn readiness_in(&self, catalog: &Catalog) -> Option<Readiness> {
        match self {
            Self::Index(index) => catalog.index(index.id).map(|of| of.readiness),
            Self::Constraint(constraint) => {
                let constraint = catalog.constraint(constraint.id);
                constraint.map(|of| of.readiness)
            }
            Self::Text(index) => catalog.text_index(index.id).map(|of| of.readiness),
        }
    }

    /// Whether it belongs to something else, and is there as long as that.
    fn is_owned(&self) -> bool {
        match self {
            Self::Index(index) => index.owner.is_some(),
            Self::Constraint(_) | Self::Text(_) => false,
        }
    }
}

/// What is being built in this process, and by which thread.
#[derive(Default)]
pub(crate) struct Builds {
    running: Mutex<BTreeMap<SchemaId, ThreadId>>,
    ended: Condvar,
}

/// A build that is going on. Dropping it lets others go on with what it has left.
struct Build<'a> {
    builds: &'a Builds,
    id: SchemaId,
}

impl Builds {
    /// Begins a build, unless somebody else has.
    fn begin(&self, id: SchemaId) -> Option<Build<'_>> {
        let mut running = self.running.lock();
        if running.contains_key(&id) {
            return None;
        }
        running.insert(id, std::thread::current().id());
        Some(Build { builds: self, id })
    }

    /// Waits for the end of somebody else's build, whatever comes of it.
    fn wait(&self, id: SchemaId, watch: &mut Watch<'_>) -> Result<()> {
        loop {
            // What it reports to may take its time, and must not hold up the builder.
            watch.step("wait for another build", 0, 0)?;
            let mut running = self.running.lock();
            match running.get(&id) {
                None => return Ok(()),
                Some(builder) if *builder == std::thread::current().id() => {
                    return Err(Error::BadDeclaration {
                        what: "index or constraint",
                        reason: "this very thread is building it, and cannot wait for itself",
                    });
                }
                Some(_) => drop(self.ended.wait_for(&mut running, PATIENCE)),
            }
        }
    }
}

impl Drop for Build<'_> {
    fn drop(&mut self) {
        self.builds.running.lock().remove(&self.id);
        self.builds.ended.notify_all();
    }
}

impl Database {
    /// Declares something and builds it, or takes it back. What somebody else is building is waited
    /// for; if nothing comes of that, it is declared anew.
    pub(super) fn declare_and_build(
        &self,
        watch: &mut Watch<'_>,
        declare: impl Fn(&mut WriteTxn) -> Result<Buildable>,
    ) -> Result<()> {
        loop {
            let mut txn = self.write()?;
            let declared = declare(&mut txn)?;
            if declared.readiness() == Readiness::Ready {
                txn.commit()?;
                return Ok(());
            }
            // Before anybody can see the declaration, so that whoever made it is who builds it.
            if let Some(build) = self.inner.builds.begin(declared.id()) {
                txn.commit()?;
                return self.build(&build, &declared, watch);
            }
            drop(txn);
            self.inner.builds.wait(declared.id(), watch)?;
        }
    }

    /// Builds whatever was not built to its end, and gives the first error of what is refused.
    ///
    /// # Errors
    /// What stops all of it, as that it is cancelled.
    pub(super) fn build_unfinished(&self, watch: &mut Watch<'_>) -> Result<Option<Error>> {
        let mut refused = Vec::new();
        let mut first = None;
        while let Some(declared) = Buildable::unfinished(self.read()?.catalog(), &refused) {
            let Some(build) = self.inner.builds.begin(declared.id()) else {
                self.inner.builds.wait(declared.id(), watch)?;
                continue;
            };
            match self.build(&build, &declared, watch) {
                // There is nothing left to finish.
                Err(Error::DroppedMeanwhile { .. }) => {}
                Err(error) if error.is_of_what_is_there() => {
                    refused.push(declared.id());
                    first.get_or_insert(error);
                }
                outcome => outcome?,
            }
        }
        Ok(first)
    }

    /// Builds the indexes that a vector index was given for its filters, or waits for whoever does. What is refused is not
    /// taken back here: it goes with the vector index.
    pub(super) fn build_filters(&self, def: &VectorIndexDef, watch: &mut Watch<'_>) -> Result<()> {
        let unfinished = |index: &&Arc<IndexDef>| index.readiness != Readiness::Ready;
        loop {
            let read = self.read()?;
            let catalog = read.catalog();
            if catalog.vector_index(def.id).is_none() {
                return Err(def.dropped_meanwhile());
            }
            let Some(index) = catalog.owned_by(def.id).find(unfinished).cloned() else {
                return Ok(());
            };
            drop(read);
            match self.inner.builds.begin(index.id) {
                Some(_build) => match self.fill_index(&index, watch) {
                    // With the vector index, which is looked for again.
                    Err(Error::DroppedMeanwhile { .. }) => {}
                    outcome => outcome?,
                },
                None => self.inner.builds.wait(index.id, watch)?,
            }
        }
    }

    /// Fills text indexes that a load has left behind. They were there before, so nothing takes them back.
    pub(crate) fn finish_texts(&self, watch: &mut Watch<'_>) -> Result<()> {
        let unfinished = |index: &&Arc<TextIndexDef>| index.readiness != Readiness::Ready;
        while let Some(index) = self
            .read()?
            .catalog()
            .text_indexes()
            .find(unfinished)
            .cloned()
        {
            match self.inner.builds.begin(index.id) {
                Some(_build) => match self.fill_text_index(&index, watch) {
                    // Whoever dropped it does not miss it.
                    Err(Error::DroppedMeanwhile { .. }) => {}
                    outcome => outcome?,
                },
                None => self.inner.builds.wait(index.id, watch)?,
            }
        }
        Ok(())
    }

    fn build(&self, _: &Build<'_>, declared: &Buildable, watch: &mut Watch<'_>) -> Result<()> {
        let outcome = match declared {
            Buildable::Index(index) => self.fill_index(index, watch),
            Buildable::Constraint(constraint) => self.fill_constraint(constraint, watch),
            Buildable::Text(index) => self.fill_text_index(index, watch),
        };
        // The error is what the caller has to hear of.
        outcome.inspect_err(|_| {
            // Whoever has declared what this belongs to still counts on it, and goes on with it or takes both back.
            if declared.is_owned() {
                return;
            }
            let taken_back = self.remove(|catalog| {
                let is_building = declared.readiness_in(catalog) == Some(Readiness::Building);
                Ok(is_building.then_some(declared.id()))
            });
            if let Err(error) = taken_back {
                tracing::warn!(%error, "what was declared in vain is still there, as \"building\"");
            }
        })
    }
}
