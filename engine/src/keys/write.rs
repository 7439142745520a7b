//! The write transaction: an overlay over the last commit, appended in one piece.

use super::View;
use super::ground::Ground;
use super::meter::Meter;
use super::only_writer::OnlyWriter;
use super::open_database::OpenDatabase;
use super::read::{KeyRead, get_from, multi_get_from};
use super::scan::Scan;
use super::trial::KeyWrite;
use crate::catalog::GraphState;
use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::storage::batch::{Batch, Change, Key, Savepoint};
use crate::storage::cancel::CancelToken;
use crate::storage::family::Family;
use crate::storage::meta;
use crate::storage::queue::WriterPlace;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use std::ops::Bound;
use std::sync::Arc;

/// The longest key that is stored.
const MAX_KEY_BYTES: usize = 64 << 10;
/// The longest value that is stored.
const MAX_VALUE_BYTES: usize = 64 << 20;

/// What a commit waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// Until it is durable, as the database's setting says.
    ForTheDisk,
    /// It is written, and a later commit makes it durable.
    ForNobody,
}

/// The one write transaction. It reads its own writes; nobody else does before it has committed.
///
/// Dropping it takes everything back.
///
/// ```
/// use stratigraph::storage::family::Family;
/// use stratigraph::Database;
/// use stratigraph::keys::KeyRead;
///
/// let db = Database::in_memory()?;
/// let mut txn = db.key_write()?;
/// txn.put(Family::Nodes, b"kept", b"1")?;
/// let before = txn.savepoint();
/// txn.put(Family::Nodes, b"taken back", b"2")?;
/// txn.rollback_to(before)?;
/// txn.commit()?;
/// assert!(db.key_read()?.contains(Family::Nodes, b"kept")?);
/// assert!(!db.key_read()?.contains(Family::Nodes, b"taken back")?);
/// # Ok::<(), stratigraph::Error>(())
/// ```
pub struct KeyWriteTxn {
    batch: Batch,
    base: Arc<View>,
    place: WriterPlace,
    cancel: CancelToken,
    meter: Meter,
    ground: Arc<Ground>,
    database: Arc<dyn OpenDatabase>,
    /// Whose it is, if that one has to know who else writes.
    only: Option<Arc<OnlyWriter>>,
}

impl KeyWriteTxn {
    pub(crate) fn begin(
        database: Arc<dyn OpenDatabase>,
        only: Option<Arc<OnlyWriter>>,
    ) -> Result<Self> {
        let ground = Arc::clone(database.ground());
        ground.ensure_writable()?;
        let place = ground.queue.enter()?;
        let base = ground.log.appended()?;
        if let Some(only) = &only {
            only.begins(&base);
        }
        Ok(Self {
            batch: Batch::new(),
            base,
            place,
            cancel: CancelToken::new(),
            meter: Meter::counting(),
            ground,
            database,
            only,
        })
    }

    /// Lets `token` stop this transaction: its next step, or scan, fails.
    #[must_use]
    pub fn with_cancel(mut self, token: CancelToken) -> Self {
        self.cancel = token;
        self
    }

    /// The same for one that goes on.
    pub(crate) fn stop_by(&mut self, token: CancelToken) {
        self.cancel = token;
    }

    /// Stores `value` under `key`.
    ///
    /// # Errors
    /// [`Error::TooLarge`] or [`Error::TransactionTooLarge`], after which the transaction goes on
    /// without this change; [`Error::TransactionExpired`] or [`Error::Cancelled`], after which it
    /// can only be dropped.
    pub fn put(&mut self, family: Family, key: &[u8], value: &[u8]) -> Result<()> {
        check_value(value)?;
        self.admit(family, key, value)?;
        self.batch.put(family, key, value);
        Ok(())
    }

