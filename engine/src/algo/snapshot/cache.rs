//! The last projections, by commit: asking several algorithms one after the other must not read the
//! graph each time.
//!
//! Projections grow while they are kept, when an algorithm wants the incoming direction or PageRank
//! its tiles. So sizes are never remembered here: they are read again, once each, whenever one is
//! asked for. What is being built is listed too, so that nobody builds it a second time.

use super::column::ColumnCache;
use super::project::Selection;
use crate::algo::{AlgoError, Projection};
use crate::codec::CommitSeq;
use crate::storage::cancel::Watch;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::{Arc, OnceLock};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// How often who waits for another's projection reports, and may be cancelled.
const BETWEEN_REPORTS: Duration = Duration::from_millis(20);

/// Columns take at most one of so many parts of what projections may.
const PROJECTIONS_PER_COLUMN: u64 = 4;

/// Of so many projections that are not there it is known how much was read without them.
const MOST_BESIDE: usize = 16;

/// Projections of a database; newer ones push older ones out.
pub(crate) struct ProjectionCache {
    limit_bytes: u64,
    state: Mutex<State>,
    /// Something that was being built is built, or given up.
    changed: Condvar,
    /// How much was read lately without projections that would have served; the one asked about last comes last.
    beside: Mutex<Vec<(Key, u64)>>,
    columns: ColumnCache,
}

#[derive(Default)]
struct State {
    /// The one used last comes last.
    kept: Vec<Kept>,
    building: Vec<Building>,
}

/// What is projected, without how.
#[derive(Clone, PartialEq)]
struct Key {
    commit: CommitSeq,
    selection: Selection,
}

struct Kept {
    key: Key,
    projection: Arc<Projection>,
}

/// Where those who wait look for the outcome: it may be too large to be kept.
type Outcome = Arc<OnceLock<Arc<Projection>>>;

struct Building {
    key: Key,
    byte_limit: u64,
    /// What this thread asks for while it builds, from where it reports, cannot wait for itself.
    thread: ThreadId,
    outcome: Outcome,
}

/// What the cache answers.
pub(super) enum Found<'c> {
    Kept(Arc<Projection>),
    /// The caller is to build it.
    Missing(Claim<'c>),
}

/// The right to build a projection, for which others wait. It ends when it is dropped.
pub(super) struct Claim<'c> {
    cache: &'c ProjectionCache,
    key: Key,
    outcome: Outcome,
}

impl ProjectionCache {
    /// Keeps projections of at most so many bytes together.
    pub(crate) fn new(limit_bytes: u64) -> Self {
        Self {
            limit_bytes,
            state: Mutex::default(),
            changed: Condvar::new(),
            beside: Mutex::default(),
            columns: ColumnCache::new(limit_bytes / PROJECTIONS_PER_COLUMN),
        }
    }

    /// What is kept of properties.
    pub(super) fn columns(&self) -> &ColumnCache {
        &self.columns
    }

    /// How many bytes are kept at most.
    pub(crate) fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    /// How many bytes are kept now, those of properties among them.
    pub(crate) fn bytes(&self) -> u64 {
        let state = self.state.lock();
        let projections: u64 = state.kept.iter().map(|one| one.projection.bytes()).sum();
        projections + self.columns.bytes()
    }

    /// The projection of a selection of a commit, if it is kept.
    pub(super) fn kept(&self, commit: CommitSeq, selection: &Selection) -> Option<Arc<Projection>> {
        let key = Key {
            commit,
            selection: selection.key(),
        };
        let byte_limit = selection.byte_limit();
        self.state.lock().find(&key, byte_limit, self.limit_bytes)
    }

    /// Notes that so many entries were read without this projection, and says how many these are by now. Who has read
    /// as much as making it costs should make it.
    pub(super) fn read_beside(
        &self,
        commit: CommitSeq,
        selection: &Selection,
        entries: u64,
    ) -> u64 {
        let key = Key {
            commit,
            selection: selection.key(),
        };
        let mut beside = self.beside.lock();
        let known = beside.iter().position(|(known, _)| *known == key);
        let before = known.map_or(0, |at| beside.remove(at).1);
        if beside.len() >= MOST_BESIDE {
            beside.remove(0);
        }
        let entries = before.saturating_add(entries);
        beside.push((key, entries));
        entries
    }

