//! Two threads that work through a list, each with a small stack.
//!
//! A stack of 2 MiB shows recursion that is deeper than it may be, as it would in the threads of whoever
//! embeds the engine. A panic is a result, and so is a thread that does not come back. It must never wait
//! for ever.
//!
//! Next: `journal.rs`.

use anyhow::{Context, Result};
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How many work at once.
const THREADS: usize = 2;
/// The stack of each.
const STACK_BYTES: usize = 2 << 20;

/// What became of one piece of work.
#[derive(Debug)]
pub enum Ended<T> {
    /// It returned.
    Returned(T),
    /// It panicked, with these words.
    Panicked(String),
    /// It took longer than the limit, and its thread was left behind.
    Hung,
}

/// Where a thread is.
type Place = Arc<Mutex<Option<(usize, Instant)>>>;

struct Shared<W> {
    next: AtomicUsize,
    count: usize,
    work: W,
}

thread_local! {
    /// The words of this thread's last panic, kept by the hook, which alone knows where it was.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Does `work` for the numbers below `count`, and gives the results in that order.
///
/// # Errors
/// If no thread can be started.
pub fn map<T, W>(count: usize, limit: Duration, work: W) -> Result<Vec<Ended<T>>>
where
    T: Send + 'static,
    W: Fn(usize) -> T + Send + Sync + 'static,
{
    keep_panics();
    let shared = Arc::new(Shared {
        next: AtomicUsize::new(0),
        count,
        work,
    });
    let (sender, receiver) = mpsc::channel();
    let mut places = Vec::new();
    for _ in 0..THREADS {
        places.push(start(&shared, &sender)?);
    }
    let mut ended: Vec<Option<Ended<T>>> = (0..count).map(|_| None).collect();
    let mut left = count;
    while left > 0 {
        let message = receiver.recv_timeout(Duration::from_millis(200));
        match message {
            Ok((index, result)) => left -= store(&mut ended, index, result),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        for place in &mut places {
            let at = *place.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((index, since)) = at
                && since.elapsed() > limit
            {
                left -= store(&mut ended, index, Ended::Hung);
                *place = start(&shared, &sender)?;
            }
        }
    }
    Ok(ended
        .into_iter()
        .map(|result| result.unwrap_or(Ended::Hung))
        .collect())
}

/// Stores the first result for a place; a thread that was given up may still come back.
fn store<T>(ended: &mut [Option<Ended<T>>], index: usize, result: Ended<T>) -> usize {
    match ended.get_mut(index) {
        Some(slot @ None) => {
            *slot = Some(result);
            1
        }
        _ => 0,
    }
}

fn start<T, W>(shared: &Arc<Shared<W>>, sender: &Sender<(usize, Ended<T>)>) -> Result<Place>
where
    T: Send + 'static,
    W: Fn(usize) -> T + Send + Sync + 'static,
{
    let place = Place::default();
    let (shared, sender, own) = (Arc::clone(shared), sender.clone(), Arc::clone(&place));
    thread::Builder::new()
        .name("scenario".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            loop {
                let index = shared.next.fetch_add(1, Ordering::Relaxed);
                if index >= shared.count {
                    return;
                }
                set(&own, Some((index, Instant::now())));
                let result = panic::catch_unwind(AssertUnwindSafe(|| (shared.work)(index)));
                set(&own, None);
                let result = match result {
                    Ok(value) => Ended::Returned(value),
                    Err(_) => Ended::Panicked(
                        PANIC
                            .with_borrow_mut(Option::take)
                            .unwrap_or_else(|| "a panic without words".to_owned()),
                    ),
                };
                if sender.send((index, result)).is_err() {
                    return;
                }
            }
        })
        .context("cannot start a thread")?;
    Ok(place)
}

fn set(place: &Place, at: Option<(usize, Instant)>) {
    *place.lock().unwrap_or_else(PoisonError::into_inner) = at;
}

/// Panics of scenarios are results and must not flood the terminal; those of other threads are shown.
fn keep_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().name() == Some("scenario") {
            let words = info.to_string().replace('\n', " ");
            PANIC.with_borrow_mut(|kept| *kept = Some(words));
        } else {
            before(info);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_panics_and_hangs_are_results() {
        let limit = Duration::from_millis(500);
        let ended = map(20, limit, |number| {
            if number == 3 {
                panic!("planted in {number}");
            }
            if number == 4 || number == 5 {
                thread::sleep(Duration::from_secs(5));
            }
            number * 2
        });
        for (number, result) in ended.unwrap().iter().enumerate() {
            match result {
                Ended::Returned(value) => assert_eq!(*value, number * 2),
                Ended::Panicked(words) => {
                    assert!(number == 3 && words.contains("planted in 3"), "{words}");
                }
                Ended::Hung => assert!(number == 4 || number == 5),
            }
        }
    }
}