    /// Removes `key`; one that is not stored is fine.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub fn delete(&mut self, family: Family, key: &[u8]) -> Result<()> {
        self.admit(family, key, &[])?;
        self.batch.delete(family, key);
        Ok(())
    }

    /// Marks this place, to come back to it with [`rollback_to`](Self::rollback_to).
    pub fn savepoint(&mut self) -> Savepoint {
        self.batch.savepoint()
    }

    /// Takes back every change since `savepoint`, which stays usable.
    ///
    /// # Errors
    /// [`Error::UnknownSavepoint`] if it is gone, or of another transaction.
    pub fn rollback_to(&mut self, savepoint: Savepoint) -> Result<()> {
        self.step()?;
        self.batch.rollback_to(savepoint)
    }

    /// Forgets `savepoint` and every later one; their changes stay.
    ///
    /// # Errors
    /// [`Error::UnknownSavepoint`] if it is gone, or of another transaction.
    pub fn release(&mut self, savepoint: Savepoint) -> Result<()> {
        self.step()?;
        self.batch.release(savepoint)
    }

    /// About how many bytes the transaction holds in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.batch.held_bytes() as u64
    }

    /// Commits, and returns when the commit is durable and readers see it.
    ///
    /// # Errors
    /// [`Error::OutcomeUnknown`] if the commit may or may not be there after the next open; after
    /// any other error nothing was written.
    pub fn commit(self) -> Result<CommitSeq> {
        let state = Arc::clone(&self.base.state);
        let only_deletes = self.batch.only_deletes();
        self.commit_with(state, only_deletes, Waiting::ForTheDisk, |_| {})
    }

    /// Commits; from then on `state` is what the graph knows. What only deletes may use the disk's
    /// reserve. `follow` is called with the commit before anybody can see it.
    pub(crate) fn commit_with(
        self,
        state: Arc<GraphState>,
        only_deletes: bool,
        waiting: Waiting,
        follow: impl FnOnce(CommitSeq),
    ) -> Result<CommitSeq> {
        self.cancel.check()?;
        if self.batch.is_empty() {
            self.place.step()?;
            drop(self.place);
            if waiting == Waiting::ForTheDisk {
                // What it read may not be durable yet, and the caller may act on it.
                self.ground.log.acknowledge(self.base.commit)?;
            }
            return Ok(self.base.commit);
        }
        self.ground.admit(self.batch.bytes() as u64, only_deletes)?;
        self.place.begin_commit()?;
        let log = &self.ground.log;
        let commit = match waiting {
            Waiting::ForTheDisk => log.append_followed(self.batch, state, follow)?,
            Waiting::ForNobody => log.append_unawaited(self.batch, state, follow)?,
        };
        if let Some(only) = &self.only {
            only.has_made(commit);
        }
        if waiting == Waiting::ForNobody {
            return Ok(commit);
        }
        // The next writer goes ahead while this one waits for the disk.
        drop(self.place);
        self.ground.log.acknowledge(commit)?;
        Ok(commit)
    }

    /// Takes everything back. Dropping the transaction does the same.
    pub fn rollback(self) {}

    /// What the graph knew when the transaction began.
    pub(crate) fn base_state(&self) -> &Arc<GraphState> {
        &self.base.state
    }

    /// Whether changes of about `bytes` more still fit: whoever changes several keys at once asks
    /// first, so that no half of it fails.
    pub(crate) fn ensure_room(&self, bytes: usize) -> Result<()> {
        // With a savepoint, the way back is held as well.
        let times = if self.batch.has_savepoints() { 2 } else { 1 };
        self.room_for(bytes.saturating_mul(times))
    }

    fn room_for(&self, bytes: usize) -> Result<()> {
        self.step()?;
        let bytes = self.batch.held_bytes().saturating_add(bytes) as u64;
        let limit_bytes = self.limit_bytes();
        if bytes > limit_bytes {
            return Err(Error::TransactionTooLarge { bytes, limit_bytes });
        }
        Ok(())
    }

    /// What this transaction has made of a key: `None` nothing, `Some(None)` deleted it.
    pub(crate) fn changed(&self, family: Family, key: &[u8]) -> Option<Option<&[u8]>> {
        self.batch.get(family, key)
    }

    /// Everything that this transaction has changed.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (Family, &[u8], Option<&[u8]>)> {
        Family::all().flat_map(|family| {
            let changes = self.batch.changes(family);
            changes.map(move |(key, value)| (family, key, value))
        })
    }

    /// What this transaction has changed in a family.
    pub(crate) fn changed_in(
        &self,
        family: Family,
    ) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        self.batch.changes(family)
    }

    /// The database that is written to.
    pub(crate) fn database(&self) -> &Arc<dyn OpenDatabase> {
        &self.database
    }

    /// Whether this transaction has changed anything in a part of a family.
    pub(crate) fn changes_any(&self, family: Family, range: &KeyRange) -> bool {
        let start = Bound::Included(range.start.as_slice());
        self.batch.first_from(family, start, range).is_some()
    }

    /// Walks what was stored before this transaction, beneath some changes.
    pub(super) fn scan_beneath<'a>(
        &'a self,
        changes: &'a Batch,
        family: Family,
        range: &KeyRange,
        options: ScanOptions,
    ) -> Result<Scan<'a>> {
        self.step()?;
        let stored = self.base.snapshot.cursor(family, range, options);
        let start = Bound::Included(range.start.as_slice());
        if changes.first_from(family, start, range).is_none() {
            // Nothing here was changed, and nothing can be as long as the scan borrows us.
            return Ok(Scan::stored(
                stored,
                (&self.cancel, &self.meter),
                Some(&self.place),
            ));
        }
        Ok(Scan::merged(
            stored,
            (&self.cancel, &self.meter),
            changes,
            &self.place,
            family,
            range,
            options.direction,
        ))
    }

    /// How many bytes the transaction may hold.
    pub(crate) fn limit_bytes(&self) -> u64 {
        self.ground.transaction_bytes
    }

    /// Stores or removes what [`ensure_room`](Self::ensure_room) has made room for.
    pub(crate) fn change_admitted(&mut self, family: Family, key: Key, change: Change) {
        self.batch.change(family, key, change);
    }

    /// Stores what [`ensure_room`](Self::ensure_room) has made room for.
    pub(crate) fn put_admitted(&mut self, family: Family, key: &[u8], value: &[u8]) {
        self.batch.put(family, key, value);
    }

    /// Removes what [`ensure_room`](Self::ensure_room) has made room for.
    pub(crate) fn delete_admitted(&mut self, family: Family, key: &[u8]) {
        self.batch.delete(family, key);
    }

    fn step(&self) -> Result<()> {
        self.cancel.check()?;
        self.place.step()
    }

    fn admit(&self, family: Family, key: &[u8], value: &[u8]) -> Result<()> {
        check_key(family, key)?;
        self.room_for(Batch::cost_of(key, value))
    }
}

