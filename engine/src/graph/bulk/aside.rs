//! One piece of work beside the caller, so that sorting and writing do not hold up adding.

use crate::error::{Error, Result};
use std::thread::JoinHandle;

/// Does one thing at a time: beside the caller, or at once if there is only one thread.
pub(super) struct Aside<T> {
    beside: bool,
    running: Option<JoinHandle<Result<T>>>,
    done: Option<T>,
}

impl<T: Send + 'static> Aside<T> {
    pub(super) fn new(beside: bool) -> Self {
        Self {
            beside,
            running: None,
            done: None,
        }
    }

    /// Waits for what was begun last, and returns what it made.
    pub(super) fn wait(&mut self) -> Result<Option<T>> {
        match self.running.take() {
            Some(thread) => match thread.join() {
                Ok(made) => made.map(Some),
                Err(_) => Err(Error::bug("a thread of a bulk load panicked")),
            },
            None => Ok(self.done.take()),
        }
    }

    /// Begins something; what was begun before must have been waited for.
    pub(super) fn begin(
        &mut self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<()> {
        if self.beside {
            let thread = std::thread::Builder::new().name("stratigraph-load".into());
            let running = thread.spawn(work);
            let running =
                running.map_err(|error| Error::io("start a thread for", "a bulk load", error))?;
            self.running = Some(running);
        } else {
            self.done = Some(work()?);
        }
        Ok(())
    }
}

impl<T> Drop for Aside<T> {
    fn drop(&mut self) {
        // It writes into the load's folder, which its owner is about to remove.
        if let Some(thread) = self.running.take() {
            let _ = thread.join();
        }
    }
}
