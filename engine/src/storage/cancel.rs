//! Cancelling work that is under way, and saying how far it has come.

use crate::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells running work to stop. Clones share one state.
#[derive(Debug, Clone, Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
    /// Another whose word counts too.
    other: Option<Arc<CancelToken>>,
}

impl CancelToken {
    /// A token that nobody has cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that is cancelled when this one is, or that other one.
    #[must_use]
    pub(crate) fn or(&self, other: &Self) -> Self {
        Self {
            cancelled: Arc::clone(&self.cancelled),
            other: Some(Arc::new(other.clone())),
        }
    }

    /// Asks everything that holds a clone to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    /// Whether somebody has.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let others = self
            .other
            .as_ref()
            .is_some_and(|other| other.is_cancelled());
        others || self.cancelled.load(Ordering::Acquire)
    }

    /// Goes on, or stops.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if somebody has.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }
}

/// How far long work has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// What is being done, as a verb and its object.
    pub step: &'a str,
    /// How much of it is done.
    pub done: u64,
    /// How much there is to do; 0 when nobody knows.
    pub total: u64,
}

/// Watches long work: is told of its progress and may cancel it.
pub struct Watch<'a> {
    report: &'a mut dyn FnMut(Progress<'_>),
    cancel: CancelToken,
}

impl<'a> Watch<'a> {
    /// Reports to `report`, and stops when `cancel` says so.
    pub fn new(report: &'a mut dyn FnMut(Progress<'_>), cancel: CancelToken) -> Self {
        Self { report, cancel }
    }

    /// Says how far the work is, and whether it may go on.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if it may not.
    pub fn step(&mut self, step: &str, done: u64, total: u64) -> Result<()> {
        self.cancel.check()?;
        (self.report)(Progress { step, done, total });
        Ok(())
    }
}
