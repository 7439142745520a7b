//! The thread that tends to an index while others write and search.

use super::Index;
use parking_lot::{Condvar, Mutex};
use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// Tends to an index until it is dropped.
#[derive(Debug)]
#[must_use = "it stops when it is dropped"]
pub struct Tender {
    index: Arc<Index>,
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
    stop: bool,
}

impl Bell {
    /// There is something to do.
    pub(super) fn ring(&self) {
        self.say(|said| said.work = true);
    }

    fn say(&self, what: impl FnOnce(&mut Said)) {
        what(&mut self.said.lock());
        self.rung.notify_all();
    }

    /// Waits until there is something to do; whether there is, and not the end.
    fn wait(&self) -> bool {
        let mut said = self.said.lock();
        self.rung
            .wait_while(&mut said, |said| !said.work && !said.stop);
        said.work = false;
        !said.stop
    }
}

impl Tender {
    pub(super) fn start(
        index: Arc<Index>,
        oldest: impl Fn() -> u64 + Send + 'static,
    ) -> io::Result<Self> {
        index.bell.say(|said| *said = Said::default());
        let tended = Arc::clone(&index);
        let thread = Builder::new()
            .name("vector-tender".to_owned())
            .spawn(move || {
                while tended.bell.wait() {
                    tended.tend(oldest());
                }
            })?;
        Ok(Self {
            index,
            thread: Some(thread),
        })
    }
}

impl Drop for Tender {
    fn drop(&mut self) {
        self.index.bell.say(|said| said.stop = true);
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            // A search would be wrong from here on, if tending stopped in the middle.
            std::panic::resume_unwind(panic);
        }
    }
}
