//! The last projections, by commit: asking several algorithms one after the other must not read the
//! graph each time.

use super::project::Selection;
use crate::algo::Projection;
use crate::codec::CommitSeq;
use parking_lot::Mutex;
use std::sync::Arc;

/// Projections of a database; newer ones push older ones out.
pub(crate) struct ProjectionCache {
    limit_bytes: u64,
    /// The one used last comes last.
    kept: Mutex<Vec<Kept>>,
}

struct Kept {
    commit: CommitSeq,
    selection: Selection,
    projection: Arc<Projection>,
}

impl ProjectionCache {
    /// Keeps projections of at most so many bytes together.
    pub(crate) fn new(limit_bytes: u64) -> Self {
        Self {
            limit_bytes,
            kept: Mutex::new(Vec::new()),
        }
    }

    /// The projection of a selection of a commit, if it is kept.
    pub(super) fn find(&self, commit: CommitSeq, selection: &Selection) -> Option<Arc<Projection>> {
        let mut kept = self.kept.lock();
        let at = kept
            .iter()
            .position(|one| one.commit == commit && one.selection == *selection)?;
        let found = kept.remove(at);
        let projection = Arc::clone(&found.projection);
        kept.push(found);
        Some(projection)
    }

    /// Keeps a projection, and lets go of those used longest ago until all fit. One that does not fit
    /// alone is not kept.
    pub(super) fn keep(
        &self,
        commit: CommitSeq,
        selection: &Selection,
        projection: &Arc<Projection>,
    ) {
        if projection.bytes() > self.limit_bytes {
            return;
        }
        let mut kept = self.kept.lock();
        kept.push(Kept {
            commit,
            selection: selection.clone(),
            projection: Arc::clone(projection),
        });
        let mut bytes: u64 = kept.iter().map(|one| one.projection.bytes()).sum();
        while bytes > self.limit_bytes {
            bytes -= kept.remove(0).projection.bytes();
        }
    }
}
