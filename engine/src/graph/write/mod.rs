//! Writing the graph: the write transaction.
//!
//! Every operation looks first and changes then: whatever can fail (reading, rules, limits) comes
//! before the first change, so that an operation that was refused has changed nothing and the
//! transaction goes on. [`nodes`], [`relationships`] and [`properties`] are the operations;
//! `pending.rs` collects what many of them change together.

mod nodes;
mod properties;
mod relationships;
mod viewed;

pub(crate) use relationships::adjacency;

use super::keys::Entity;
use super::pending::{Pairs, Pending};
use super::properties::{Apart, Encoder, MAX_VALUE_BYTES};
use super::rules::{self, Outcome};
use super::view;
use crate::catalog::{
    Catalog, Change, Counter, GraphState, NameId, Names, NextIds, SchemaId, TextIndexDef,
    check_schema_id,
};
use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::index::property::Entry;
use crate::index::vector::{JournalKey, Prepared, read_touched};
use crate::keys::{KeyRead as _, KeyWriteTxn, OpenDatabase, Waiting};
use crate::storage::batch::{self, Batch};
use crate::storage::cancel::CancelToken;
use crate::storage::family::Family;
use crate::storage::plant::{self, Bug};
use crate::storage::range::KeyRange;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The one write transaction. It reads its own changes; nobody else does before it has committed.
///
/// Dropping it takes everything back.
///
/// ```
/// use stratigraph::{Database, Read};
///
/// let db = Database::in_memory()?;
/// let mut txn = db.write()?;
/// let ann = txn.create_node(["Person"], [("name", "Ann")])?;
/// let bob = txn.create_node(["Person"], [("name", "Bob")])?;
/// txn.create_relationship(ann, "KNOWS", bob, [("since", 2020)])?;
/// let before = txn.savepoint()?;
/// txn.set_property(ann, "name", "Anna")?;
/// txn.rollback_to(before)?;
/// txn.commit()?; // durable once it returns
/// assert_eq!(db.read()?.property(ann, "name")?.as_str(), Some("Ann"));
/// # Ok::<(), stratigraph::Error>(())
/// ```
pub struct WriteTxn {
    keys: KeyWriteTxn,
    state: GraphState,
    pending: Pending,
    /// What lacked a property that it must have, when it was last changed: looked at again at commit.
    unmet: BTreeSet<Entity>,
    savepoints: Vec<(batch::Savepoint, GraphState, BTreeSet<Entity>)>,
    encoder: Encoder,
    /// Whether anything was added. What only deletes may use the disk's reserve, although its sets and
    /// counts are written anew.
    adds: bool,
}

/// A pair that a commit would write: its family, its key, and its value, or none where it deletes.
pub type Written<'a> = (Family, &'a [u8], Option<&'a [u8]>);

/// A place in a transaction to which it can be rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Savepoint(batch::Savepoint);

impl WriteTxn {
    pub(crate) fn new(keys: KeyWriteTxn) -> Self {
        Self {
            state: GraphState::clone(keys.base_state()),
            keys,
            pending: Pending::default(),
            unmet: BTreeSet::new(),
            savepoints: Vec::new(),
            encoder: Encoder::default(),
            adds: false,
        }
    }

    /// The database that is written to, for what is known of it further up.
    pub(crate) fn database(&self) -> &Arc<dyn OpenDatabase> {
        self.keys.database()
    }

    /// Lets `token` stop this transaction: its next step fails.
    #[must_use]
    pub fn with_cancel(mut self, token: CancelToken) -> Self {
        self.keys = self.keys.with_cancel(token);
        self
    }

    /// Who may stop this transaction.
    pub(crate) fn cancel_token(&self) -> CancelToken {
        self.keys.cancel_token()
    }

    /// Lets `token`, and nobody else, stop this transaction from now on.
    pub(crate) fn stop_by(&mut self, token: CancelToken) {
        self.keys.stop_by(token);
    }

