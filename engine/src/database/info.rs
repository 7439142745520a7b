//! `info`: what a database says of itself.

use super::Database;
use crate::codec::{CommitSeq, DatabaseId, FormatVersion};
use crate::storage::commit::CommitCounts;
use crate::storage::files::header::CURRENT_FORMAT;
use crate::storage::store::StoreMetrics;
use std::path::PathBuf;
use std::sync::Arc;

/// What a database says of itself.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DatabaseInfo {
    /// Its folder; none in memory.
    pub path: Option<PathBuf>,
    /// Its id.
    pub id: DatabaseId,
    /// Its format.
    pub format: FormatVersion,
    /// The last commit that readers see.
    pub commit: CommitSeq,
    /// The last commit that a loss of power cannot take back.
    pub durable: CommitSeq,
    /// Why writing has stopped, if it has.
    pub failure: Option<Arc<str>>,
    /// Counts of commits since it was opened.
    pub commits: CommitCounts,
    /// What the store says.
    pub store: StoreMetrics,
}

impl Database {
    /// What the database says of itself. It reads counters, not data.
    #[must_use]
    pub fn info(&self) -> DatabaseInfo {
        let ground = &self.inner.ground;
        let disk = ground.disk.as_ref();
        DatabaseInfo {
            path: disk.map(|disk| disk.layout.root().to_path_buf()),
            id: self.id(),
            format: CURRENT_FORMAT,
            commit: ground.log.published().commit,
            durable: ground.log.durable(),
            failure: ground.log.failure(),
            commits: ground.log.counts(),
            store: ground.store.metrics(),
        }
    }
}
