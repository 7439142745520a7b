//! Writing: texts become drafts in memory, and drafts become a segment in the transaction.
//!
//! [`TextWriter`] belongs to one write transaction and one index. [`set`](TextWriter::set) and
//! [`remove`](TextWriter::remove) only note what changed; [`settle`](TextWriter::settle) writes it, all or
//! nothing, and must be called before the transaction searches, sets a savepoint or commits. After a rollback to a
//! savepoint the notes since the last settling are taken back with [`forget`](TextWriter::forget).

mod document;
mod draft;
mod settle;
mod terms;

pub(super) use document::StoredDocument;
pub use settle::Settled;

use super::{Occasion, OwnerId, TextIndex};
use crate::catalog::PropertyId;
use crate::error::Result;
use crate::keys::{KeyWrite, KeyWriteTxn};
use draft::Draft;
use std::collections::BTreeMap;
use terms::Terms;

/// What a note takes beside its draft, about.
const NOTE_BYTES: usize = 64;

/// What a write transaction has changed of the texts in one index.
pub struct TextWriter {
    index: TextIndex,
    terms: Terms,
    /// By owner, so that documents are numbered in an order that only the changes decide. No draft: removed.
    changes: BTreeMap<OwnerId, Option<Draft>>,
    draft_bytes: usize,
}

impl TextWriter {
    /// A writer that has nothing to write yet.
    #[must_use]
    pub fn new(index: TextIndex) -> Self {
        Self {
            terms: Terms::new(index.settings().analysis()),
            index,
            changes: BTreeMap::new(),
            draft_bytes: 0,
        }
    }

    /// Notes the texts of a node or relationship, in place of all it had. Properties that are not in the index are
    /// passed over; without any text left it is no document.
    pub fn set<'t>(
        &mut self,
        owner: OwnerId,
        texts: impl IntoIterator<Item = (PropertyId, &'t str)>,
    ) {
        let draft = Draft::new(self.index.settings(), texts, &mut self.terms);
        self.draft_bytes += draft.as_ref().map_or(0, Draft::memory_bytes);
        self.changes.insert(owner, draft);
    }

    /// Notes that a node or relationship has no texts any more.
    pub fn remove(&mut self, owner: OwnerId) {
        self.changes.insert(owner, None);
    }

    /// Whether nothing waits to be written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// About how many bytes the notes take: whoever writes much settles when they become many.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.draft_bytes + self.terms.memory_bytes() + NOTE_BYTES * self.changes.len()
    }

    /// Forgets what was not settled.
    pub fn forget(&mut self) {
        self.changes.clear();
        self.terms.clear();
        self.draft_bytes = 0;
    }

    /// Writes everything into the transaction. After an error nothing was written and everything still waits.
    ///
    /// # Errors
    /// [`Error::TransactionTooLarge`](crate::Error::TransactionTooLarge), damage in what is stored.
    pub fn settle(&mut self, keys: &mut KeyWriteTxn) -> Result<Settled> {
        self.settle_into(keys, Occasion::Midway)
    }

    /// The same into a transaction or a trial of one.
    pub(crate) fn settle_into(
        &mut self,
        keys: &mut impl KeyWrite,
        occasion: Occasion,
    ) -> Result<Settled> {
        if self.changes.is_empty() {
            return Ok(Settled::default());
        }
        let settled = settle::settle(keys, &self.index, &self.changes, &mut self.terms, occasion)?;
        self.forget();
        Ok(settled)
    }
}

/// The length and the terms that the document of some texts has; nothing if they have no terms.
pub(super) fn drafted<'t>(
    index: &TextIndex,
    texts: impl IntoIterator<Item = (PropertyId, &'t str)>,
) -> Option<(u32, Vec<Vec<u8>>)> {
    let mut terms = Terms::new(index.settings().analysis());
    let draft = Draft::new(index.settings(), texts, &mut terms)?;
    let mut own: Vec<Vec<u8>> = draft
        .uses
        .iter()
        .map(|one| terms.term(one.term).to_vec())
        .collect();
    own.sort_unstable();
    Some((draft.length, own))
}
