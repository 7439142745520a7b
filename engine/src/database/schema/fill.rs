//! Bringing what was there before into a new index, and holding it against a new constraint.

use crate::catalog::{Catalog, Change, ConstraintDef, Counter, Demand, IndexDef, Readiness, Scope};
use crate::database::Database;
use crate::database::keys::KeyRead as _;
use crate::error::{Error, Result};
use crate::graph::rules::{self, with_facts};
use crate::graph::sets::SetId;
use crate::graph::{Entity, Read as _, WriteTxn, view};
use crate::index::property::{EntryKey, Sketch, index_prefix};
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::value::{NodeId, RelationshipId};
use std::sync::Arc;

/// So many nodes or relationships are looked at in one commit.
const PORTION: usize = 4096;
/// The steps, as a watch is told of them.
const FILL: &str = "fill the index";
const CHECK: &str = "check what is there";

impl Database {
    /// Enters everything that was there, then counts and declares the index ready.
    pub(super) fn fill_index(&self, index: &IndexDef, watch: &mut Watch<'_>) -> Result<()> {
        let entities = self.in_scope(index.scope)?;
        let total = entities.len() as u64;
        for (portion, entities) in entities.chunks(PORTION).enumerate() {
            let mut txn = self.next_write(watch, FILL, (portion * PORTION) as u64, total)?;
            let index = declared_index(txn.catalog(), index)?;
            if index.readiness == Readiness::Ready {
                return Ok(());
            }
            for entity in entities {
                txn.enter(&index, *entity)?;
            }
            txn.commit()?;
        }
        let mut txn = self.next_write(watch, FILL, total, total)?;
        let mut ready = IndexDef::clone(&*declared_index(txn.catalog(), index)?);
        txn.count_entries(&ready)?;
        ready.readiness = Readiness::Ready;
        txn.change_catalog(&Change::Index(Arc::new(ready)))?;
        txn.commit()?;
        Ok(())
    }

    /// Looks whether everything that was there keeps to the constraint, then declares it ready.
    pub(super) fn fill_constraint(
        &self,
        constraint: &ConstraintDef,
        watch: &mut Watch<'_>,
    ) -> Result<()> {
        if constraint.demand.is_unique() {
            let read = self.read()?;
            self.fill_index(&*proof(read.catalog(), constraint)?, watch)?;
        }
        let mut total = 0;
        // What is written from now on is held against the constraint by its writer.
        if constraint.demand.needs_presence() || matches!(constraint.demand, Demand::Type(_)) {
            let entities = self.in_scope(constraint.scope)?;
            total = entities.len() as u64;
            let read = self.read()?;
            let view = view::of(&read);
            for (done, entity) in entities.into_iter().enumerate() {
                if done.is_multiple_of(PORTION) {
                    watch.step(CHECK, done as u64, total)?;
                    declared_constraint(self.read()?.catalog(), constraint)?;
                }
                rules::check_presence_of(&view, entity, |id| id == constraint.id)?;
                with_facts(&view, entity, |facts| {
                    // It may have left the scope since the entities were listed.
                    if !facts.is_in(constraint.scope) {
                        return Ok(());
                    }
                    rules::check_type(&view, entity, constraint, facts)
                })?;
            }
        }
        let mut txn = self.next_write(watch, CHECK, total, total)?;
        let mut ready = ConstraintDef::clone(&*declared_constraint(txn.catalog(), constraint)?);
        if ready.demand.is_unique() && proof(txn.catalog(), &ready)?.readiness != Readiness::Ready {
            return Err(Error::bug("the index of a constraint is not built"));
        }
        ready.readiness = Readiness::Ready;
        txn.change_catalog(&Change::Constraint(Arc::new(ready)))?;
        txn.commit()?;
        Ok(())
    }

