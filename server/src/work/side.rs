//! Work beside statements: schemas, databases, lists. It blocks too, and so it has places and a line of its own, that
//! end somewhere: the threads that may block are for statements.

use super::blocking;
use crate::config::Config;
use crate::failure::Failure;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// How much of it is done at a time.
pub(crate) const PLACES: usize = 16;

/// The places for work beside statements.
pub(crate) struct Side {
    places: Arc<Semaphore>,
    /// Those that wait and those that have a place.
    line: Arc<Semaphore>,
    line_length: usize,
    patience: Duration,
}

impl Side {
    pub(crate) fn new(config: &Config) -> Self {
        let line_length = PLACES + config.max_queued as usize;
        Self {
            places: Arc::new(Semaphore::new(PLACES)),
            line: Arc::new(Semaphore::new(line_length)),
            line_length,
            patience: config.max_queue_wait.0,
        }
    }

    /// Does `work` on a thread that may block, when it has its turn.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let line = Arc::clone(&self.line).try_acquire_owned();
        let line = line.map_err(|_| Failure::Busy {
            what: "requests beside statements",
            limit: self.line_length as u64,
            retry_after: self.patience / 4,
        })?;
        let began = Instant::now();
        let place = Arc::clone(&self.places).acquire_owned();
        let place = tokio::time::timeout(self.patience, place).await;
        let place = place.map_err(|_| Failure::WaitedTooLong {
            what: "a turn",
            waited: began.elapsed(),
            retry_after: self.patience / 4,
        })?;
        // They go with the thread: a caller that leaves does not free it.
        blocking(move || {
            let _held = (line, place);
            work()
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[tokio::test]
    async fn places_and_line_end_somewhere_and_stay_taken_while_a_thread_works() {
        let mut config = crate::Flags::default().resolve().unwrap();
        config.max_queued = 1;
        config.max_queue_wait = crate::Period(Duration::from_millis(50));
        let side = Arc::new(Side::new(&config));
        let (started, mut all_started) = tokio::sync::mpsc::channel(PLACES);
        let mut ends = Vec::new();
        for _ in 0..PLACES {
            let (end, ended) = mpsc::channel::<()>();
            ends.push(end);
            let (side, started) = (Arc::clone(&side), started.clone());
            let call = tokio::spawn(async move {
                side.run(move || {
                    let _ = started.blocking_send(());
                    let _ = ended.recv();
                    Ok(())
                })
                .await
            });
            all_started.recv().await.unwrap();
            // Its caller leaves, the thread works on.
            call.abort();
            let _ = call.await;
        }
        let (waits, refused) = tokio::join!(side.run(|| Ok(())), side.run(|| Ok(())));
        assert!(
            matches!(waits, Err(Failure::WaitedTooLong { .. })),
            "{waits:?}"
        );
        assert!(matches!(refused, Err(Failure::Busy { .. })), "{refused:?}");
        drop(ends);
        while side.places.available_permits() < PLACES {
            tokio::task::yield_now().await;
        }
        side.run(|| Ok(())).await.unwrap();
    }
}
