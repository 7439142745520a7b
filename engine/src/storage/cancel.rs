//! Cancelling work that is under way, and saying how far it has come.

use crate::clock::Clock;
use crate::error::{Error, Result};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Tells running work to stop. Clones share one state.
#[derive(Debug, Clone, Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
    /// Whose word counts too.
    others: Option<Arc<[Other]>>,
}

/// What stops work beside somebody who says so.
#[derive(Clone)]
enum Other {
    Token(CancelToken),
    /// Its time is over.
    After {
        moment: Duration,
        clock: Arc<dyn Clock>,
    },
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
        self.with(Other::Token(other.clone()))
    }

    /// A token that is cancelled when this one is, and from when on `clock` says more than `moment`.
    #[must_use]
    pub(crate) fn until(&self, moment: Duration, clock: Arc<dyn Clock>) -> Self {
        self.with(Other::After { moment, clock })
    }

    fn with(&self, other: Other) -> Self {
        let known = self.others.as_deref().unwrap_or_default();
        Self {
            cancelled: Arc::clone(&self.cancelled),
            others: Some(known.iter().cloned().chain([other]).collect()),
        }
    }

    /// Asks everything that holds a clone to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    /// Whether somebody has.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let others = self.others.as_deref().unwrap_or_default();
        self.cancelled.load(Ordering::Acquire) || others.iter().any(Other::stops)
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

impl Other {
    fn stops(&self) -> bool {
        match self {
            Self::Token(token) => token.is_cancelled(),
            Self::After { moment, clock } => clock.now() > *moment,
        }
    }
}

impl fmt::Debug for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(token) => token.fmt(f),
            Self::After { moment, .. } => write!(f, "after {moment:?}"),
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

    /// For work that nobody watches and nobody cancels.
    pub fn quiet() -> Watch<'static> {
        // What has no size is not allocated, so nothing is lost by this.
        Watch::new(
            Box::leak(Box::new(|_: Progress<'_>| {})),
            CancelToken::new(),
        )
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
