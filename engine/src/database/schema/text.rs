//! The life of text indexes: declared in one commit, filled in portions, dropped with all their postings.

use super::build::Buildable;
use super::{Database, TextIndex, unknown};
use crate::error::{Error, Result};
use crate::graph::Read as _;
use crate::index::text::{merge_some, should_merge};
use crate::storage::cancel::Watch;
use std::sync::Arc;

impl Database {
    /// Creates a text index, and returns when it holds everything. Readers and writers go on meanwhile.
    ///
    /// # Errors
    /// [`AlreadyDeclared`](crate::Error::AlreadyDeclared), [`BadDeclaration`](crate::Error::BadDeclaration) or
    /// [`DroppedMeanwhile`](crate::Error::DroppedMeanwhile).
    pub fn create_text_index(&self, index: TextIndex) -> Result<()> {
        self.create_text_index_watched(index, &mut Watch::quiet())
    }

    /// The same, with progress, and cancellable.
    ///
    /// # Errors
    /// As [`create_text_index`](Self::create_text_index), and [`Cancelled`](crate::Error::Cancelled): there is no index then.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a description is used up by what it describes"
    )]
    pub fn create_text_index_watched(&self, index: TextIndex, watch: &mut Watch<'_>) -> Result<()> {
        self.declare_and_build(watch, |txn| {
            txn.declare_text_index(&index).map(Buildable::Text)
        })
    }

    /// Drops a text index. The texts stay.
    ///
    /// # Errors
    /// [`UnknownName`](crate::Error::UnknownName).
    pub fn drop_text_index(&self, name: &str) -> Result<()> {
        self.remove(|catalog| {
            let def = catalog.text_index_named(name);
            let def = def.ok_or_else(|| unknown("text index", name))?;
            Ok(Some(def.id))
        })
    }

    /// Merges what a text index has in many pieces, now instead of when there is time. What searches find does
    /// not depend on it.
    ///
    /// # Errors
    /// [`UnknownName`](crate::Error::UnknownName), [`DroppedMeanwhile`](crate::Error::DroppedMeanwhile) or
    /// [`Cancelled`](crate::Error::Cancelled); what the store refuses.
    pub fn tend_text_index(&self, name: &str, watch: &mut Watch<'_>) -> Result<()> {
        let def = self.read()?.catalog().text_index_named(name).cloned();
        let def = def.ok_or_else(|| unknown("text index", name))?;
        let index = def.index();
        let mut merged = 0;
        while should_merge(&self.key_read()?, &index, self.transaction_bytes())? {
            watch.step("merge postings", merged, 0)?;
            let mut txn = self.write()?;
            // Whoever drops an index removes its keys bit by bit after that: what is left is no damage.
            if txn.catalog().text_index(index.id()).is_none() {
                return Err(Error::DroppedMeanwhile {
                    what: "text index",
                    name: Arc::clone(&def.name),
                });
            }
            let done = merge_some(txn.keys(), &index)?;
            txn.note_addition();
            txn.commit()?;
            merged += done.segments;
        }
        Ok(())
    }
}
