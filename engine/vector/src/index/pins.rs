//! Who is searching since when, so that a slot is given to somebody else only when no search can still
//! come by who was there before.
//!
//! Time is counted in epochs. A search notes the epoch in which it began. What was taken out of the graph
//! in one epoch may be used again when every search has begun in a later one: it cannot have met a link.

use crate::sync::{AtomicU64, Mutex, Ordering};
use std::sync::Arc;

/// The note of one who is not searching.
const IDLE: u64 = u64::MAX;

/// One place for a note.
#[derive(Debug)]
pub(crate) struct Pin(AtomicU64);

/// All of them.
#[derive(Debug)]
pub(crate) struct Pins {
    epoch: AtomicU64,
    all: Mutex<Vec<Arc<Pin>>>,
}

impl Default for Pins {
    fn default() -> Self {
        Self {
            epoch: AtomicU64::new(0),
            all: Mutex::default(),
        }
    }
}

impl Pins {
    /// A place for one who searches again and again.
    pub(crate) fn add(&self) -> Arc<Pin> {
        let pin = Arc::new(Pin(AtomicU64::new(IDLE)));
        let mut all = self.all.lock();
        all.retain(|pin| Arc::strong_count(pin) > 1);
        all.push(Arc::clone(&pin));
        pin
    }

    /// Notes that a search begins, until [`Pin::leave`].
    pub(crate) fn enter(&self, pin: &Pin) {
        loop {
            let epoch = self.epoch.load(Ordering::SeqCst);
            pin.0.store(epoch, Ordering::SeqCst);
            // Whoever begins a new epoch looks at the notes after that, and so sees this one.
            if self.epoch.load(Ordering::SeqCst) == epoch {
                return;
            }
        }
    }

    /// Begins a new epoch, after something was taken out of the graph. Returns it.
    pub(crate) fn next_epoch(&self) -> u64 {
        self.epoch.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Whether every search has begun in this epoch or later.
    pub(crate) fn all_since(&self, epoch: u64) -> bool {
        let all = self.all.lock();
        all.iter().all(|pin| pin.0.load(Ordering::SeqCst) >= epoch)
    }
}

impl Pin {
    /// Notes that the search is over.
    pub(crate) fn leave(&self) {
        self.0.store(IDLE, Ordering::SeqCst);
    }
}