    /// Marks this place, to come back to it with [`rollback_to`](Self::rollback_to).
    ///
    /// # Errors
    /// [`Error::TransactionTooLarge`], since what was collected is written out first.
    pub fn savepoint(&mut self) -> Result<Savepoint> {
        self.settle()?;
        let savepoint = self.keys.savepoint();
        self.savepoints
            .push((savepoint, self.state.clone(), self.unmet.clone()));
        Ok(Savepoint(savepoint))
    }

    /// Takes back every change since `savepoint`, which stays usable.
    ///
    /// # Errors
    /// [`Error::UnknownSavepoint`] if it is gone, or of another transaction.
    pub fn rollback_to(&mut self, savepoint: Savepoint) -> Result<()> {
        self.keys.rollback_to(savepoint.0)?;
        let at = self
            .savepoints
            .iter()
            .position(|(known, ..)| *known == savepoint.0);
        let at = at.ok_or(Error::UnknownSavepoint)?;
        self.savepoints.truncate(at + 1);
        if let Some((_, state, unmet)) = self.savepoints.last().cloned() {
            // Ids that were handed out are not given again: somebody may hold one.
            let next = std::mem::replace(&mut self.state, state).next;
            self.raise_next_ids(next);
            self.unmet = unmet;
        }
        // Everything that waited before the savepoint was written out at it.
        self.pending = Pending::default();
        Ok(())
    }

    /// Forgets `savepoint` and every later one; their changes stay.
    ///
    /// # Errors
    /// [`Error::UnknownSavepoint`] if it is gone, or of another transaction.
    pub fn release(&mut self, savepoint: Savepoint) -> Result<()> {
        self.keys.release(savepoint.0)?;
        let at = self
            .savepoints
            .iter()
            .position(|(known, ..)| *known == savepoint.0);
        self.savepoints.truncate(at.unwrap_or_default());
        Ok(())
    }

