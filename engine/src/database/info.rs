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
    /// How many bytes of text indexes are kept decoded now, about.
    pub text_cache_bytes: u64,
    /// How many bytes of sets are kept now, of what has one value, about: 32 MiB at most.
    pub value_set_bytes: u64,
    /// How many bytes of projections are kept now, and of properties beside them.
    pub projection_cache_bytes: u64,
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
            text_cache_bytes: self.inner.texts.bytes() as u64,
            value_set_bytes: self.inner.value_sets.bytes(),
            projection_cache_bytes: self.inner.projections.bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::snapshot::Selection;
    use crate::{Read, TextIndex, TextSearch};

    #[test]
    fn what_caches_keep_is_told() {
        let db = Database::in_memory().unwrap();
        let texts = TextIndex::on_any_node(["text"]).named("texts");
        db.create_text_index(texts).unwrap();
        let mut txn = db.write().unwrap();
        txn.create_node(["N"], [("text", "basalt lies on chalk")])
            .unwrap();
        txn.commit().unwrap();
        let (before, read) = (db.info(), db.read().unwrap());
        assert_eq!(before.projection_cache_bytes, 0);
        let search = TextSearch::new("basalt", 10);
        assert_eq!(read.search_text("texts", &search).unwrap().hits.len(), 1);
        let projection = read.project(&Selection::all()).unwrap();
        let after = db.info();
        assert!(after.text_cache_bytes > before.text_cache_bytes);
        assert_eq!(after.projection_cache_bytes, projection.bytes());
    }
}