/// Whether a key may be stored at all.
pub(super) fn check_key(family: Family, key: &[u8]) -> Result<()> {
    if family == Family::Meta && meta::is_reserved(key) {
        return Err(Error::ReservedKey);
    }
    limit("key", key.len(), MAX_KEY_BYTES)
}

/// Whether a value may be stored at all.
pub(super) fn check_value(value: &[u8]) -> Result<()> {
    limit("value", value.len(), MAX_VALUE_BYTES)
}

fn limit(what: &'static str, bytes: usize, limit: usize) -> Result<()> {
    if bytes > limit {
        return Err(Error::TooLarge {
            what,
            bytes: bytes as u64,
            limit_bytes: limit as u64,
        });
    }
    Ok(())
}

impl KeyWrite for KeyWriteTxn {
    fn ensure_room(&self, bytes: usize) -> Result<()> {
        Self::ensure_room(self, bytes)
    }

    fn change_admitted(&mut self, family: Family, key: Key, change: Change) {
        Self::change_admitted(self, family, key, change);
    }
}

impl KeyRead for KeyWriteTxn {
    fn get_with<T>(
        &self,
        family: Family,
        key: &[u8],
        visit: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>> {
        self.step()?;
        match self.batch.get(family, key) {
            Some(change) => Ok(change.map(visit)),
            None => get_from((&self.base, &self.meter), family, key, visit),
        }
    }

    fn multi_get(&self, family: Family, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.step()?;
        let mut values = multi_get_from((&self.base, &self.meter), family, keys)?;
        for (key, value) in keys.iter().zip(&mut values) {
            if let Some(change) = self.batch.get(family, key) {
                *value = change.map(<[u8]>::to_vec);
            }
        }
        Ok(values)
    }

    fn scan_with(
        &self,
        family: Family,
        range: &KeyRange,
        options: ScanOptions,
    ) -> Result<Scan<'_>> {
        self.scan_beneath(&self.batch, family, range, options)
    }

    fn commit_seq(&self) -> CommitSeq {
        self.base.commit
    }

    fn may_go_on(&self) -> Result<()> {
        self.step()
    }

    fn cancel_token(&self) -> CancelToken {
        self.cancel.clone()
    }

    fn read_bytes(&self) -> u64 {
        self.meter.bytes()
    }
}

#[cfg(test)]
mod tests;
