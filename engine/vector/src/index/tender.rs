//! The thread that tends to an index while others write and search.

use super::Index;
use parking_lot::{Condvar, Mutex};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};

/// Tends to an index until it is dropped.
#[derive(Debug)]
#[must_use = "it stops when it is dropped"]
pub struct Tender {
    index: Arc<Index>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// How a writer tells that there is something to do.
#[derive(Debug, Default)]
pub(super) struct Bell {
    said: Mutex<Said>,
    rung: Condvar,
}

#[derive(Debug, Default)]
struct Said {
    work: bool,
}

impl Bell {
    /// There is something to do.
    pub(super) fn ring(&self) {
        self.said.lock().work = true;
        self.rung.notify_all();
    }

    /// Lets one who waits see that it is to stop.
    fn stop(&self, stop: &AtomicBool) {
        // Under the lock, so that nobody has looked and does not wait yet.
        let said = self.said.lock();
        stop.store(true, Ordering::Relaxed);
        drop(said);
        self.rung.notify_all();
    }

    /// Waits until there is something to do; whether there is, and not the end.
    fn wait(&self, stop: &AtomicBool) -> bool {
        let mut said = self.said.lock();
        let stops = || stop.load(Ordering::Relaxed);
        self.rung
            .wait_while(&mut said, |said| !said.work && !stops());
        if stops() {
            return false;
        }
        said.work = false;
        true
    }
}

impl Tender {
    pub(super) fn start(
        index: Arc<Index>,
        oldest: impl Fn() -> u64 + Send + 'static,
    ) -> io::Result<Self> {
        // There may be something to do already.
        index.bell.ring();
        let stop = Arc::new(AtomicBool::new(false));
        let (tended, stops) = (Arc::clone(&index), Arc::clone(&stop));
        let thread = Builder::new()
            .name("vector-tender".to_owned())
            .spawn(move || {
                while tended.bell.wait(&stops) {
                    tended.tend(oldest());
                }
            })?;
        Ok(Self {
            index,
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for Tender {
    fn drop(&mut self) {
        self.index.bell.stop(&self.stop);
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            // A search would be wrong from here on, if tending stopped in the middle.
            std::panic::resume_unwind(panic);
        }
    }
}
