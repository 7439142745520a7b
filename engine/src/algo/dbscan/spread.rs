//! Spreads numbered tasks over threads.
//!
//! Who does which task is left to chance, so a task must never depend on another, and what the
//! threads gather must join to the same in any order. The caller's thread works too, and it alone
//! reports; all threads stop when it is cancelled. Next: `exact.rs`, whose tasks these are.

use crate::algo::parallel::MOST_THREADS;
use crate::error::Result;
use crate::storage::cancel::Watch;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Runs the tasks `0..tasks` and returns what each thread has gathered.
///
/// `run` is given what its thread gathers, the task, and a question to ask now and then: whether to
/// go on. It may return early when the answer is no.
pub(super) fn spread<G: Send>(
    (tasks, threads): (usize, usize),
    (watch, step): (&mut Watch<'_>, &str),
    begin: impl Fn() -> G + Sync,
    run: impl Fn(&mut G, usize, &mut dyn FnMut() -> bool) + Sync,
) -> Result<Vec<G>> {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let work = |go_on: &mut dyn FnMut() -> bool| {
        let mut gathered = begin();
        while go_on() {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= tasks {
                break;
            }
            run(&mut gathered, task, go_on);
            done.fetch_add(1, Ordering::Relaxed);
        }
        gathered
    };
    thread::scope(|scope| {
        // Tasks are taken one by one, so a thread that the system refuses is merely no help.
        let others: Vec<_> = (1..threads.min(tasks).min(MOST_THREADS))
            .map_while(|_| {
                let thread = thread::Builder::new().name("stratigraph-algo".into());
                let help = || work(&mut || !stop.load(Ordering::Relaxed));
                thread.spawn_scoped(scope, help).ok()
            })
            .collect();
        let mut outcome = Ok(());
        let mine = work(&mut || {
            // Once it says no it goes on saying no: nobody takes a cancel back.
            outcome = watch.step(step, done.load(Ordering::Relaxed) as u64, tasks as u64);
            stop.store(outcome.is_err(), Ordering::Relaxed);
            outcome.is_ok()
        });
        let mut gathered = vec![mine];
        for other in others {
            gathered.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        outcome.map(|()| gathered)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::storage::cancel::{CancelToken, Progress};

    #[test]
    fn each_task_is_done_once() {
        for threads in [1, 2, 5] {
            let mut watch = Watch::quiet();
            let done = spread(
                (100, threads),
                (&mut watch, "test"),
                Vec::new,
                |done: &mut Vec<usize>, task, _| done.push(task),
            );
            let mut done = done.unwrap().concat();
            done.sort_unstable();
            assert_eq!(done, (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn cancelling_stops_tasks_without_end_on_all_threads() {
        let cancel = CancelToken::new();
        let token = cancel.clone();
        let mut looks = 0;
        let mut report = |_: Progress<'_>| {
            looks += 1;
            if looks == 100 {
                token.cancel();
            }
        };
        let mut watch = Watch::new(&mut report, cancel);
        let run = |(): &mut (), _, go_on: &mut dyn FnMut() -> bool| {
            while go_on() {
                thread::yield_now();
            }
        };
        let stopped = spread((9, 3), (&mut watch, "test"), || (), run);
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }
}