    /// About how many bytes the transaction holds in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.keys.bytes()
    }

    /// Commits, and returns when the commit is durable and readers see it.
    ///
    /// # Errors
    /// [`Error::ConstraintViolation`] if something lacks a property that it must have;
    /// [`Error::TransactionTooLarge`] if it moves more levels of hierarchies than fit into one;
    /// [`Error::OutcomeUnknown`] if the commit may or may not be there after the next open. After
    /// any other error than that nothing was written.
    pub fn commit(self) -> Result<CommitSeq> {
        self.commit_waiting(Waiting::ForTheDisk)
    }

    /// Commits, and returns when the commit is written, without waiting for the disk. A crash of the process loses
    /// nothing; a loss of power may take it back, with everything after it. Readers see it, and it is durable, with
    /// the next commit that waits, or [`Database::sync`](crate::Database::sync); transactions that begin from now on
    /// start from it.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn commit_unsynced(self) -> Result<CommitSeq> {
        self.commit_waiting(Waiting::ForNobody)
    }

    fn commit_waiting(mut self, waiting: Waiting) -> Result<CommitSeq> {
        rules::check_presence(&view::of(&self), &self.unmet)?;
        self.pending.settle(&mut self.keys, &self.state, true)?;
        if self.state.next != self.keys.base_state().next {
            let next = self.state.next.encode();
            self.keys.put_admitted(Family::Meta, NextIds::KEY, &next);
        }
        let touched = self.keys.changed_in(Family::Journal);
        // Going back to a savepoint takes entries away.
        let touched = touched.filter_map(|(key, entry)| Some(read_journal(key, entry?)));
        let touched = touched.collect::<Result<Vec<_>>>()?;
        let indexes = Arc::clone(self.keys.database().vectors());
        let prepared = Prepared::new(&indexes, &view::of(&self), touched)?;
        let mut texts: Vec<Arc<TextIndexDef>> = Vec::new();
        // Most commits change no text at all, whatever indexes there are.
        if self.keys.changed_in(Family::TextDocuments).next().is_some() {
            let changed = self.state.catalog.text_indexes().filter(|def| {
                let mut parts = def.index().keys().into_iter();
                parts.any(|(family, range)| self.keys.changes_any(family, &range))
            });
            texts.extend(changed.cloned());
        }
        let database = Arc::clone(self.keys.database());
        let changes_entries = self.keys.changed_in(Family::PropIndex).next().is_some();
        let entries = changes_entries.then(|| {
            let touches = |range: &KeyRange| self.keys.changes_any(Family::PropIndex, range);
            database.value_sets().change(touches)
        });
        let state = Arc::new(self.state);
        let commit = self
            .keys
            .commit_with(state, !self.adds, waiting, |commit| {
                prepared.apply(&indexes, commit);
                if let Some(entries) = entries {
                    entries.at(commit);
                }
            })?;
        prepared.finish(&indexes);
        database.tend_texts(&texts);
        Ok(commit)
    }

    /// What a commit would write now: family, key and value, or none where it deletes. For tools that
    /// measure or replicate.
    ///
    /// # Errors
    /// [`Error::TransactionTooLarge`], since what was collected is written out first.
    pub fn changes(&mut self) -> Result<impl Iterator<Item = Written<'_>>> {
        self.settle()?;
        Ok(self.keys.changes())
    }

    /// Takes everything back. Dropping the transaction does the same. The ids that it gave out are free
    /// again.
    pub fn rollback(self) {}

    fn settle(&mut self) -> Result<()> {
        self.pending.settle(&mut self.keys, &self.state, false)
    }

    /// Applies a change of the catalogue.
    pub(crate) fn change_catalog(&mut self, change: &Change) -> Result<()> {
        const LONGEST_DEFINITION: usize = 8 << 10;
        self.adds |= !change.removes();
        self.keys.ensure_room(LONGEST_DEFINITION)?;
        for (key, value) in Arc::make_mut(&mut self.state.catalog).apply(change) {
            match value {
                Some(value) => self.keys.put_admitted(Family::Meta, &key, &value),
                None => self.keys.delete_admitted(Family::Meta, &key),
            }
        }
        Ok(())
    }

    /// The number of a name, which it gets if it was never used. A name stays known even if the
    /// operation that brought it is refused.
    pub(crate) fn name<I: NameId>(
        &mut self,
        names: impl Fn(&Catalog) -> &Names<I>,
        change: impl Fn(Arc<str>) -> Change,
        name: &str,
    ) -> Result<I> {
        if let Some(id) = names(&self.state.catalog).id(name) {
            return Ok(id);
        }
        names(&self.state.catalog).check(name)?;
        self.change_catalog(&change(name.into()))?;
        names(&self.state.catalog)
            .id(name)
            .ok_or_else(|| Error::bug("a name that was just given is not known"))
    }

    /// Writes what an operation changes and what the rules ask for, or says that there is no room.
    fn write(&mut self, mut changes: Changes, rules: &Outcome) -> Result<()> {
        changes.follow(rules);
        self.keys.ensure_room(changes.bytes)?;
        changes.write_admitted(&mut self.keys);
        self.note_rules(rules);
        Ok(())
    }

    /// What else index entries that were written change, and what is still to be looked at.
    fn note_rules(&mut self, rules: &Outcome) {
        for entry in &rules.entries {
            self.note_entry(entry);
        }
        for index in &rules.texts {
            self.pending.touch_text(*index, rules.entity.number());
        }
        for index in &rules.vectors {
            self.pending.touch_vector(*index, rules.entity.number());
        }
        match rules.unmet {
            Some(entity) => drop(self.unmet.insert(entity)),
            None => drop(self.unmet.remove(&rules.entity)),
        }
    }

    /// Counts an index entry that is written or removed. Counts are exact also while an index is built.
    pub(crate) fn note_entry(&mut self, entry: &Entry) {
        let difference = if entry.value.is_some() { 1 } else { -1 };
        self.pending
            .count(Counter::Entries(entry.index), difference);
        if entry.value.is_some() {
            self.pending.sketch(entry.index, entry.values());
        }
    }

    /// The next number of something declared.
    pub(crate) fn next_schema_id(&mut self) -> Result<SchemaId> {
        let id = check_schema_id(self.state.next.schema)?;
        self.state.next.schema += 1;
        Ok(SchemaId(id))
    }

    /// Raises the next free ids, so that what is created next has the ids that a dump names. They
    /// only rise.
    pub(crate) fn raise_next_ids(&mut self, to: NextIds) {
        let next = &mut self.state.next;
        next.node = next.node.max(to.node);
        next.relationship = next.relationship.max(to.relationship);
        next.schema = next.schema.max(to.schema);
    }

    /// What the next node, relationship and declaration are called.
    pub(crate) fn next_ids(&self) -> NextIds {
        self.state.next
    }

    /// Says that something is added past the operations here.
    pub(crate) fn note_addition(&mut self) {
        self.adds = true;
    }

    /// What the graph knows at this point of the transaction.
    pub(crate) fn state(&self) -> &GraphState {
        &self.state
    }

    /// The transaction over keys.
    pub(crate) fn keys(&mut self) -> &mut KeyWriteTxn {
        &mut self.keys
    }

    /// Differences that wait to be written.
    pub(crate) fn pending(&mut self) -> &mut Pending {
        &mut self.pending
    }
}

