//! The commit log: appending in order, syncing in groups, and publishing only what is durable.
//!
//! ```text
//! writer's place held:  append batch (with its sequence) -> snapshot        -> place given up
//! then, in a group:     sync the log -> write and sync the mark -> publish  -> acknowledge
//! ```
//! Readers get the published snapshot, so nobody ever reads what a crash could take back. A writer
//! starts from the last appended one: were that taken back, its own commit would be too.

use super::batch::Batch;
use super::files::mark::{ManifestFloor, Mark, MarkFile};
use super::meta;
use super::plant::{self, Bug};
use super::store::{Snapshot, Store};
use crate::clock::Clock;
use crate::codec::{CommitSeq, DatabaseId};
use crate::error::{Error, Result};
use arc_swap::ArcSwap;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// When a commit is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Durability {
    /// Before it is acknowledged: it survives a loss of power. The default.
    #[default]
    Commit,
    /// At most this much later. A crash of the process loses nothing; a loss of power may take back
    /// the commits of the last interval, always from the end and never a part of one.
    Periodic(Duration),
}

/// A group waits no longer than this for more commits, however slow the disk.
const MAX_GATHER: Duration = Duration::from_millis(2);

/// The state of the database at one commit.
///
/// `S` is what the layers above know about the commit beside its bytes, such as the names in use:
/// it becomes visible with the commit, and is gone when the commit is.
pub struct View<S> {
    /// The commit.
    pub commit: CommitSeq,
    /// The last commit up to it that somebody has made: all after that are the database's own upkeep.
    pub written: CommitSeq,
    /// What is stored at it.
    pub snapshot: Arc<dyn Snapshot>,
    /// What is known about it.
    pub state: Arc<S>,
}

/// Whose commit it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// Of a writer who waits until it is durable.
    Writer,
    /// Of a writer who does not.
    HastyWriter,
    /// Of the database itself.
    Upkeep,
}

/// Appends, syncs and publishes.
pub struct CommitLog<S> {
    id: DatabaseId,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    durability: Durability,
    mark: Option<Mutex<MarkWriter>>,
    published: ArcSwap<View<S>>,
    state: Mutex<State<S>>,
    changed: Condvar,
    gathered: Condvar,
    alarm: Condvar,
    counters: Counters,
}

struct State<S> {
    appended: Arc<View<S>>,
    durable: CommitSeq,
    /// Commits appended since the last sync began, whose writers wait for it.
    waiting: usize,
    /// How many commits the next group is likely to have.
    expected: usize,
    /// Set while a group is gathering: how many commits it waits for.
    gathering: Option<usize>,
    syncing: bool,
    failed: Option<Arc<str>>,
    closing: bool,
    /// About how long a sync takes.
    sync_time: Duration,
    /// Every view that somebody may hold.
    views: Vec<Weak<View<S>>>,
    /// So many views there are when those that nobody holds are forgotten.
    crowded: usize,
}

/// The mark and what is written into it beside the commit.
pub struct MarkWriter {
    /// The file.
    pub file: MarkFile,
    /// The database.
    pub id: DatabaseId,
    /// How far the manifest was when it was last relied on.
    pub manifest: ManifestFloor,
    /// The last commit it vouches for, below which it never goes again.
    pub commit: CommitSeq,
}

impl MarkWriter {
    /// Says durably that everything up to `commit` was acknowledged.
    pub fn write(&mut self, commit: CommitSeq) -> Result<()> {
        if plant::is(Bug::SkipMark) {
            return Ok(());
        }
        self.commit = self.commit.max(commit);
        self.file.write(&Mark {
            id: self.id,
            commit: self.commit,
            manifest: self.manifest,
        })
    }
}

/// Counts since the database was opened.
#[derive(Debug, Default)]
struct Counters {
    commits: AtomicU64,
    groups: AtomicU64,
    mark_syncs: AtomicU64,
}

/// Counts of commits and of what they cost, since the database was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CommitCounts {
    /// Commits appended.
    pub commits: u64,
    /// Groups of commits that were made durable together.
    pub groups: u64,
    /// Syncs of the high-water mark.
    pub mark_syncs: u64,
}

/// Fewer views than this are not worth looking through.
const FEW_VIEWS: usize = 256;

impl<S> State<S> {
    /// Keeps a view in mind as long as somebody holds it.
    fn note(&mut self, view: &Arc<View<S>>) {
        if self.views.len() >= self.crowded {
            self.views.retain(|view| view.strong_count() > 0);
            self.crowded = (2 * self.views.len()).max(FEW_VIEWS);
        }
        self.views.push(Arc::downgrade(view));
    }
}

impl<S: Send + Sync> CommitLog<S> {
    /// A log that goes on after `start`, which is durable and published at once.
    pub fn new(
        id: DatabaseId,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        durability: Durability,
        mark: Option<MarkWriter>,
        start: Arc<View<S>>,
    ) -> Self {
        let durable = start.commit;
        Self {
            id,
            store,
            clock,
            durability,
            mark: mark.map(Mutex::new),
            published: ArcSwap::new(Arc::clone(&start)),
            state: Mutex::new(State {
                views: vec![Arc::downgrade(&start)],
                crowded: FEW_VIEWS,
                appended: start,
                durable,
                waiting: 0,
                expected: 0,
                gathering: None,
                syncing: false,
                failed: None,
                closing: false,
                sync_time: Duration::from_micros(100),
            }),
            changed: Condvar::new(),
            gathered: Condvar::new(),
            alarm: Condvar::new(),
            counters: Counters::default(),
        }
    }

