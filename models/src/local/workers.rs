//! Several threads that each compute alone.
//!
//! The library below would spread every single product over all cores, which on products as small as
//! ours mostly means waiting for each other. It computes in the pool of the thread that calls it; so
//! each worker is a pool of one thread, and whole batches are what is handed out. Results come back
//! in the order of the jobs, whoever did them.

use crate::error::ModelError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// The threads.
pub(crate) struct Workers {
    pools: Vec<ThreadPool>,
}

impl Workers {
    /// Starts so many threads. They sleep until there is work.
    pub(crate) fn start(threads: usize) -> Result<Self, ModelError> {
        let pool = |number| {
            ThreadPoolBuilder::new()
                .num_threads(1)
                .thread_name(move |_| format!("embed-{number}"))
                .build()
                .map_err(|error| ModelError::NoThread(error.into()))
        };
        let pools = (0..threads.max(1)).map(pool).collect::<Result<_, _>>()?;
        Ok(Self { pools })
    }

    /// Runs the jobs `0..jobs`, lowest first. After an error no new job is begun; the error of the
    /// lowest job that failed is returned.
    pub(crate) fn run<T: Send>(
        &self,
        jobs: usize,
        work: impl Fn(usize) -> Result<T, ModelError> + Sync,
    ) -> Result<Vec<T>, ModelError> {
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let some_of_them = || {
            let mut done = Vec::new();
            while !failed.load(Ordering::Relaxed) {
                let job = next.fetch_add(1, Ordering::Relaxed);
                if job >= jobs {
                    break;
                }
                let result = work(job);
                failed.fetch_or(result.is_err(), Ordering::Relaxed);
                done.push((job, result));
            }
            done
        };
        let helpers = self.pools.iter().take(jobs);
        let mut done: Vec<_> = thread::scope(|scope| {
            let some_of_them = &some_of_them;
            let waiting: Vec<_> = helpers
                .map(|pool| scope.spawn(move || pool.install(some_of_them)))
                .collect();
            let joined = waiting.into_iter().map(|helper| {
                // A panic in a worker is a bug, and goes on in the caller's thread.
                helper
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            joined.flatten().collect()
        });
        done.sort_unstable_by_key(|(job, _)| *job);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        for threads in [0, 1, 3] {
            let workers = Workers::start(threads).unwrap();
            let done = workers.run(100, |job| Ok(job * 2)).unwrap();
            assert_eq!(done, (0..100).map(|job| job * 2).collect::<Vec<_>>());
            assert!(workers.run(0, Ok).unwrap().is_empty());
        }
    }

    #[test]
    fn the_first_error_ends_the_work() {
        let begun = AtomicUsize::new(0);
        let workers = Workers::start(2).unwrap();
        let result = workers.run(1_000_000, |job| {
            begun.fetch_add(1, Ordering::Relaxed);
            if job >= 3 {
                return Err(ModelError::NotFinite { place: job });
            }
            Ok(())
        });
        assert!(matches!(result, Err(ModelError::NotFinite { place: 3 })));
        assert!(begun.load(Ordering::Relaxed) < 1000);
    }
}
