//! Who gets a turn: so many statements at a time, so much memory in all, and a line that ends somewhere.

use crate::config::Config;
use crate::failure::Failure;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory is counted in these, so that all of it fits into what a semaphore counts.
const MEMORY_UNIT: u64 = 1 << 16;

/// The places for statements.
pub(crate) struct Slots {
    places: Arc<Semaphore>,
    memory: Arc<Semaphore>,
    /// Those that wait.
    line: Arc<Semaphore>,
    line_length: u32,
    all_places: u32,
    patience: Duration,
}

/// A place. Dropping it lets the next one in.
pub(crate) struct Slot {
    _place: OwnedSemaphorePermit,
    _memory: OwnedSemaphorePermit,
    /// How long it was waited for.
    pub(crate) waited: Duration,
}

impl Slots {
    /// For statements that read: all places, and three quarters of the memory.
    pub(crate) fn for_readers(config: &Config) -> Self {
        let memory = config.max_total_memory.0 - config.max_total_memory.0 / 4;
        Self::new(config, config.max_queries, memory)
    }

    /// For statements that write: as many places as a quarter of those, and a quarter of the memory. They are others'
    /// than the readers', so that readers who stop reading hold up no writer.
    pub(crate) fn for_writers(config: &Config) -> Self {
        let memory = config.max_total_memory.0 / 4;
        Self::new(config, config.max_queries.div_ceil(4), memory)
    }

    fn new(config: &Config, places: u32, memory: u64) -> Self {
        let memory = units(memory.max(config.max_query_memory.0));
        Self {
            places: Arc::new(Semaphore::new(places as usize)),
            memory: Arc::new(Semaphore::new(memory as usize)),
            line: Arc::new(Semaphore::new(config.max_queued as usize)),
            line_length: config.max_queued,
            all_places: places,
            patience: config.max_queue_wait.0,
        }
    }

    /// Waits for a place and for so much memory, at most for the time that the server allows and the call has.
    pub(crate) async fn enter(
        &self,
        memory_bytes: u64,
        time_left: Duration,
    ) -> Result<Slot, Failure> {
        let memory = units(memory_bytes);
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned()
            && let Ok(memory) = Arc::clone(&self.memory).try_acquire_many_owned(memory)
        {
            return Ok(Slot {
                _place: place,
                _memory: memory,
                waited: Duration::ZERO,
            });
        }
        let in_line = Arc::clone(&self.line).try_acquire_owned();
        let _in_line = in_line.map_err(|_| Failure::Busy {
            what: "statements",
            limit: u64::from(self.line_length) + u64::from(self.all_places),
            retry_after: self.patience / 4,
        })?;
        let began = Instant::now();
        let turn = async {
            let place = Arc::clone(&self.places).acquire_owned().await;
            let memory = Arc::clone(&self.memory).acquire_many_owned(memory).await;
            place.and_then(|place| Ok((place, memory?)))
        };
        let patience = self.patience.min(time_left);
        match tokio::time::timeout(patience, turn).await {
            Ok(Ok((place, memory))) => Ok(Slot {
                _place: place,
                _memory: memory,
                waited: began.elapsed(),
            }),
            Ok(Err(_)) => Err(Failure::ShuttingDown),
            Err(_) if time_left <= self.patience => Err(Failure::Deadline),
            Err(_) => Err(Failure::WaitedTooLong {
                what: "a turn",
                waited: began.elapsed(),
                retry_after: self.patience / 4,
            }),
        }
    }

    /// How many statements wait.
    pub(crate) fn waiting(&self) -> usize {
        (self.line_length as usize).saturating_sub(self.line.available_permits())
    }

    /// Bytes that are reserved.
    pub(crate) fn memory_free(&self) -> u64 {
        self.memory.available_permits() as u64 * MEMORY_UNIT
    }
}

fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(MEMORY_UNIT))
        .unwrap_or(u32::MAX >> 3)
        .min(u32::MAX >> 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(queries: u32, queued: u32, wait_ms: u64) -> Slots {
        let mut config = crate::Flags::default().resolve().unwrap();
        config.max_queries = queries;
        config.max_queued = queued;
        config.max_queue_wait = crate::Period(Duration::from_millis(wait_ms));
        config.max_query_memory = crate::Size(1 << 20);
        Slots::new(&config, queries, 8 << 20)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn the_line_ends_somewhere_and_nobody_waits_for_ever() {
        let slots = Arc::new(slots(1, 1, 50));
        let first = slots.enter(1 << 20, LONG).await.unwrap();
        let waiting = tokio::spawn({
            let slots = Arc::clone(&slots);
            async move { slots.enter(1 << 20, LONG).await.map(|slot| slot.waited) }
        });
        while slots.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let third = slots.enter(1 << 20, LONG).await.map(drop);
        assert!(
            matches!(third, Err(Failure::Busy { limit: 2, .. })),
            "{third:?}"
        );
        let second = waiting.await.unwrap();
        assert!(
            matches!(second, Err(Failure::WaitedTooLong { .. })),
            "{second:?}"
        );
        drop(first);
        assert!(slots.enter(1 << 20, LONG).await.is_ok());
    }

    #[tokio::test]
    async fn memory_is_shared_by_all() {
        let slots = slots(10, 10, 20);
        let most = slots.enter(6 << 20, LONG).await.unwrap();
        assert!(slots.enter(2 << 20, LONG).await.is_ok());
        let more = slots.enter(3 << 20, LONG).await.map(drop);
        assert!(
            matches!(more, Err(Failure::WaitedTooLong { .. })),
            "{more:?}"
        );
        drop(most);
        assert!(slots.enter(3 << 20, LONG).await.is_ok());
        let late = slots
            .enter(9 << 20, Duration::from_millis(5))
            .await
            .map(drop);
        assert!(matches!(late, Err(Failure::Deadline)), "{late:?}");
    }
}