    /// What readers see.
    pub fn published(&self) -> Arc<View<S>> {
        self.published.load_full()
    }

    /// What the next writer starts from.
    ///
    /// # Errors
    /// [`Error::Poisoned`] after a failed write.
    pub fn appended(&self) -> Result<Arc<View<S>>> {
        let state = self.state.lock();
        match &state.failed {
            Some(cause) => Err(Error::Poisoned {
                cause: Arc::clone(cause),
            }),
            None => Ok(Arc::clone(&state.appended)),
        }
    }

    /// Appends a batch as the next commit, after which `state` is known. Only the holder of the
    /// writer's place may call this.
    ///
    /// # Errors
    /// [`Error::Poisoned`] after an earlier failure, [`Error::OutcomeUnknown`] for this one.
    pub fn append(&self, batch: Batch, state: Arc<S>) -> Result<CommitSeq> {
        self.append_followed(batch, state, |_| {})
    }

    /// The same, with what has to follow the commit before anybody can see it, such as a change of what is
    /// derived from it. It is written then, and nothing can take it back.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_followed(
        &self,
        batch: Batch,
        state: Arc<S>,
        follow: impl FnOnce(CommitSeq),
    ) -> Result<CommitSeq> {
        self.append_by(By::Writer, batch, state, follow)
    }

    /// The same, by somebody who does not wait for it: a group is not kept waiting for more of these.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_unawaited(
        &self,
        batch: Batch,
        state: Arc<S>,
        follow: impl FnOnce(CommitSeq),
    ) -> Result<CommitSeq> {
        self.append_by(By::HastyWriter, batch, state, follow)
    }

    /// The same for what the database does by itself, such as keeping a copy of an index: whoever looks whether
    /// somebody has written does not take it for that.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_upkeep(&self, batch: Batch, state: Arc<S>) -> Result<CommitSeq> {
        self.append_by(By::Upkeep, batch, state, |_| {})
    }

    fn append_by(
        &self,
        by: By,
        mut batch: Batch,
        state: Arc<S>,
        follow: impl FnOnce(CommitSeq),
    ) -> Result<CommitSeq> {
        let before = self.appended()?;
        let commit = before.commit.next().ok_or_else(|| Error::Store {
            operation: "commit",
            message: "all commit sequence numbers are used up".into(),
        })?;
        meta::put_sequence(&mut batch, self.id, commit);
        #[cfg(feature = "planted-bugs")]
        if plant::is(Bug::DropFamily) {
            batch.drop_family(super::family::Family::Labels);
        }
        self.store
            .append(&batch)
            .map_err(|error| self.fail(&error))?;
        plant::step("a commit is appended");
        // Not later: from the next line on, whoever syncs may show the commit to readers.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| follow(commit))) {
            // The commit is written, and nobody may append another in its place.
            self.stop_writing(&Error::bug("what follows a commit panicked"));
            resume_unwind(panic);
        }
        let written = match by {
            By::Writer | By::HastyWriter => commit,
            By::Upkeep => before.written,
        };
        let view = Arc::new(View {
            commit,
            written,
            snapshot: self.store.snapshot(),
            state,
        });
        let mut state = self.state.lock();
        state.appended = Arc::clone(&view);
        state.note(&view);
        state.waiting += usize::from(by != By::HastyWriter);
        self.counters.commits.fetch_add(1, Ordering::Relaxed);
        if self.durability != Durability::Commit || plant::is(Bug::AcknowledgeEarly) {
            self.published.store(view);
        }
        if state
            .gathering
            .is_some_and(|expected| state.waiting >= expected)
        {
            self.gathered.notify_one();
        }
        drop(state);
        plant::step("a commit is known");
        Ok(commit)
    }

    /// Returns once `commit` may be acknowledged.
    ///
    /// # Errors
    /// [`Error::OutcomeUnknown`] if its sync failed.
    pub fn acknowledge(&self, commit: CommitSeq) -> Result<()> {
        match self.durability {
            Durability::Commit if !plant::is(Bug::AcknowledgeEarly) => {
                self.wait_until_durable(commit)
            }
            _ => Ok(()),
        }
    }

    /// Makes everything appended so far durable.
    ///
    /// # Errors
    /// [`Error::OutcomeUnknown`] if the sync failed, now or before.
    pub fn sync(&self) -> Result<CommitSeq> {
        let commit = self.state.lock().appended.commit;
        self.wait_until_durable(commit)?;
        Ok(commit)
    }

    /// Waits until `commit` is durable and published, whatever the durability setting; the first to come syncs for everybody.
    pub fn wait_until_durable(&self, commit: CommitSeq) -> Result<()> {
        let mut state = self.state.lock();
        loop {
            if state.durable >= commit {
                return Ok(());
            }
            if let Some(cause) = &state.failed {
                return Err(Error::OutcomeUnknown {
                    cause: Arc::clone(cause),
                });
            }
            if state.syncing {
                self.changed.wait(&mut state);
                continue;
            }
            state.syncing = true;
            self.gather(&mut state);
            let target = Arc::clone(&state.appended);
            let group = std::mem::take(&mut state.waiting);
            drop(state);
            let started = self.clock.now();
            let synced = self.sync_to(&target);
            let took = self.clock.now().saturating_sub(started);
            state = self.state.lock();
            state.syncing = false;
            if synced.is_ok() {
                state.durable = target.commit;
                // Whoever is acknowledged now, and whoever came during the sync, are different
                // threads; so many are likely to be in the next group.
                state.expected = group + state.waiting;
                state.sync_time = (state.sync_time * 7 + took) / 8;
            }
            self.changed.notify_all();
        }
    }

    /// Waits a moment for threads that are likely to commit too: one sync for all of them costs
    /// less than two. It waits at most for the time that a sync takes, and not at all when alone.
    fn gather(&self, state: &mut MutexGuard<'_, State<S>>) {
        if state.waiting >= state.expected {
            return;
        }
        state.gathering = Some(state.expected);
        let until = self.clock.now() + state.sync_time.min(MAX_GATHER);
        while state.waiting < state.expected {
            let left = until.saturating_sub(self.clock.now());
            if left.is_zero() || self.gathered.wait_for(state, left).timed_out() {
                break;
            }
        }
        state.gathering = None;
    }

    /// Log, then mark, then readers: the order that everything rests on.
    fn sync_to(&self, target: &Arc<View<S>>) -> Result<()> {
        if !plant::is(Bug::SkipSync) {
            self.store.sync_log().map_err(|error| self.fail(&error))?;
        }
        if let Some(mark) = &self.mark {
            mark.lock()
                .write(target.commit)
                .map_err(|error| self.fail(&error))?;
            self.counters.mark_syncs.fetch_add(1, Ordering::Relaxed);
        }
        self.counters.groups.fetch_add(1, Ordering::Relaxed);
        if self.durability == Durability::Commit {
            self.published.store(Arc::clone(target));
        }
        Ok(())
    }

    /// Notes how far the manifest is; what it lists is relied on from the next mark on.
    ///
    /// # Errors
    /// [`Error::OutcomeUnknown`] if the mark cannot be written.
    pub fn rely_on_manifest(&self, floor: ManifestFloor) -> Result<()> {
        let Some(mark) = &self.mark else {
            return Ok(());
        };
        let durable = self.state.lock().durable;
        let mut mark = mark.lock();
        mark.manifest = floor;
        mark.write(durable).map_err(|error| self.fail(&error))
    }

    /// Stops writing for good, and says why: what happened to this write is unknown.
    fn fail(&self, error: &Error) -> Error {
        let mut state = self.state.lock();
        let cause: Arc<str> = error.to_string().into();
        tracing::error!(%error, "a write failed: no further commit until the database is opened again");
        state.failed.get_or_insert_with(|| Arc::clone(&cause));
        self.changed.notify_all();
        Error::OutcomeUnknown { cause }
    }

    /// Stops writing for good: what is in the store must not be published.
    pub fn stop_writing(&self, error: &Error) {
        // The error itself is kept as the cause that later commits report.
        let _ = self.fail(error);
    }

    /// The oldest commit that somebody still holds a view of.
    pub fn oldest(&self) -> CommitSeq {
        let state = &mut *self.state.lock();
        state.views.retain(|view| view.strong_count() > 0);
        let held = state.views.iter().filter_map(Weak::upgrade);
        held.map(|view| view.commit)
            .min()
            .unwrap_or(state.appended.commit)
    }

    /// Why writing has stopped, if it has.
    pub fn failure(&self) -> Option<Arc<str>> {
        self.state.lock().failed.clone()
    }

    /// The last commit that a loss of power cannot take back.
    pub fn durable(&self) -> CommitSeq {
        self.state.lock().durable
    }

    /// Counts since the database was opened.
    pub fn counts(&self) -> CommitCounts {
        CommitCounts {
            commits: self.counters.commits.load(Ordering::Relaxed),
            groups: self.counters.groups.load(Ordering::Relaxed),
            mark_syncs: self.counters.mark_syncs.load(Ordering::Relaxed),
        }
    }

    /// Syncs every `interval` until [`stop`](Self::stop); the body of a thread.
    pub fn sync_periodically(&self, interval: Duration) {
        let mut state = self.state.lock();
        while !state.closing {
            self.alarm.wait_for(&mut state, interval);
            if state.durable < state.appended.commit && state.failed.is_none() {
                drop(state);
                // A failure is in the state and in the log; the next commit reports it.
                let _ = self.sync();
                state = self.state.lock();
            }
        }
    }

    /// Ends [`sync_periodically`](Self::sync_periodically).
    pub fn stop(&self) {
        self.state.lock().closing = true;
        self.alarm.notify_all();
    }
}

#[cfg(test)]
mod tests;
