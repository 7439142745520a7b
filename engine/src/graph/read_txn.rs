//! The read transaction.

use super::read::Read;
use super::view::View;
use super::viewed::Viewed;
use crate::index::property::ValueSets;
use crate::index::text::TextCache;
use crate::index::vector::VectorIndexes;
use crate::keys::{KeyReadTxn, OpenDatabase};
use crate::storage::cancel::CancelToken;
use std::sync::Arc;

/// A view of the graph at one commit. It never changes and never blocks anybody.
///
/// ```
/// use stratigraph::{Database, Read};
///
/// let db = Database::in_memory()?;
/// let read = db.read()?;
/// let mut txn = db.write()?;
/// txn.create_node(["Person"], [("name", "Ann")])?;
/// txn.commit()?;
/// assert_eq!(read.node_count(None)?, 0); // its commit was before
/// assert_eq!(db.read()?.node_count(Some("Person"))?, 1);
/// # Ok::<(), stratigraph::Error>(())
/// ```
pub struct ReadTxn {
    keys: KeyReadTxn,
}

impl ReadTxn {
    pub(crate) fn new(keys: KeyReadTxn) -> Self {
        Self { keys }
    }

    /// The database that is read, for what is known of it further up.
    pub(crate) fn database(&self) -> &Arc<dyn OpenDatabase> {
        self.keys.database()
    }

    /// Lets `token` stop what this transaction reads.
    #[must_use]
    pub fn with_cancel(self, token: CancelToken) -> Self {
        Self {
            keys: self.keys.with_cancel(token),
        }
    }

    /// The same view for one query: `token` may stop it as well, and what it reads is counted.
    pub(crate) fn for_query(&self, token: &CancelToken) -> Self {
        Self::new(self.keys.for_work(token))
    }
}

impl Viewed for ReadTxn {
    type Keys = KeyReadTxn;

    fn vectors(&self) -> &Arc<VectorIndexes> {
        self.keys.database().vectors()
    }

    fn text_cache(&self) -> &TextCache {
        self.keys.database().texts()
    }

    fn value_sets(&self) -> &ValueSets {
        self.keys.database().value_sets()
    }

    fn view(&self) -> View<'_, KeyReadTxn> {
        View {
            keys: &self.keys,
            state: self.keys.state(),
            pending: None,
        }
    }
}

impl Read for ReadTxn {}
