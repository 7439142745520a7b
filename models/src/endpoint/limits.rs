//! How many calls run at a time, and what all of them may cost.

use super::Prices;
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
    prices: Prices,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    calls: u64,
    retries: u64,
    usage: Usage,
    /// How often somebody looked for a place, so that tests know who waits.
    #[cfg(test)]
    looked: usize,
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
    pub(super) fn new(concurrent: usize, max_tokens: Option<u64>, prices: Prices) -> Self {
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
        let full = |state: &mut State| {
            #[cfg(test)]
            {
                state.looked += 1;
            }
            state.running >= self.concurrent
        };
        let mut state = self
            .freed
            .wait_while(self.lock(), full)
            .unwrap_or_else(PoisonError::into_inner);
        let tokens = state.usage.input_tokens + state.usage.output_tokens;
        if let Some(limit) = self.max_tokens.filter(|limit| tokens >= *limit) {
            // It was woken for a place that it does not take: whoever else waits must hear of it.
            self.freed.notify_one();
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
        let usage = state.usage;
        Spent {
            calls: state.calls,
            retries: state.retries,
            usage,
            cost: self.prices.of(usage),
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, mpsc};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn so_many_run_at_a_time_and_not_one_more_or_less() {
        const AT_ONCE: usize = 2;
        const ALL: usize = 8;
        let limits = Arc::new(Limits::new(AT_ONCE, None, Prices::default()));
        let (send, entered) = mpsc::channel();
        let (end, ends) = mpsc::channel::<()>();
        let ends = Arc::new(Mutex::new(ends));
        for _ in 0..ALL {
            let (limits, send, ends) = (Arc::clone(&limits), send.clone(), Arc::clone(&ends));
            thread::spawn(move || {
                let place = limits.enter().unwrap();
                send.send(()).unwrap();
                ends.lock().unwrap().recv().unwrap();
                drop(place);
            });
        }
        let heard = || entered.recv_timeout(Duration::from_secs(30)).unwrap();
        (0..AT_ONCE).for_each(|_| heard());
        // Everybody has looked for a place by then, and those without one wait.
        while limits.lock().looked < ALL {
            thread::yield_now();
        }
        assert_eq!(limits.lock().running, AT_ONCE);
        assert!(entered.try_recv().is_err());
        for left in (AT_ONCE..ALL).rev() {
            end.send(()).unwrap();
            heard();
            let state = limits.lock();
            assert_eq!(state.running, AT_ONCE, "{left} are left");
        }
        (0..AT_ONCE).for_each(|_| end.send(()).unwrap());
    }

    #[test]
    fn all_who_wait_hear_that_nothing_is_left() {
        const WAITING: usize = 5;
        let limits = Arc::new(Limits::new(1, Some(10), Prices::default()));
        let place = limits.enter().unwrap();
        let (send, heard) = mpsc::channel();
        for _ in 0..WAITING {
            let (limits, send) = (Arc::clone(&limits), send.clone());
            thread::spawn(move || send.send(limits.enter().map(|_| ())));
        }
        while limits.lock().looked < 1 + WAITING {
            thread::yield_now();
        }
        limits.used(Usage {
            input_tokens: 10,
            output_tokens: 0,
        });
        drop(place);
        for _ in 0..WAITING {
            let entered = heard.recv_timeout(Duration::from_secs(30));
            assert!(
                matches!(entered, Ok(Err(ModelError::BudgetSpent { tokens: 10, .. }))),
                "{entered:?}"
            );
        }
    }
}
