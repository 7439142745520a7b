//! The ordered write overlay: what a write transaction has changed and nobody else sees yet.
//!
//! It is at once the transaction's own view (reads and scans look here first) and, at commit, the
//! batch that is appended in one piece. Savepoints are an undo list over it. It holds no locks and
//! knows no store.

mod bytes;

pub(crate) use bytes::{Key, Value};

use super::family::{FAMILY_COUNT, Family};
use super::range::KeyRange;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};

/// `None` is a delete.
pub(crate) type Change = Option<Value>;

/// What each entry costs beyond its key and value: what it takes in the tree's node.
const ENTRY_OVERHEAD_BYTES: usize = 64;

/// Changes to several families, ordered by key, applied whole or not at all.
#[derive(Debug, Default)]
pub struct Batch {
    families: [BTreeMap<Key, Change>; FAMILY_COUNT],
    bytes: usize,
    puts: usize,
    undo: Vec<Undo>,
    undo_bytes: usize,
    /// For each open savepoint its identity and where its undo list begins.
    savepoints: Vec<(u64, usize)>,
}

/// The identity of the next savepoint of any batch: one of another batch must not be taken for one of
/// this.
static NEXT_SAVEPOINT: AtomicU64 = AtomicU64::new(0);

/// How to take one change back: the key and what stood there before (`None`: nothing did).
#[derive(Debug)]
struct Undo {
    family: Family,
    key: Key,
    before: Option<Change>,
}

impl Undo {
    fn bytes(&self) -> usize {
        cost(&self.key, self.before.as_ref().and_then(Option::as_ref))
    }
}

/// A place in a transaction to which it can be rolled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Savepoint(u64);

impl Batch {
    /// An empty batch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stores `value` under `key`.
    pub fn put(&mut self, family: Family, key: &[u8], value: &[u8]) {
        self.change(family, key.into(), Some(value.into()));
    }

    /// Removes `key`.
    pub fn delete(&mut self, family: Family, key: &[u8]) {
        self.change(family, key.into(), None);
    }

    /// Stores a value under `key`, or removes it.
    pub(crate) fn change(&mut self, family: Family, key: Key, change: Change) {
        let key_bytes = key.len();
        let added = key_bytes + value_cost(change.as_ref());
        self.puts += usize::from(change.is_some());
        let undo_key = (!self.savepoints.is_empty()).then(|| key.clone());
        let before = self.families[family.index()].insert(key, change);
        if let Some(old) = &before {
            self.bytes -= key_bytes + value_cost(old.as_ref());
            self.puts -= usize::from(old.is_some());
        }
        self.bytes += added;
        if let Some(key) = undo_key {
            let undo = Undo {
                family,
                key,
                before,
            };
            self.undo_bytes += undo.bytes();
            self.undo.push(undo);
        }
    }

    fn forget(&mut self, key: &[u8], change: Option<&Value>) {
        self.bytes -= cost(key, change);
        self.puts -= usize::from(change.is_some());
    }

    /// What the batch says of `key`: `None` nothing, `Some(None)` deleted, `Some(Some(value))` stored.
    #[must_use]
    pub fn get(&self, family: Family, key: &[u8]) -> Option<Option<&[u8]>> {
        self.families[family.index()].get(key).map(Option::as_deref)
    }

    /// The first change of the range that is not before `from`, which may lie outside.
    pub(crate) fn first_from(
        &self,
        family: Family,
        from: Bound<&[u8]>,
        range: &KeyRange,
    ) -> Option<(&[u8], Option<&[u8]>)> {
        let start = range.start.as_slice();
        let from = match from {
            Bound::Included(key) | Bound::Excluded(key) if key >= start => from,
            _ => Bound::Included(start),
        };
        let (key, change) = self.families[family.index()]
            .range::<[u8], _>((from, Bound::Unbounded))
            .next()?;
        range.contains(key).then_some((&**key, change.as_deref()))
    }