    /// Starts the next transaction of a build, after whatever others write, however long that takes:
    /// waiting harms nobody, and giving up would throw away what is built. Whoever watches is asked
    /// again and again.
    fn next_write(
        &self,
        watch: &mut Watch<'_>,
        step: &str,
        done: u64,
        total: u64,
    ) -> Result<WriteTxn> {
        loop {
            watch.step(step, done, total)?;
            match self.write() {
                Err(Error::WriterQueueTimeout { .. }) => {}
                outcome => return outcome,
            }
        }
    }

    fn in_scope(&self, scope: Scope) -> Result<Vec<Entity>> {
        let read = self.read()?;
        let view = view::of(&read);
        let entities = match scope {
            Scope::Label(label) => {
                let ids = view.set(SetId::Label(label))?;
                ids.iter().map(|id| NodeId::new(id).into()).collect()
            }
            Scope::Type(of) => {
                let ids = view.set(SetId::Type(of))?;
                ids.iter()
                    .map(|id| RelationshipId::new(id).into())
                    .collect()
            }
        };
        Ok(entities)
    }
}

/// The index as it is declared now. Whoever builds has to look in every transaction: somebody may
/// have dropped it, and what is entered after that stays for ever, or comes back half as "ready".
fn declared_index(catalog: &Catalog, index: &IndexDef) -> Result<Arc<IndexDef>> {
    let declared = catalog.index(index.id).cloned();
    declared.ok_or_else(|| Error::DroppedMeanwhile {
        what: "index",
        name: Arc::clone(&index.name),
    })
}

/// The constraint as it is declared now.
fn declared_constraint(
    catalog: &Catalog,
    constraint: &ConstraintDef,
) -> Result<Arc<ConstraintDef>> {
    let declared = catalog.constraint(constraint.id).cloned();
    declared.ok_or_else(|| dropped(constraint))
}

/// The index that proves a constraint. They come and go together.
fn proof(catalog: &Catalog, constraint: &ConstraintDef) -> Result<Arc<IndexDef>> {
    let proof = catalog.proof_of(constraint.id).cloned();
    proof.ok_or_else(|| dropped(constraint))
}

fn dropped(constraint: &ConstraintDef) -> Error {
    Error::DroppedMeanwhile {
        what: "constraint",
        name: Arc::clone(&constraint.name),
    }
}

impl WriteTxn {
    /// Enters one entity, as it is now, into an index that is being built. A writer may have done so
    /// already.
    fn enter(&mut self, index: &IndexDef, entity: Entity) -> Result<()> {
        let mut key = None;
        let view = view::of(&*self);
        with_facts(&view, entity, |facts| {
            // It may have left the scope since the portions were made.
            if !facts.is_in(index.scope) {
                return Ok(());
            }
            key = rules::key(&view, entity, index, facts)?;
            match &key {
                Some(key) if index.unique => rules::check_unique(&view, entity, index, key, facts),
                _ => Ok(()),
            }
        })?;
        if let Some(entry) = key.map(EntryKey::written) {
            let value = entry.value.unwrap_or_default();
            self.note_addition();
            self.keys().put(Family::PropIndex, &entry.key, &value)?;
        }
        Ok(())
    }

    /// Counts the entries of an index: while it was being built, nobody did.
    fn count_entries(&mut self, index: &IndexDef) -> Result<()> {
        let mut entries = 0;
        let mut sketch = Sketch::default();
        let prefix = index_prefix(index.id);
        let range = KeyRange::prefix(prefix.as_bytes());
        let mut scan = self.keys().scan(Family::PropIndex, &range)?;
        while let Some(entry) = scan.next()? {
            entries += 1;
            let id = if index.unique { 0 } else { 8 };
            let values = entry.key.len().saturating_sub(id);
            sketch.add(entry.key.get(..values).unwrap_or_default());
        }
        drop(scan);
        let counter = Counter::Entries(index.id);
        if entries > 0 {
            let count = Counter::encode_count(entries);
            self.keys().put(Family::Meta, &counter.key(), &count)?;
        }
        self.keys()
            .put(Family::Meta, &index.id.sketch_key(), &sketch.encode())
    }
}
