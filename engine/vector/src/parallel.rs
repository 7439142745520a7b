//! Sharing out work to threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `work` for each number below `jobs`, each once, on as many threads as there are `rooms`. A thread
/// takes `portion` of them at a time; if that is all of them, nobody else is called.
pub(crate) fn in_parallel<R: Send>(
    rooms: &mut [R],
    jobs: usize,
    portion: usize,
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
    };
    let Some((own, others)) = rooms.split_first_mut() else {
        return;
    };
    if jobs <= portion {
        return take(own);
    }
    thread::scope(|scope| {
        for room in others {
            scope.spawn(|| take(room));
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
            in_parallel(&mut rooms, jobs, portion, Vec::push);
            let mut done = rooms.concat();
            done.sort_unstable();
            assert!(done.into_iter().eq(0..jobs), "{threads} {jobs} {portion}");
        }
    }
}
