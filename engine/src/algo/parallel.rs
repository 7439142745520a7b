//! Work shared out over a few threads, so that the number of threads never shows in a result.
//!
//! Jobs are cut by the caller; the first one runs on the calling thread, which alone may report
//! progress. No job may add up floating-point numbers across a border that moves with the number
//! of threads.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::AlgoError;
use crate::error::Error;
use crate::storage::cancel::Watch;

/// How many threads a single algorithm may use at most; more would only read the same memory.
pub(super) const MOST_THREADS: usize = 64;

/// Lets a job say that it is alive, and learn that it should stop.
pub(super) struct Pulse<'p, 'w> {
    watch: Option<&'p mut Watch<'w>>,
    step: &'static str,
    stop: &'p AtomicBool,
}

impl Pulse<'_, '_> {
    /// Says how far this job is. Only the first job is heard; all are told to stop.
    pub(super) fn beat(&mut self, done: usize, total: usize) -> Result<(), AlgoError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::Cancelled.into());
        }
        let Some(watch) = &mut self.watch else {
            return Ok(());
        };
        let outcome = watch.step(self.step, done as u64, total as u64);
        if outcome.is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
        Ok(outcome?)
    }
}

/// Runs each job on a thread of its own and returns their results in the order of the jobs.
///
/// A job that fails stops the others, whose work would be for nothing. They then end as cancelled,
/// which is not what went wrong: any other error is preferred to that one.
pub(super) fn run_jobs<J: Send, R: Send>(
    jobs: Vec<J>,
    step: &'static str,
    watch: &mut Watch<'_>,
    work: impl Fn(J, &mut Pulse<'_, '_>) -> Result<R, AlgoError> + Sync,
) -> Result<Vec<R>, AlgoError> {
    let stop = &AtomicBool::new(false);
    let mut jobs = jobs.into_iter();
    let Some(first) = jobs.next() else {
        return Ok(Vec::new());
    };
    let run = &|job, watch: Option<&mut Watch<'_>>| {
        let result = work(job, &mut Pulse { watch, step, stop });
        result.inspect_err(|_| stop.store(true, Ordering::Relaxed))
    };
    let results: Vec<_> = thread::scope(|scope| {
        let mut others = Vec::new();
        for job in jobs {
            let thread = thread::Builder::new().name("stratigraph-algo".into());
            match thread.spawn_scoped(scope, move || run(job, None)) {
                Ok(other) => others.push(other),
                Err(error) => {
                    // The scope waits for those that have begun.
                    stop.store(true, Ordering::Relaxed);
                    let error = Error::io("start a thread for", "an algorithm", error);
                    return vec![Err(error.into())];
                }
            }
        }
        let mut results = vec![run(first, Some(watch))];
        for other in others {
            results.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    let mut outcome = Ok(Vec::with_capacity(results.len()));
    for result in results {
        match (&mut outcome, result) {
            (Ok(done), Ok(result)) => done.push(result),
            (Ok(_) | Err(AlgoError::Engine(Error::Cancelled)), Err(error)) => outcome = Err(error),
            (Err(_), _) => {}
        }
    }
    outcome
}

/// Cuts the rows of `offsets` into at most `threads` ranges that hold about as many entries each.
///
/// A row counts as one more than its entries, so that a million empty rows are shared out too.
pub(super) fn even_ranges(offsets: &[u32], threads: usize) -> Vec<Range<usize>> {
    let rows = offsets.len().saturating_sub(1);
    let threads = threads.clamp(1, MOST_THREADS);
    let before =
        |row: usize| offsets.get(row).map_or(0, |&entries| u64::from(entries)) + row as u64;
    let total = before(rows);
    let mut ranges = Vec::with_capacity(threads);
    let mut start = 0;
    for share in 1..=threads {
        let wanted = total * share as u64 / threads as u64;
        let (mut low, mut high) = (start, rows);
        while low < high {
            let middle = low.midpoint(high);
            if before(middle) < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low > start {
            ranges.push(start..low);
            start = low;
        }
    }
    ranges
}

/// Cuts `slice` into consecutive pieces of these lengths.
pub(super) fn split_by<T>(
    mut slice: &mut [T],
    lengths: impl Iterator<Item = usize>,
) -> Vec<&mut [T]> {
    let mut pieces = Vec::new();
    for length in lengths {
        let (piece, rest) = slice.split_at_mut(length.min(slice.len()));
        pieces.push(piece);
        slice = rest;
    }
    pieces
}
