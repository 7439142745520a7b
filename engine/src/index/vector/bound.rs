//! One vector index of an open database, and what state it is in.

use super::asked::Asked;
use crate::catalog::VectorIndexDef;
use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::storage::cancel::CancelToken;
use parking_lot::{Condvar, Mutex, RwLock};
use roaring::{RoaringBitmap, RoaringTreemap};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use stratigraph_vector::{Index, Memory, Tender};

/// What of the indexes' behaviour is the database's choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VectorSettings {
    /// How many bytes each index may take.
    pub(crate) memory_bytes: u64,
    /// How many threads link.
    pub(crate) threads: usize,
}

/// An index, whatever has become of it.
pub(crate) struct Bound {
    pub(crate) def: Arc<VectorIndexDef>,
    /// Tells whoever works on it that it was dropped.
    pub(super) dropped: CancelToken,
    state: RwLock<State>,
    changed: Condvar,
    /// What `changed` is told under.
    told: Mutex<()>,
    /// What goes on after a commit that it does not hear of.
    suspended: Mutex<Option<Arc<Index>>>,
    /// An index that has missed a commit.
    spoilt: Mutex<Weak<Index>>,
    /// Held while a commit is applied and while a snapshot begins: a commit is in it whole or not at all.
    pub(crate) applying: Mutex<()>,
    /// How many ids the journal has since the last snapshot.
    pub(super) journaled: AtomicU64,
    /// With so many, one is worth making.
    pub(super) worth: AtomicU64,
    /// Whether somebody makes a snapshot.
    keeping: AtomicBool,
    /// Whether what is stored of the last snapshot may not be what the index takes it for.
    pub(super) keeps_all: AtomicBool,
}

/// What an index can do now.
#[derive(Clone)]
pub(crate) enum State {
    /// It is being made: so many vectors of so many.
    Building { done: u64, total: u64 },
    /// It answers who reads at a commit from `Live::from` on.
    Ready(Arc<Live>),
    /// It cannot be made.
    Failed(Error),
}

/// An index that answers.
pub(crate) struct Live {
    pub(crate) index: Arc<Index>,
    /// Who reads at an earlier commit cannot be answered by it.
    pub(crate) from: CommitSeq,
    /// The slots that searches were limited to, at the commits at which they were.
    sets: Mutex<VecDeque<Kept>>,
    /// Links and frees in the background, until this is dropped.
    _tender: Option<Tender>,
}

/// The slots of what a search was limited to.
struct Kept {
    asked: Asked,
    commit: CommitSeq,
    slots: Arc<RoaringBitmap>,
}

/// So many journaled ids are worth a snapshot: an open looks at each of them. While one is made, more come, but few:
/// writers wait for who links, and that waits for the snapshot.
pub(super) const WORTH_KEEPING: u64 = 80_000;
/// So many sets of slots are kept.
const KEPT_SETS: usize = 16;

impl Live {
    pub(super) fn new(index: Arc<Index>, from: CommitSeq, tender: Option<Tender>) -> Self {
        Self {
            index,
            from,
            sets: Mutex::default(),
            _tender: tender,
        }
    }

    /// The slots that somebody asks for at a commit, whose ids are `read` if nobody has asked for them before.
    pub(super) fn slots_of(
        &self,
        asked: &Asked,
        commit: CommitSeq,
        read: impl FnOnce() -> Result<RoaringTreemap>,
    ) -> Result<Arc<RoaringBitmap>> {
        let is_it = |kept: &&Kept| kept.commit == commit && kept.asked == *asked;
        if let Some(kept) = self.sets.lock().iter().find(is_it) {
            return Ok(Arc::clone(&kept.slots));
        }
        let slots = Arc::new(self.index.slots_of(&read()?));
        let mut sets = self.sets.lock();
        if sets.len() >= KEPT_SETS {
            sets.pop_front();
        }
        sets.push_back(Kept {
            asked: asked.clone(),
            commit,
            slots: Arc::clone(&slots),
        });
        Ok(slots)
    }
}

impl Bound {
    pub(super) fn new(def: Arc<VectorIndexDef>) -> Self {
        Self {
            def,
            dropped: CancelToken::new(),
            state: RwLock::new(State::Building { done: 0, total: 0 }),
            changed: Condvar::new(),
            told: Mutex::new(()),
            suspended: Mutex::default(),
            spoilt: Mutex::default(),
            applying: Mutex::new(()),
            journaled: AtomicU64::new(0),
            worth: AtomicU64::new(WORTH_KEEPING),
            keeping: AtomicBool::new(false),
            keeps_all: AtomicBool::new(true),
        }
    }