    /// The projection of a selection of a commit: kept, or built by another thread meanwhile, or to
    /// be built by the caller.
    pub(super) fn find(
        &self,
        commit: CommitSeq,
        selection: &Selection,
        watch: &mut Watch<'_>,
    ) -> Result<Found<'_>, AlgoError> {
        let byte_limit = selection.byte_limit();
        let key = Key {
            commit,
            selection: selection.key(),
        };
        let mut awaited: Option<Outcome> = None;
        let mut state = self.state.lock();
        loop {
            let built = awaited.as_ref().and_then(|outcome| outcome.get());
            if let Some(built) = built.filter(|built| built.serves(byte_limit)) {
                return Ok(Found::Kept(Arc::clone(built)));
            }
            if let Some(kept) = state.find(&key, byte_limit, self.limit_bytes) {
                return Ok(Found::Kept(kept));
            }
            let thread = thread::current().id();
            let other = (state.building.iter()).find(|other| {
                other.key == key && other.byte_limit >= byte_limit && other.thread != thread
            });
            let Some(other) = other else {
                let outcome = Outcome::default();
                state.building.push(Building {
                    key: key.clone(),
                    byte_limit,
                    thread,
                    outcome: Arc::clone(&outcome),
                });
                return Ok(Found::Missing(Claim {
                    cache: self,
                    key,
                    outcome,
                }));
            };
            awaited = Some(Arc::clone(&other.outcome));
            // Who is told of the progress may want a projection too: the lock is given up for it.
            MutexGuard::unlocked(&mut state, || {
                watch.step("wait for the same projection", 0, 0)
            })?;
            if awaited
                .as_ref()
                .is_some_and(|outcome| outcome.get().is_none())
            {
                self.changed.wait_for(&mut state, BETWEEN_REPORTS);
            }
        }
    }

    /// Keeps a projection, if it fits alone.
    fn keep(&self, key: Key, projection: &Arc<Projection>) {
        let mut state = self.state.lock();
        // One of the same key is here only if it does not serve those with a higher limit.
        state.kept.retain(|one| one.key != key);
        let projection = Arc::clone(projection);
        state.keep(Kept { key, projection }, self.limit_bytes);
    }
}

impl State {
    /// The kept projection of a key, which is then the one used last.
    fn find(&mut self, key: &Key, byte_limit: u64, limit_bytes: u64) -> Option<Arc<Projection>> {
        let at = (self.kept.iter())
            .position(|one| one.key == *key && one.projection.serves(byte_limit))?;
        let found = self.kept.remove(at);
        let projection = Arc::clone(&found.projection);
        self.keep(found, limit_bytes);
        Some(projection)
    }

    /// Lets go of those used longest ago until all fit, each by the size that it has now.
    fn keep(&mut self, one: Kept, limit_bytes: u64) {
        let mut bytes = one.projection.bytes();
        if bytes > limit_bytes {
            return;
        }
        let too_much = self.kept.iter().rposition(|one| {
            bytes = bytes.saturating_add(one.projection.bytes());
            bytes > limit_bytes
        });
        self.kept.drain(..too_much.map_or(0, |at| at + 1));
        self.kept.push(one);
    }
}

impl Claim<'_> {
    /// Hands the projection to those who wait, and to those who will ask.
    pub(super) fn keep(self, projection: &Arc<Projection>) {
        let _ = self.outcome.set(Arc::clone(projection));
        self.cache.keep(self.key.clone(), projection);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut state = self.cache.state.lock();
        state
            .building
            .retain(|one| !Arc::ptr_eq(&one.outcome, &self.outcome));
        self.cache.changed.notify_all();
    }
}
