//! A trial of what a write transaction would write: seen by whoever reads the trial, and by nobody else.
//!
//! What a transaction collects until commit is in no key yet. Who only has a reference to the transaction writes
//! it into a trial, and reads there.

use super::read::KeyRead;
use super::scan::Scan;
use super::write::KeyWriteTxn;
use crate::codec::CommitSeq;
use crate::error::Result;
use crate::storage::batch::{Batch, Change, Key};
use crate::storage::cancel::CancelToken;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;

/// Who is written to: a transaction, or a trial of one.
pub(crate) trait KeyWrite: KeyRead {
    /// Whether changes of about `bytes` more still fit.
    fn ensure_room(&self, bytes: usize) -> Result<()>;

    /// Stores or removes what [`ensure_room`](Self::ensure_room) has made room for.
    fn change_admitted(&mut self, family: Family, key: Key, change: Change);
}

/// Changes of some families on top of those that a transaction has made.
pub(crate) struct Trial<'a> {
    txn: &'a KeyWriteTxn,
    families: &'a [Family],
    /// The transaction's changes of these families, and those of the trial.
    batch: Batch,
}

impl<'a> Trial<'a> {
    /// A trial that is to change nothing but these families.
    pub(crate) fn new(txn: &'a KeyWriteTxn, families: &'a [Family]) -> Self {
        let mut batch = Batch::new();
        for family in families {
            for (key, value) in txn.changed_in(*family) {
                batch.change(*family, key.into(), value.map(Into::into));
            }
        }
        Self::resumed(txn, families, batch)
    }

    /// A trial that was kept. The transaction must not have changed these families since it was made.
    pub(crate) fn resumed(txn: &'a KeyWriteTxn, families: &'a [Family], batch: Batch) -> Self {
        Self {
            txn,
            families,
            batch,
        }
    }

    /// What is kept of it.
    pub(crate) fn into_batch(self) -> Batch {
        self.batch
    }

    fn is_mine(&self, family: Family) -> bool {
        self.families.contains(&family)
    }
}

impl KeyWrite for Trial<'_> {
    fn ensure_room(&self, bytes: usize) -> Result<()> {
        self.txn.ensure_room(bytes)
    }

    fn change_admitted(&mut self, family: Family, key: Key, change: Change) {
        debug_assert!(self.is_mine(family), "nobody would read it");
        self.batch.change(family, key, change);
    }
}

impl KeyRead for Trial<'_> {
    fn get_with<T>(
        &self,
        family: Family,
        key: &[u8],
        visit: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>> {
        match self.batch.get(family, key) {
            Some(change) => Ok(change.map(visit)),
            None => self.txn.get_with(family, key, visit),
        }
    }

    fn multi_get(&self, family: Family, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        let mut values = self.txn.multi_get(family, keys)?;
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
        if self.is_mine(family) {
            self.txn.scan_beneath(&self.batch, family, range, options)
        } else {
            self.txn.scan_with(family, range, options)
        }
    }

    fn commit_seq(&self) -> CommitSeq {
        self.txn.commit_seq()
    }

    fn may_go_on(&self) -> Result<()> {
        self.txn.may_go_on()
    }

    fn cancel_token(&self) -> CancelToken {
        self.txn.cancel_token()
    }

    fn read_bytes(&self) -> u64 {
        self.txn.read_bytes()
    }
}
