//! Bringing what was there before into a new index, and holding it against a new constraint.

use crate::catalog::{
    Catalog, Change, ConstraintDef, Demand, IndexDef, Readiness, Scope, TextIndexDef,
};
use crate::database::Database;
use crate::error::{Error, Result};
use crate::graph::rules::{self, with_facts};
use crate::graph::{Entity, Read as _, WriteTxn, view};
use crate::index::text::settle_missing;
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use roaring::RoaringTreemap;
use std::sync::Arc;

/// So many nodes or relationships are looked at in one commit.
const PORTION: usize = 4096;
/// The steps, as a watch is told of them.
const FILL: &str = "fill the index";
const CHECK: &str = "check what is there";

impl Database {
    /// Enters everything that was there, and declares the index ready.
    pub(super) fn fill_index(&self, index: &IndexDef, watch: &mut Watch<'_>) -> Result<()> {
        let ids = self.in_scope(index.scope)?;
        let total = ids.len();
        let mut entities = entities(index.scope, &ids);
        let mut done = 0;
        loop {
            let portion: Vec<Entity> = entities.by_ref().take(PORTION).collect();
            let mut txn = self.next_write(watch, FILL, done, total)?;
            let index = declared_index(txn.catalog(), index)?;
            if index.readiness == Readiness::Ready {
                return Ok(());
            }
            for entity in &portion {
                txn.enter(&index, *entity)?;
            }
            let is_last = portion.is_empty();
            if is_last {
                let mut ready = IndexDef::clone(&index);
                ready.readiness = Readiness::Ready;
                txn.change_catalog(&Change::Index(Arc::new(ready)))?;
            }
            txn.commit()?;
            if is_last {
                return Ok(());
            }
            done += portion.len() as u64;
        }
    }

    /// Brings all texts that were there into an index, and declares it ready.
    pub(super) fn fill_text_index(
        &self,
        index: &TextIndexDef,
        watch: &mut Watch<'_>,
    ) -> Result<()> {
        let ids = self.in_scope(index.scope)?;
        let total = ids.len();
        let mut numbers = ids.iter();
        let mut done = 0;
        loop {
            let mut txn = self.next_write(watch, FILL, done, total)?;
            let declared = txn.catalog().text_index(index.id).cloned();
            let declared = declared.ok_or_else(|| Error::DroppedMeanwhile {
                what: "text index",
                name: Arc::clone(&index.name),
            })?;
            if declared.readiness == Readiness::Ready {
                return Ok(());
            }
            let state = txn.state().clone();
            // However long texts are: a commit holds the writer's place for about as long as its bytes take.
            let bytes = usize::try_from(txn.keys().limit_bytes() / 4).unwrap_or(usize::MAX);
            let mut portion = numbers.by_ref().take(PORTION);
            let count = settle_missing(txn.keys(), &state, &declared, &mut portion, bytes)?;
            txn.note_addition();
            let is_last = count == 0;
            if is_last {
                let mut ready = TextIndexDef::clone(&declared);
                ready.readiness = Readiness::Ready;
                txn.change_catalog(&Change::TextIndex(Arc::new(ready)))?;
            }
            txn.commit()?;
            if is_last {
                return Ok(());
            }
            done += count;
        }
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
            let ids = self.in_scope(constraint.scope)?;
            total = ids.len();
            let read = self.read()?;
            let view = view::of(&read);
            for (done, entity) in (0..).zip(entities(constraint.scope, &ids)) {
                if done % PORTION as u64 == 0 {
                    watch.step(CHECK, done, total)?;
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

    /// The ids of what a declaration is on.
    fn in_scope(&self, scope: Scope) -> Result<RoaringTreemap> {
        let read = self.read()?;
        view::of(&read).in_scope(scope)
    }
}

/// What a declaration is on, by its ids.
fn entities(scope: Scope, ids: &RoaringTreemap) -> impl Iterator<Item = Entity> {
    ids.iter().map(move |id| scope.entity(id))
}

/// The index as it is declared now. Whoever builds has to look in every transaction: somebody may
/// have dropped it, and what is entered after that stays for ever, or comes back half as "ready".
fn declared_index(catalog: &Catalog, index: &IndexDef) -> Result<Arc<IndexDef>> {
    let declared = catalog.index(index.id).cloned();
    declared.ok_or_else(|| Error::DroppedMeanwhile {
        // One that proves a constraint has its name, and goes with it. One of a vector index has a name of its own.
        what: if index.unique { "constraint" } else { "index" },
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
        if let Some(key) = key
            && !key.is_entered(self.keys())?
        {
            let entry = key.written();
            self.note_addition();
            self.note_entry(&entry);
            let value = entry.value.unwrap_or_default();
            self.keys().put(Family::PropIndex, &entry.key, &value)?;
        }
        Ok(())
    }
}
