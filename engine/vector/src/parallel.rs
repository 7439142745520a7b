//! Sharing out work to threads, and letting those who search go first.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How work that nobody waits for is done: after each portion others go first. Where more threads work than
/// there are processors, a search would otherwise wait until a thread that links has had its turn, which
/// is as long as dozens of searches. Once somebody waits, it goes on without a break.
#[derive(Debug)]
pub(crate) struct Pace {
    waiting: AtomicUsize,
}

/// Somebody waits, until this is dropped.
pub(crate) struct Waiting<'a>(&'a Pace);

impl Pace {
    pub(crate) const fn new() -> Self {
        Self {
            waiting: AtomicUsize::new(0),
        }
    }

    /// Says that somebody waits.
    pub(crate) fn wait(&self) -> Waiting<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        Waiting(self)
    }

    /// Lets others go first, unless somebody waits.
    pub(crate) fn rest(&self) {
        if self.waiting.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Calls `work` for each number below `jobs`, each once, on as many threads as there are `rooms`. A thread
/// takes `portion` of them at a time, after each of which it calls `rest`; if that is all of them, nobody else
/// is called.
pub(crate) fn in_parallel<R: Send>(
    rooms: &mut [R],
    jobs: usize,
    portion: usize,
    rest: impl Fn() + Sync,
    work: impl Fn(&mut R, usize) + Sync,
) {
    let next = AtomicUsize::new(0);
    let take = |room: &mut R| loop {
        let first = next.fetch_add(portion, Ordering::Relaxed);
        if first >= jobs {
            break;
        }
        for job in first..jobs.min(first + portion) {
            work(room, job);
        }
        rest();
    };
    let Some((own, others)) = rooms.split_first_mut() else {
        return;
    };
    if jobs <= portion {
        return take(own);
    }
    thread::scope(|scope| {
        for room in others {
            // With a thread refused, the others do its share.
            let started = thread::Builder::new().spawn_scoped(scope, || take(room));
            drop(started);
        }
        take(own);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once() {
        for (threads, jobs, portion) in [(1, 10, 3), (3, 0, 4), (3, 4, 4), (3, 1000, 7), (4, 5, 1)]
        {
            let mut rooms = vec![Vec::new(); threads];
            in_parallel(&mut rooms, jobs, portion, || {}, Vec::push);
            let mut done = rooms.concat();
            done.sort_unstable();
            assert!(done.into_iter().eq(0..jobs), "{threads} {jobs} {portion}");
        }
    }
}