/// A journal entry of this transaction: the vector index, and the ids that it has to look at.
fn read_journal(key: &[u8], entry: &[u8]) -> Result<(SchemaId, BTreeSet<u64>)> {
    let damaged = |error| Error::record(Family::Journal.name(), error);
    let key = JournalKey::decode(key).map_err(damaged)?;
    let mut ids = BTreeSet::new();
    read_touched(entry, &mut ids).map_err(damaged)?;
    Ok((key.index, ids))
}

/// What an operation is going to write. Collected first, admitted as a whole, then written.
#[derive(Default)]
struct Changes {
    pairs: Pairs,
    bytes: usize,
}

impl Changes {
    fn put(&mut self, family: Family, key: &[u8], value: impl Into<batch::Value>) {
        if family == Family::In && plant::is(Bug::SkipInEntry) {
            return;
        }
        let value = value.into();
        self.bytes += Batch::cost_of(key, &value);
        self.pairs.push((family, key.into(), Some(value)));
    }

    fn delete(&mut self, family: Family, key: &[u8]) {
        self.bytes += Batch::cost_of(key, &[]);
        self.pairs.push((family, key.into(), None));
    }

    /// The record that was encoded last, and what lies apart from it.
    fn put_encoded(&mut self, family: Family, key: &[u8], encoder: &mut Encoder) -> Result<()> {
        self.put(family, key, encoder.record.as_bytes());
        for Apart { family, key, value } in encoder.apart.drain(..) {
            if value.len() > MAX_VALUE_BYTES {
                return Err(Error::TooLarge {
                    what: "property value",
                    bytes: value.len() as u64,
                    limit_bytes: MAX_VALUE_BYTES as u64,
                });
            }
            self.put(family, &key, value);
        }
        Ok(())
    }

    /// Adds the index entries that the rules ask for.
    fn follow(&mut self, rules: &Outcome) {
        for entry in &rules.entries {
            match &entry.value {
                Some(value) => self.put(Family::PropIndex, &entry.key, value.as_slice()),
                None => self.delete(Family::PropIndex, &entry.key),
            }
        }
    }

    /// Writes everything; there must be room for it.
    fn write_admitted(self, keys: &mut KeyWriteTxn) {
        for (family, key, value) in self.pairs {
            keys.change_admitted(family, key, value);
        }
    }
}
