//! How many calls run at a time, and what all of them may cost.

use crate::error::ModelError;
use crate::generate::Usage;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The limits of an endpoint, and what was spent.
#[derive(Debug)]
pub(super) struct Limits {
    state: Mutex<State>,
    freed: Condvar,
    concurrent: usize,
    max_tokens: Option<u64>,
    /// For a million tokens, read and written.
    prices: (f64, f64),
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    calls: u64,
    retries: u64,
    usage: Usage,
}

/// What was spent at an endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Spent {
    /// Calls that were made, repeated ones as often as they were.
    pub calls: u64,
    /// How many of them were repetitions.
    pub retries: u64,
    /// Tokens, as the endpoint counts them.
    pub usage: Usage,
    /// What they cost, by the prices that were said.
    pub cost: f64,
}

/// The place of a call that runs.
pub(super) struct Place<'a>(&'a Limits);

impl Limits {
    pub(super) fn new(concurrent: usize, max_tokens: Option<u64>, prices: (f64, f64)) -> Self {
        Self {
            state: Mutex::default(),
            freed: Condvar::new(),
            concurrent,
            max_tokens,
            prices,
        }
    }

    /// Waits for a place.
    pub(super) fn enter(&self) -> Result<Place<'_>, ModelError> {
        let full = |state: &mut State| state.running >= self.concurrent;
        let mut state = self
            .freed
            .wait_while(self.lock(), full)
            .unwrap_or_else(PoisonError::into_inner);
        let tokens = state.usage.input_tokens + state.usage.output_tokens;
        if let Some(limit) = self.max_tokens.filter(|limit| tokens >= *limit) {
            return Err(ModelError::BudgetSpent { tokens, limit });
        }
        state.running += 1;
        Ok(Place(self))
    }

    pub(super) fn called(&self, again: bool) {
        let mut state = self.lock();
        state.calls += 1;
        state.retries += u64::from(again);
    }

    pub(super) fn used(&self, usage: Usage) {
        self.lock().usage += usage;
    }

    pub(super) fn spent(&self) -> Spent {
        let state = self.lock();
        let (input, output) = self.prices;
        let usage = state.usage;
        Spent {
            calls: state.calls,
            retries: state.retries,
            usage,
            cost: (usage.input_tokens as f64 * input + usage.output_tokens as f64 * output) / 1e6,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
        self.0.freed.notify_one();
    }
}