    /// So many ids are cut from the journal. Somebody may have counted anew meanwhile.
    pub(super) fn less_journaled(&self, by: u64) {
        let less = |journaled: u64| Some(journaled.saturating_sub(by));
        let counted = self
            .journaled
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        debug_assert!(counted.is_ok(), "there is always a number");
    }

    /// Whether nobody else makes a snapshot: then the caller does.
    pub(super) fn begin_keeping(&self) -> bool {
        !self.keeping.swap(true, Ordering::AcqRel)
    }

    pub(super) fn is_keeping(&self) -> bool {
        self.keeping.load(Ordering::Acquire)
    }

    pub(super) fn end_keeping(&self) {
        self.keeping.store(false, Ordering::Release);
    }

    pub(crate) fn state(&self) -> State {
        self.state.read().clone()
    }

    /// The index, if it answers.
    pub(crate) fn live(&self) -> Option<Arc<Live>> {
        match &*self.state.read() {
            State::Ready(live) => Some(Arc::clone(live)),
            _ => None,
        }
    }

    /// Whether an index is the one that answers. Only one that does not may have half of a commit.
    pub(super) fn answers_by(&self, index: &Arc<Index>) -> bool {
        self.live()
            .is_some_and(|live| Arc::ptr_eq(&live.index, index))
    }

    pub(super) fn set(&self, state: State) {
        let before = std::mem::replace(&mut *self.state.write(), state);
        let told = self.told.lock();
        self.changed.notify_all();
        drop(told);
        // Dropped outside of the locks: its tender may have work to end.
        drop(before);
    }

    /// Ends the answers of the index, if it is still the one that is given. Returns it.
    pub(super) fn stop_answering(&self, of: Option<&Arc<Live>>) -> Option<Arc<Live>> {
        let mut state = self.state.write();
        let live = match &*state {
            State::Ready(live) if of.is_none_or(|of| Arc::ptr_eq(of, live)) => Arc::clone(live),
            _ => return None,
        };
        *state = State::Building { done: 0, total: 0 };
        Some(live)
    }

    /// Ends the answers of the index and keeps it, to go on with.
    pub(super) fn suspend(&self) {
        let live = self.stop_answering(None);
        *self.suspended.lock() = live.map(|live| Arc::clone(&live.index));
    }

    /// The index that was kept to go on with.
    pub(super) fn suspended(&self) -> Option<Arc<Index>> {
        self.suspended.lock().take()
    }

    /// Says that an index has missed a commit: it never answers again.
    pub(super) fn spoil(&self, index: &Arc<Index>) {
        *self.spoilt.lock() = Arc::downgrade(index);
    }

    /// Whether an index has missed a commit.
    pub(super) fn is_spoilt(&self, index: &Arc<Index>) -> bool {
        std::ptr::eq(self.spoilt.lock().as_ptr(), Arc::as_ptr(index))
    }

    /// Waits for a moment, or until the state changes.
    pub(crate) fn wait(&self, at_most: Duration) {
        let mut told = self.told.lock();
        if matches!(*self.state.read(), State::Building { .. }) {
            self.changed.wait_for(&mut told, at_most);
        }
    }

    /// What there is to tell of it.
    pub(crate) fn info(&self) -> VectorIndexInfo {
        let (state, vectors, memory) = match self.state() {
            State::Building { done, total } => (
                VectorIndexState::Building { done, total },
                0,
                Memory::default(),
            ),
            State::Ready(live) => (
                VectorIndexState::Ready,
                live.index.len() as u64,
                live.index.memory(),
            ),
            State::Failed(error) => (VectorIndexState::Failed(error), 0, Memory::default()),
        };
        VectorIndexInfo {
            definition: Arc::clone(&self.def),
            state,
            vectors,
            memory_bytes: memory.total() as u64,
            journaled: self.journaled.load(Ordering::Relaxed),
        }
    }
}

/// What a vector index is doing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum VectorIndexState {
    /// It is being made; searches compare all vectors meanwhile.
    Building {
        /// So many vectors are in it.
        done: u64,
        /// Of so many; 0 when nobody knows yet.
        total: u64,
    },
    /// It answers searches.
    Ready,
    /// It could not be made.
    Failed(Error),
}

/// A vector index of an open database.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VectorIndexInfo {
    /// What was declared.
    pub definition: Arc<VectorIndexDef>,
    /// What it is doing.
    pub state: VectorIndexState,
    /// How many vectors are in it.
    pub vectors: u64,
    /// How many bytes it takes, the file of its vectors apart.
    pub memory_bytes: u64,
    /// How many changes the journal has since its last snapshot: so many an open would have to look at.
    pub journaled: u64,
}
