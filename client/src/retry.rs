//! How often and when a call is made again.
//!
//! Which calls may be made again at all is decided in `error/failure.rs`.

use std::time::Duration;

/// How often and when a call that failed is made again, where that is safe.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct Retry {
    attempts: u32,
    first_wait: Duration,
    longest_wait: Duration,
}

impl Default for Retry {
    /// Four attempts, waiting about 50, 100 and 200 ms, and longer if the server asks for it.
    fn default() -> Self {
        Self {
            attempts: 4,
            first_wait: Duration::from_millis(50),
            longest_wait: Duration::from_secs(5),
        }
    }
}

impl Retry {
    /// No call is made again.
    pub fn never() -> Self {
        Self::default().attempts(1)
    }

    /// How often a call is made, the first time included.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// How long to wait before the second attempt; each wait after that is twice as long.
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// The longest wait, unless the server asks for a longer one.
    pub fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest_wait = wait;
        self
    }

    /// How long to wait after so many attempts; none if there have been enough.
    ///
    /// Between half of the wait and all of it, by chance, so that clients that failed together do not come back
    /// together; never sooner than the server said.
    pub(crate) fn wait(&self, made: u32, server_says: Duration) -> Option<Duration> {
        if made >= self.attempts {
            return None;
        }
        let doublings = made.saturating_sub(1).min(20);
        let wait = self.first_wait.saturating_mul(1 << doublings);
        let wait = wait.min(self.longest_wait);
        let by_chance = wait.mul_f64(0.5 + fastrand::f64() / 2.0);
        // What the server says is the same for all it has turned away.
        Some(by_chance.max(server_says.saturating_add(by_chance / 4)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_vary_and_end() {
        let ms = Duration::from_millis;
        let retry = Retry::default()
            .attempts(5)
            .first_wait(ms(100))
            .longest_wait(ms(300));
        for (made, least, most) in [(1, 50, 100), (2, 100, 200), (3, 150, 300), (4, 150, 300)] {
            let waits: Vec<_> = (0..100)
                .map(|_| retry.wait(made, Duration::ZERO).unwrap())
                .collect();
            assert!(
                waits
                    .iter()
                    .all(|wait| (ms(least)..=ms(most)).contains(wait))
            );
            assert!(waits.iter().any(|wait| wait != &waits[0]), "no jitter");
        }
        assert_eq!(retry.wait(5, Duration::ZERO), None);
        assert!(retry.wait(1, ms(700)).unwrap() >= ms(700));
        assert_eq!(Retry::never().wait(1, Duration::ZERO), None);
        // Numbers that overflow nothing.
        let long = Retry::default()
            .attempts(u32::MAX)
            .first_wait(Duration::MAX);
        assert!(long.wait(u32::MAX - 1, Duration::MAX).is_some());
    }
}
