//! Many questions at once, with results in their order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Does this with each of so many things, `threads` at a time, until one of them fails: then no other begins, and of several
/// errors the first in order counts.
pub(super) fn each<T: Send, E: Send>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
    told: &(dyn Fn(usize) + Sync),
) -> Result<Vec<T>, E> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Vec<Mutex<Option<Result<T, E>>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let run = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = results.get(place) else {
                return;
            };
            let made = work(place);
            if made.is_err() {
                next.store(count, Ordering::Relaxed);
            }
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
            told(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(run);
        }
        run();
    });
    let results = results.into_iter();
    let made = results.filter_map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner));
    made.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_an_error_ends_it() {
        let seen = Mutex::new(0);
        let squares = each(50, 7, |place| Ok::<_, String>(place * place), &|_| {
            *seen.lock().unwrap() += 1;
        });
        assert_eq!(
            squares.unwrap(),
            (0..50).map(|one| one * one).collect::<Vec<_>>()
        );
        assert_eq!(*seen.lock().unwrap(), 50);
        let begun = AtomicUsize::new(0);
        let failed = each(
            1000,
            1,
            |place| {
                begun.fetch_add(1, Ordering::Relaxed);
                if place == 3 { Err(place) } else { Ok(()) }
            },
            &|_| (),
        );
        assert_eq!((failed, begun.into_inner()), (Err(3), 4));
        assert_eq!(each(0, 3, |_| Ok::<(), ()>(()), &|_| ()), Ok(Vec::new()));
    }
}
