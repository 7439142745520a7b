//! The queue of writers: one at a time, first come first served, and none may hold the place for ever.
//!
//! A write transaction changes nothing outside itself before it commits. So the place can be taken
//! away from one that has been idle or open for too long, without its help: whoever waits notices
//! the time, marks it expired and goes ahead; the late one finds out at its next step.

use crate::clock::Clock;
use crate::error::{Error, Result, TimeLimit};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

/// How long a write transaction may wait, rest and last.
#[derive(Debug, Clone, Copy)]
pub struct TimeLimits {
    /// Waiting for the writers before it.
    pub queue: Duration,
    /// Between two steps.
    pub idle: Duration,
    /// From begin to commit.
    pub total: Duration,
}

/// The queue.
pub struct WriterQueue {
    clock: Arc<dyn Clock>,
    limits: TimeLimits,
    line: Mutex<Line>,
    /// Told when a writer leaves.
    left: Condvar,
    closed: AtomicBool,
}

#[derive(Default)]
struct Line {
    holder: Option<Arc<Place>>,
    waiting: VecDeque<Arc<Condvar>>,
}

/// The one writer's place. Dropping it lets the next one in.
pub struct WriterPlace {
    queue: Arc<WriterQueue>,
    place: Arc<Place>,
}

struct Place {
    began_ns: u64,
    active_ns: AtomicU64,
    state: AtomicU8,
}

const OPEN: u8 = 0;
const COMMITTING: u8 = 1;
const EXPIRED_IDLE: u8 = 2;
const EXPIRED_TOTAL: u8 = 3;
const CLOSED: u8 = 4;
const LOADING: u8 = 5;

impl WriterQueue {
    /// An empty queue.
    pub fn new(clock: Arc<dyn Clock>, limits: TimeLimits) -> Arc<Self> {
        Arc::new(Self {
            clock,
            limits,
            line: Mutex::new(Line::default()),
            left: Condvar::new(),
            closed: AtomicBool::new(false),
        })
    }

    /// Waits for the writer's place.
    ///
    /// # Errors
    /// [`Error::WriterQueueTimeout`] after the queue limit.
    pub fn enter(self: &Arc<Self>) -> Result<WriterPlace> {
        let asked = self.clock.now();
        let mut line = self.line.lock();
        if line.holder.is_some() || !line.waiting.is_empty() {
            let turn = Arc::new(Condvar::new());
            line.waiting.push_back(Arc::clone(&turn));
            loop {
                let first = line
                    .waiting
                    .front()
                    .is_some_and(|first| Arc::ptr_eq(first, &turn));
                let now = self.clock.now();
                let patience = self.limits.queue.saturating_sub(now.saturating_sub(asked));
                let mut wait = patience;
                if first {
                    match &line.holder {
                        None => break,
                        Some(place) => match self.time_left(place, now) {
                            Ok(left) => wait = wait.min(left),
                            Err(expired) if place.evict(expired) => {
                                tracing::warn!("a write transaction was over its time limit");
                                line.holder = None;
                                break;
                            }
                            // It is committing, which ends by itself.
                            Err(_) => {}
                        },
                    }
                }
                if patience.is_zero() {
                    line.waiting.retain(|other| !Arc::ptr_eq(other, &turn));
                    wake_first(&line);
                    return Err(Error::WriterQueueTimeout {
                        waited_ms: millis(now.saturating_sub(asked)),
                        limit_ms: millis(self.limits.queue),
                    });
                }
                turn.wait_for(&mut line, wait);
            }
            line.waiting.pop_front();
        }
        if self.closed.load(Ordering::Acquire) {
            wake_first(&line);
            return Err(Error::Closed);
        }
        let now = nanos(self.clock.now());
        let place = Arc::new(Place {
            began_ns: now,
            active_ns: AtomicU64::new(now),
            state: AtomicU8::new(OPEN),
        });
        line.holder = Some(Arc::clone(&place));
        // Whoever is first now has this writer's limits to watch.
        wake_first(&line);
        Ok(WriterPlace {
            queue: Arc::clone(self),
            place,
        })
    }

