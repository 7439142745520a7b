//! A call that is made again when that may help, and how long is waited before.
//!
//! Chance and time are arguments, so that tests know every wait and take none.

use crate::error::ModelError;
use std::time::Duration;

/// The longest that is waited before a call is made again, whatever the endpoint asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Calls so often at most, and is told whether it is not the first time. `draw` gives numbers from 0 to 1.
pub(super) fn repeated<T>(
    attempts: u32,
    mut call: impl FnMut(bool) -> Result<T, ModelError>,
    mut draw: impl FnMut() -> f64,
    mut wait: impl FnMut(Duration),
) -> Result<T, ModelError> {
    let mut attempt = 0;
    loop {
        let error = match call(attempt > 0) {
            Err(error) => error,
            done => return done,
        };
        attempt += 1;
        let asked = match &error {
            ModelError::Endpoint {
                again: Some(asked), ..
            } if attempt < attempts => *asked,
            _ => return Err(error),
        };
        // All of a crowd that was turned away must not come back at the same moment.
        let longest = FIRST_WAIT
            .saturating_mul(1 << attempt.min(10))
            .min(LONGEST_WAIT);
        wait(asked.min(LONGEST_WAIT) + longest.mul_f64(draw() / 2.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(again: Option<u64>) -> ModelError {
        ModelError::Endpoint {
            url: String::new(),
            status: None,
            problem: String::new(),
            again: again.map(Duration::from_secs),
        }
    }

    /// The waits between calls that all fail like this, in milliseconds.
    fn waits(attempts: u32, again: Option<u64>, draws: &[f64]) -> Vec<u128> {
        let (mut waits, mut calls) = (Vec::new(), Vec::new());
        let mut draws = draws.iter().copied();
        let refused = repeated::<()>(
            attempts,
            |again_now| {
                calls.push(again_now);
                Err(failed(again))
            },
            || draws.next().expect("as many draws as waits"),
            |wait| waits.push(wait.as_millis()),
        );
        assert!(refused.is_err() && draws.next().is_none());
        let again = calls.iter().skip(1);
        assert!(!calls[0] && again.copied().all(|again| again));
        assert_eq!(calls.len(), waits.len() + 1);
        waits
    }

    #[test]
    fn waits_double_and_have_an_end() {
        let longest = waits(12, Some(0), &[1.0; 11]);
        let doubled = [500, 1000, 2000, 4000, 8000, 16_000, 30_000];
        assert_eq!(longest[..7], doubled);
        assert!(longest[7..].iter().all(|wait| *wait == 30_000));
    }

    #[test]
    fn chance_is_between_nothing_and_the_longest() {
        assert_eq!(waits(4, Some(0), &[0.0, 0.25, 0.5]), [0, 250, 1000]);
    }

    #[test]
    fn what_the_endpoint_asks_for_is_the_least_up_to_a_minute() {
        assert_eq!(waits(3, Some(7), &[0.0, 0.5]), [7000, 7500]);
        assert_eq!(waits(2, Some(3600), &[0.5]), [60_250]);
    }

    #[test]
    fn what_will_not_pass_is_not_made_again() {
        assert!(waits(4, None, &[]).is_empty());
        assert!(waits(1, Some(0), &[]).is_empty());
    }

    #[test]
    fn what_goes_well_then_is_the_answer() {
        let mut calls = 0;
        let mut waits = 0;
        let call = |_| {
            calls += 1;
            match calls {
                3 => Ok("done"),
                _ => Err(failed(Some(0))),
            }
        };
        let done = repeated(4, call, || 0.0, |_| waits += 1);
        assert_eq!((done.unwrap(), waits), ("done", 2));
    }
}
