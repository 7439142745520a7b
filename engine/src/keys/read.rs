//! Reading: the trait that both transactions share, and the read transaction.

use super::View;
use super::meter::Meter;
use super::open_database::OpenDatabase;
use super::scan::Scan;
use crate::catalog::GraphState;
use crate::codec::CommitSeq;
use crate::error::Result;
use crate::storage::cancel::CancelToken;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use std::sync::Arc;

/// What can be read, in a read and in a write transaction alike.
pub trait KeyRead {
    /// Calls `visit` with the value of `key`, without copying it; `None` if it is not stored.
    ///
    /// # Errors
    /// [`Error::Corruption`](crate::Error::Corruption) if its block is damaged.
    fn get_with<T>(
        &self,
        family: Family,
        key: &[u8],
        visit: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>>;

    /// The values of several keys, in their order.
    ///
    /// # Errors
    /// As [`get_with`](Self::get_with).
    fn multi_get(&self, family: Family, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>>;

    /// Walks the keys of `range` as `options` say.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) or an expired transaction.
    fn scan_with(&self, family: Family, range: &KeyRange, options: ScanOptions)
    -> Result<Scan<'_>>;

    /// The commit that is read; a write transaction's own changes come on top.
    fn commit_seq(&self) -> CommitSeq;

    /// Whether work that reads may go on: whoever works long on what is in a cache asks now and then.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) or an expired transaction.
    fn may_go_on(&self) -> Result<()> {
        Ok(())
    }

    /// Who may stop work that reads, for work that does not come here now and then.
    fn cancel_token(&self) -> CancelToken {
        CancelToken::new()
    }

    /// How many bytes of keys and values were read from the store so far, where that is counted: in a write
    /// transaction and in a query.
    fn read_bytes(&self) -> u64 {
        0
    }

    /// The value of `key`.
    ///
    /// # Errors
    /// As [`get_with`](Self::get_with).
    fn get(&self, family: Family, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.get_with(family, key, <[u8]>::to_vec)
    }

    /// Whether `key` is stored.
    ///
    /// # Errors
    /// As [`get_with`](Self::get_with).
    fn contains(&self, family: Family, key: &[u8]) -> Result<bool> {
        Ok(self.get_with(family, key, |_| ())?.is_some())
    }

    /// Walks the keys of `range` upwards.
    ///
    /// # Errors
    /// As [`scan_with`](Self::scan_with).
    fn scan(&self, family: Family, range: &KeyRange) -> Result<Scan<'_>> {
        self.scan_with(family, range, ScanOptions::default())
    }
}

/// What is stored at a commit, for the database's own threads.
pub(crate) struct StoredKeys {
    view: Arc<View>,
    cancel: CancelToken,
    meter: Meter,
}

impl StoredKeys {
    pub(crate) fn new(view: Arc<View>) -> Self {
        Self {
            view,
            cancel: CancelToken::new(),
            meter: Meter::default(),
        }
    }

    /// Lets `token` stop what is read.
    pub(crate) fn with_cancel(mut self, token: CancelToken) -> Self {
        self.cancel = token;
        self
    }

    /// Counts what is read from now on.
    fn metered(mut self) -> Self {
        self.meter = Meter::counting();
        self
    }
}

/// A view of the database at one commit. It never changes and never blocks anybody.
pub struct KeyReadTxn {
    stored: StoredKeys,
    /// Keeps the folder's lock as long as its files are read.
    database: Arc<dyn OpenDatabase>,
}

impl KeyReadTxn {
    pub(crate) fn new(database: Arc<dyn OpenDatabase>) -> Self {
        Self {
            stored: StoredKeys::new(database.ground().log.published()),
            database,
        }
    }

    /// What the graph knows about the commit that is read.
    pub(crate) fn state(&self) -> &Arc<GraphState> {
        &self.stored.view.state
    }

    /// The database that is read.
    pub(crate) fn database(&self) -> &Arc<dyn OpenDatabase> {
        &self.database
    }

    /// Lets `token` stop the scans of this transaction.
    #[must_use]
    pub fn with_cancel(mut self, token: CancelToken) -> Self {
        self.stored.cancel = token;
        self
    }

    /// The same view for one piece of work: `token` may stop it as well, and what it reads is counted.
    pub(crate) fn for_work(&self, token: &CancelToken) -> Self {
        let stored = StoredKeys::new(Arc::clone(&self.stored.view));
        Self {
            stored: stored.with_cancel(self.stored.cancel.or(token)).metered(),
            database: Arc::clone(&self.database),
        }
    }
}

impl KeyRead for KeyReadTxn {
    fn get_with<T>(
        &self,
        family: Family,
        key: &[u8],
        visit: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>> {
        self.stored.get_with(family, key, visit)
    }

    fn multi_get(&self, family: Family, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.stored.multi_get(family, keys)
    }

    fn scan_with(
        &self,
        family: Family,
        range: &KeyRange,
        options: ScanOptions,
    ) -> Result<Scan<'_>> {
        self.stored.scan_with(family, range, options)
    }

    fn commit_seq(&self) -> CommitSeq {
        self.stored.commit_seq()
    }

    fn may_go_on(&self) -> Result<()> {
        self.stored.may_go_on()
    }

    fn cancel_token(&self) -> CancelToken {
        self.stored.cancel_token()
    }

    fn read_bytes(&self) -> u64 {
        self.stored.read_bytes()
    }
}

impl KeyRead for StoredKeys {
    fn get_with<T>(
        &self,
        family: Family,
        key: &[u8],
        visit: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>> {
        get_from((&self.view, &self.meter), family, key, visit)
    }

    fn multi_get(&self, family: Family, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        self.cancel.check()?;
        multi_get_from((&self.view, &self.meter), family, keys)
    }

    fn scan_with(
        &self,
        family: Family,
        range: &KeyRange,
        options: ScanOptions,
    ) -> Result<Scan<'_>> {
        self.cancel.check()?;
        Ok(Scan::stored(
            self.view.snapshot.cursor(family, range, options),
            (&self.cancel, &self.meter),
            None,
        ))
    }

    fn commit_seq(&self) -> CommitSeq {
        self.view.commit
    }

    fn may_go_on(&self) -> Result<()> {
        self.cancel.check()
    }

    fn cancel_token(&self) -> CancelToken {
        self.cancel.clone()
    }

    fn read_bytes(&self) -> u64 {
        self.meter.bytes()
    }
}

/// A point read through the face, which cannot be generic.
pub(super) fn get_from<T>(
    (view, meter): (&View, &Meter),
    family: Family,
    key: &[u8],
    visit: impl FnOnce(&[u8]) -> T,
) -> Result<Option<T>> {
    let mut visit = Some(visit);
    let mut seen = None;
    let mut bytes = 0;
    view.snapshot.get(family, key, &mut |value| {
        bytes = key.len() + value.len();
        seen = visit.take().map(|visit| visit(value));
    })?;
    meter.add(bytes as u64);
    Ok(seen)
}

/// Several point reads at once.
pub(super) fn multi_get_from(
    (view, meter): (&View, &Meter),
    family: Family,
    keys: &[&[u8]],
) -> Result<Vec<Option<Vec<u8>>>> {
    let values = view.snapshot.multi_get(family, keys)?;
    let found = keys.iter().zip(&values);
    let found = found.filter_map(|(key, value)| Some(key.len() + value.as_ref()?.len()));
    meter.add(found.sum::<usize>() as u64);
    Ok(values)
}