    /// Lets nobody in any more.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Whether a bulk load has the place.
    pub fn is_loading(&self) -> bool {
        let line = self.line.lock();
        let holder = line.holder.as_ref();
        holder.is_some_and(|place| place.state.load(Ordering::Acquire) == LOADING)
    }

    /// Waits until the writer that is committing has finished; one that is not loses its place.
    pub fn drain(&self) {
        let mut line = self.line.lock();
        while let Some(place) = line.holder.clone() {
            if place.evict(CLOSED) {
                line.holder = None;
                wake_first(&line);
            } else {
                self.left.wait(&mut line);
            }
        }
    }

    /// How long the holder may still keep its place, or the state it has come to.
    fn time_left(&self, place: &Place, now: Duration) -> Result<Duration, u8> {
        let rested = now.saturating_sub(Duration::from_nanos(
            place.active_ns.load(Ordering::Acquire),
        ));
        let lasted = now.saturating_sub(Duration::from_nanos(place.began_ns));
        if lasted >= self.limits.total {
            return Err(EXPIRED_TOTAL);
        }
        if rested >= self.limits.idle {
            return Err(EXPIRED_IDLE);
        }
        Ok((self.limits.idle - rested).min(self.limits.total - lasted))
    }
}

impl Place {
    /// Takes the place away, unless its writer is committing; says whether it is away now.
    fn evict(&self, why: u8) -> bool {
        let taken = self
            .state
            .compare_exchange(OPEN, why, Ordering::AcqRel, Ordering::Acquire);
        taken.map_or_else(|state| !matches!(state, COMMITTING | LOADING), |_| true)
    }
}

impl WriterPlace {
    /// Notes that the transaction does something.
    ///
    /// # Errors
    /// [`Error::TransactionExpired`] if its time is over.
    pub fn step(&self) -> Result<()> {
        let now = self.queue.clock.now();
        if let Err(expired) = self.queue.time_left(&self.place, now) {
            // Also when nobody waits: limits must not depend on who else is there.
            self.place.evict(expired);
        }
        self.place.active_ns.store(nanos(now), Ordering::Release);
        self.still_in(self.place.state.load(Ordering::Acquire))
    }

    /// From here on the place cannot be taken away.
    ///
    /// # Errors
    /// [`Error::TransactionExpired`] if its time is over.
    pub fn begin_commit(&self) -> Result<()> {
        self.keep(COMMITTING)
    }

    /// As [`begin_commit`](Self::begin_commit), for a bulk load, which may take hours.
    ///
    /// # Errors
    /// [`Error::TransactionExpired`] if its time is over.
    pub fn begin_load(&self) -> Result<()> {
        self.keep(LOADING)
    }

    fn keep(&self, as_what: u8) -> Result<()> {
        self.step()?;
        let state = &self.place.state;
        match state.compare_exchange(OPEN, as_what, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(()),
            Err(other) => self.still_in(other),
        }
    }

    fn still_in(&self, state: u8) -> Result<()> {
        match state {
            EXPIRED_IDLE => Err(self.expired(TimeLimit::Idle, self.queue.limits.idle)),
            EXPIRED_TOTAL => Err(self.expired(TimeLimit::Total, self.queue.limits.total)),
            CLOSED => Err(Error::Closed),
            _ => Ok(()),
        }
    }

    fn expired(&self, limit: TimeLimit, after: Duration) -> Error {
        Error::TransactionExpired {
            limit,
            limit_ms: millis(after),
        }
    }
}

impl Drop for WriterPlace {
    fn drop(&mut self) {
        let mut line = self.queue.line.lock();
        // An expired writer's place may be somebody else's by now.
        if line
            .holder
            .as_ref()
            .is_some_and(|holder| Arc::ptr_eq(holder, &self.place))
        {
            line.holder = None;
            wake_first(&line);
            self.queue.left.notify_all();
        }
    }
}

fn wake_first(line: &Line) {
    if let Some(first) = line.waiting.front() {
        first.notify_one();
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