    /// The last change of the range that is not after `until`, which may lie outside.
    pub(crate) fn last_until(
        &self,
        family: Family,
        until: Bound<&[u8]>,
        range: &KeyRange,
    ) -> Option<(&[u8], Option<&[u8]>)> {
        let until = match (until, range.end.as_deref()) {
            (_, None) => until,
            (Bound::Included(key) | Bound::Excluded(key), Some(end)) if key < end => until,
            (_, Some(end)) => Bound::Excluded(end),
        };
        let (key, change) = self.families[family.index()]
            .range::<[u8], _>((Bound::Unbounded, until))
            .next_back()?;
        range.contains(key).then_some((&**key, change.as_deref()))
    }

    /// The changes of one family in key order.
    pub fn changes(&self, family: Family) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        self.families[family.index()]
            .iter()
            .map(|(key, change)| (&**key, change.as_deref()))
    }

    /// How many keys it changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.families.iter().map(BTreeMap::len).sum()
    }

    /// Whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.families.iter().all(BTreeMap::is_empty)
    }

    /// Whether it only deletes, and so may use the disk's reserve.
    #[must_use]
    pub fn only_deletes(&self) -> bool {
        self.puts == 0
    }

    /// About how many bytes its changes take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// About how many bytes of memory it holds: its changes, and what savepoints could bring back.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.bytes + self.undo_bytes
    }

    /// What a change would add to [`bytes`](Self::bytes) at most.
    #[must_use]
    pub fn cost_of(key: &[u8], value: &[u8]) -> usize {
        key.len() + value.len() + ENTRY_OVERHEAD_BYTES
    }

    /// Whether there is a place to roll back to.
    #[must_use]
    pub(crate) fn has_savepoints(&self) -> bool {
        !self.savepoints.is_empty()
    }

    /// Marks this place.
    pub fn savepoint(&mut self) -> Savepoint {
        let id = NEXT_SAVEPOINT.fetch_add(1, Ordering::Relaxed);
        self.savepoints.push((id, self.undo.len()));
        Savepoint(id)
    }

    /// Takes back every change since `savepoint`, which stays usable; later ones are gone.
    ///
    /// # Errors
    /// [`Error::UnknownSavepoint`] if it is gone, or of another batch.
    pub fn rollback_to(&mut self, savepoint: Savepoint) -> Result<()> {
        let position = self.find(savepoint)?;
        let keep = self.savepoints[position].1;
        self.savepoints.truncate(position + 1);
        for undo in self.undo.split_off(keep).into_iter().rev() {
            self.undo_bytes -= undo.bytes();
            let Undo {
                family,
                key,
                before,
            } = undo;
            let tree = &mut self.families[family.index()];
            let undone = match before {
                None => tree.remove(&*key),
                Some(change) => {
                    self.bytes += cost(&key, change.as_ref());
                    self.puts += usize::from(change.is_some());
                    tree.insert(key.clone(), change)
                }
            };
            if let Some(undone) = undone {
                self.forget(&key, undone.as_ref());
            }
        }
        Ok(())
    }

    /// Forgets `savepoint` and every later one; their changes stay.
    ///
    /// # Errors
    /// [`Error::UnknownSavepoint`] if it is gone, or of another batch.
    pub fn release(&mut self, savepoint: Savepoint) -> Result<()> {
        let position = self.find(savepoint)?;
        self.savepoints.truncate(position);
        if self.savepoints.is_empty() {
            self.undo.clear();
            self.undo_bytes = 0;
        }
        Ok(())
    }

    fn find(&self, savepoint: Savepoint) -> Result<usize> {
        self.savepoints
            .iter()
            .position(|(id, _)| *id == savepoint.0)
            .ok_or(Error::UnknownSavepoint)
    }

    /// Removes every change of one family; only a planted bug does that.
    #[cfg(feature = "planted-bugs")]
    pub(crate) fn drop_family(&mut self, family: Family) {
        self.families[family.index()].clear();
    }
}

fn cost(key: &[u8], change: Option<&Value>) -> usize {
    key.len() + value_cost(change)
}

fn value_cost(change: Option<&Value>) -> usize {
    change.map_or(0, |value| value.len()) + ENTRY_OVERHEAD_BYTES
}
