//! Threads for what takes long: making an index, keeping it, mending it, merging its postings. Each ends by
//! itself, and all are told to stop when the database closes.

use crate::error::{Error, Result};
use crate::storage::cancel::CancelToken;
use parking_lot::Mutex;
use std::thread::JoinHandle;

/// What runs in the background.
#[derive(Default)]
pub(crate) struct Jobs {
    stop: CancelToken,
    running: Mutex<Vec<JoinHandle<()>>>,
}

impl Jobs {
    /// Starts a thread, unless everything is to stop.
    pub(crate) fn start(
        &self,
        name: &str,
        work: impl FnOnce(&CancelToken) + Send + 'static,
    ) -> Result<()> {
        let mut running = self.running.lock();
        self.stop.check()?;
        running.retain(|job| !job.is_finished());
        let stop = self.stop.clone();
        let thread = std::thread::Builder::new().name(name.to_owned());
        let spawned = thread.spawn(move || work(&stop));
        running.push(spawned.map_err(|error| Error::io("start a thread for", name, error))?);
        Ok(())
    }

    /// Tells all to stop, and waits for their end.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
        let running = std::mem::take(&mut *self.running.lock());
        // A job may be the last to hold the database, and close it.
        let me = std::thread::current().id();
        for job in running.into_iter().filter(|job| job.thread().id() != me) {
            if job.join().is_err() {
                tracing::error!("a thread of an index panicked");
            }
        }
    }
}
