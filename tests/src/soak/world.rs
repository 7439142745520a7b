//! What is known of everything that is written, and what was found wrong.

use super::content::{Item, SLOTS};
use super::history::{History, Moment, State, Wrong};
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stratigraph_client::Error;

/// How many write things.
pub(super) const WRITERS: usize = 4;
/// How many documents there are.
pub(super) const DOCUMENTS: usize = 12;
/// So many findings are told in full.
const MOST_TOLD: usize = 20;

/// Everything that is known.
pub(super) struct World {
    items: Vec<Mutex<Vec<History>>>,
    documents: Mutex<Vec<History>>,
    /// The backup that can be compared next.
    pub(super) backup: Mutex<Option<Backup>>,
    pub(super) counts: Counts,
    found: Mutex<Found>,
    /// Whatever fails from here on has failed because of us.
    is_killed: AtomicBool,
}

/// A backup, and between which moments it was taken.
#[derive(Debug)]
pub(super) struct Backup {
    pub(super) number: u64,
    pub(super) since: Moments,
    pub(super) until: Moments,
}

/// Where the histories of all things are, by writer and slot.
pub(super) type Moments = Vec<Vec<Moment>>;

/// What was done.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Changes that were committed, and answered.
    pub(super) writes: AtomicU64,
    /// Transactions that were rolled back, and answered.
    pub(super) taken_back: AtomicU64,
    pub(super) reads: AtomicU64,
    pub(super) searches: AtomicU64,
    /// Searches without a promise that did not find what is there.
    pub(super) missed: AtomicU64,
    pub(super) documents: AtomicU64,
    pub(super) backups: AtomicU64,
    pub(super) schema_changes: AtomicU64,
    pub(super) busy: AtomicU64,
}

/// What is wrong.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    /// What was acknowledged and is gone.
    pub(super) acked_lost: u64,
    /// Rows that should not be, and such as should be and are not.
    pub(super) wrong_rows: u64,
    /// What checks of the database and of its indexes say.
    pub(super) index_diffs: u64,
    /// Calls that failed while the server was to live.
    pub(super) errors: u64,
}

pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl World {
    pub(super) fn new() -> Self {
        let histories = |count: usize| Mutex::new(vec![History::default(); count]);
        Self {
            items: (0..WRITERS).map(|_| histories(SLOTS)).collect(),
            documents: histories(DOCUMENTS),
            backup: Mutex::default(),
            counts: Counts::default(),
            found: Mutex::default(),
            is_killed: AtomicBool::new(false),
        }
    }

    /// The histories of a writer's things.
    pub(super) fn items(&self, writer: usize) -> MutexGuard<'_, Vec<History>> {
        lock(&self.items[writer])
    }

    pub(super) fn documents(&self) -> MutexGuard<'_, Vec<History>> {
        lock(&self.documents)
    }

    /// Where everything is now.
    pub(super) fn now(&self) -> Moments {
        let of = |writer| self.items(writer).iter().map(History::now).collect();
        (0..WRITERS).map(of).collect()
    }

    /// The last that was begun of everything.
    pub(super) fn end(&self) -> Moments {
        let of = |writer| self.items(writer).iter().map(History::end).collect();
        (0..WRITERS).map(of).collect()
    }

    pub(super) fn documents_now(&self) -> Vec<Moment> {
        self.documents().iter().map(History::now).collect()
    }

    /// Judges a row that somebody saw who had asked at a moment.
    pub(super) fn judge(&self, how: &str, since: &Moments, item: Item) {
        let judged = match since
            .get(item.writer)
            .and_then(|slots| slots.get(item.slot))
        {
            Some(since) => self.items(item.writer)[item.slot].judge(*since, Some(item.version)),
            None => Err(Wrong::Never),
        };
        self.note(judged, || format!("{how}: {item:?} was seen"));
    }

    /// Notes what is wrong.
    pub(super) fn note(&self, judged: Result<(), Wrong>, what: impl Fn() -> String) {
        match judged {
            Ok(()) => {}
            Err(Wrong::Lost) => self.find(|found| &mut found.acked_lost, "lost", what()),
            Err(Wrong::Never) => self.wrong_row(what()),
        }
    }

    pub(super) fn wrong_row(&self, what: impl Display) {
        self.find(|found| &mut found.wrong_rows, "wrong", what);
    }

    pub(super) fn index_difference(&self, what: impl Display) {
        self.find(|found| &mut found.index_diffs, "index", what);
    }

    pub(super) fn error(&self, what: impl Display) {
        self.find(|found| &mut found.errors, "error", what);
    }

    fn find(&self, of: impl Fn(&mut Found) -> &mut u64, kind: &str, what: impl Display) {
        let mut found = lock(&self.found);
        *of(&mut found) += 1;
        let all = found.acked_lost + found.wrong_rows + found.index_diffs + found.errors;
        if all <= MOST_TOLD as u64 {
            eprintln!("soak: {kind}: {what}");
        }
    }

    pub(super) fn found(&self) -> Found {
        lock(&self.found).clone()
    }

    /// The server is about to be killed, or lives again.
    pub(super) fn set_killed(&self, is_killed: bool) {
        self.is_killed.store(is_killed, Ordering::SeqCst);
    }

    /// What somebody does whose call has failed: rests if the server is busy, and ends otherwise.
    pub(super) async fn after(&self, who: &str, error: &Error) -> Next {
        if is_busy(error) {
            count(&self.counts.busy);
            tokio::time::sleep(Duration::from_millis(20)).await;
            return Next::Again;
        }
        if !self.is_killed.load(Ordering::SeqCst) {
            self.error(format!("{who}: {error}"));
        }
        Next::End
    }
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Again,
    End,
}

/// Whether nothing was done because the server has too much to do.
pub(super) fn is_busy(error: &Error) -> bool {
    matches!(error, Error::Refused(refusal) if refusal.is_retryable())
}

/// Brings a thing to a state by a call, whatever becomes of it; the call's error.
pub(super) async fn bring<T>(
    histories: impl Fn() -> T,
    at: usize,
    state: State,
    call: impl Future<Output = Result<(), Error>>,
) -> Result<(), Error>
where
    T: std::ops::DerefMut<Target = Vec<History>>,
{
    histories()[at].begin(state);
    let done = call.await;
    match &done {
        Ok(()) => histories()[at].acknowledge(),
        Err(error) if is_busy(error) => histories()[at].refuse(),
        // Nobody knows.
        Err(_) => {}
    }
    done
}

/// Whoever has panicked with it has ended the run.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
