//! Who gets a turn: so many statements at a time, so much memory in all, and a line that ends somewhere. One token has
//! at most its share of each, so that it cannot keep the others out.

use super::shares::{Shares, share};
use crate::config::Config;
use crate::failure::Failure;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// Memory is counted in these, so that all of it fits into what a semaphore counts.
const MEMORY_UNIT: u64 = 1 << 16;

/// The places for statements.
pub(crate) struct Slots {
    all: Room,
    each: Shares<Room>,
    patience: Duration,
}

/// What there is for all statements, or for those of one token.
struct Room {
    places: Arc<Semaphore>,
    memory: Arc<Semaphore>,
    /// Those that wait.
    line: Arc<Semaphore>,
    /// How many may run and wait.
    limit: u64,
    line_length: usize,
}

/// A part of a room that is taken.
struct Taken {
    _place: OwnedSemaphorePermit,
    _memory: OwnedSemaphorePermit,
}

/// A place. Dropping it lets the next one in.
pub(crate) struct Slot {
    _of_all: Taken,
    _of_own: Taken,
    /// How long it was waited for.
    pub(crate) waited: Duration,
}

impl Room {
    fn new(places: u64, memory_bytes: u64, queued: u64) -> Self {
        let permits = |many: u64| usize::try_from(many).unwrap_or(usize::MAX);
        let semaphore =
            |many: u64| Arc::new(Semaphore::new(permits(many).min(Semaphore::MAX_PERMITS)));
        Self {
            places: semaphore(places),
            memory: semaphore(units(memory_bytes).into()),
            line: semaphore(queued),
            limit: places.saturating_add(queued),
            line_length: permits(queued),
        }
    }

    fn try_take(&self, memory: u32) -> Option<Taken> {
        Some(Taken {
            _place: Arc::clone(&self.places).try_acquire_owned().ok()?,
            _memory: Arc::clone(&self.memory)
                .try_acquire_many_owned(memory)
                .ok()?,
        })
    }

    async fn take(&self, memory: u32) -> Result<Taken, AcquireError> {
        Ok(Taken {
            _place: Arc::clone(&self.places).acquire_owned().await?,
            _memory: Arc::clone(&self.memory).acquire_many_owned(memory).await?,
        })
    }
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
        // One statement must always fit.
        let least = config.max_query_memory.0;
        let own_places = share(config, places.into());
        let own_memory = share(config, memory).max(least);
        let own_queued = share(config, config.max_queued.into());
        Self {
            all: Room::new(places.into(), memory.max(least), config.max_queued.into()),
            each: Shares::new(move || Room::new(own_places, own_memory, own_queued)),
            patience: config.max_queue_wait.0,
        }
    }

    /// Waits for a place and for so much memory, at most for the time that the server allows and the call has.
    pub(crate) async fn enter(
        &self,
        token_name: &Arc<str>,
        memory_bytes: u64,
        time_left: Duration,
    ) -> Result<Slot, Failure> {
        let memory = units(memory_bytes);
        let own = self.each.of(token_name);
        if let Some(of_own) = own.try_take(memory)
            && let Some(of_all) = self.all.try_take(memory)
        {
            return Ok(Slot {
                _of_all: of_all,
                _of_own: of_own,
                waited: Duration::ZERO,
            });
        }
        let retry_after = self.patience / 4;
        let _in_line = Arc::clone(&self.all.line)
            .try_acquire_owned()
            .map_err(|_| Failure::Busy {
                what: "statements",
                limit: self.all.limit,
                retry_after,
            })?;
        let _in_own_line =
            Arc::clone(&own.line)
                .try_acquire_owned()
                .map_err(|_| Failure::ShareTaken {
                    what: "statements",
                    limit: own.limit,
                    retry_after,
                })?;
        let began = Instant::now();
        let turn = async {
            // What waits for its own share holds nothing of the others'.
            let of_own = own.take(memory).await?;
            Ok::<_, AcquireError>((self.all.take(memory).await?, of_own))
        };
        let patience = self.patience.min(time_left);
        match tokio::time::timeout(patience, turn).await {
            Ok(Ok((of_all, of_own))) => Ok(Slot {
                _of_all: of_all,
                _of_own: of_own,
                waited: began.elapsed(),
            }),
            Ok(Err(_)) => Err(Failure::ShuttingDown),
            Err(_) if time_left <= self.patience => Err(Failure::Deadline),
            Err(_) => Err(Failure::WaitedTooLong {
                what: "a turn",
                waited: began.elapsed(),
                retry_after,
            }),
        }
    }

    /// How many statements wait.
    pub(crate) fn waiting(&self) -> usize {
        let free = self.all.line.available_permits();
        self.all.line_length.saturating_sub(free)
    }

    /// Bytes that are not reserved.
    pub(crate) fn memory_free(&self) -> u64 {
        self.all.memory.available_permits() as u64 * MEMORY_UNIT
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
        let first = slots.enter(&"one".into(), 1 << 20, LONG).await.unwrap();
        let waiting = tokio::spawn({
            let slots = Arc::clone(&slots);
            async move {
                slots
                    .enter(&"one".into(), 1 << 20, LONG)
                    .await
                    .map(|slot| slot.waited)
            }
        });
        while slots.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let third = slots.enter(&"one".into(), 1 << 20, LONG).await.map(drop);
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
        assert!(slots.enter(&"one".into(), 1 << 20, LONG).await.is_ok());
    }

    #[tokio::test]
    async fn memory_is_shared_by_all() {
        let slots = slots(10, 10, 20);
        let most = slots.enter(&"one".into(), 6 << 20, LONG).await.unwrap();
        assert!(slots.enter(&"one".into(), 2 << 20, LONG).await.is_ok());
        let more = slots.enter(&"one".into(), 3 << 20, LONG).await.map(drop);
        assert!(
            matches!(more, Err(Failure::WaitedTooLong { .. })),
            "{more:?}"
        );
        drop(most);
        assert!(slots.enter(&"one".into(), 3 << 20, LONG).await.is_ok());
        let late = slots
            .enter(&"one".into(), 9 << 20, Duration::from_millis(5))
            .await
            .map(drop);
        assert!(matches!(late, Err(Failure::Deadline)), "{late:?}");
    }

    #[tokio::test]
    async fn one_token_leaves_room_for_others() {
        let mut config = crate::Flags::default().resolve().unwrap();
        config.tokens = Some("tokens.toml".into());
        config.max_queued = 2;
        config.max_query_memory = crate::Size(1 << 20);
        let slots = Arc::new(Slots::new(&config, 4, 8 << 20));
        let (greedy, other): (Arc<str>, Arc<str>) = ("greedy".into(), "other".into());
        let mut held = Vec::new();
        for _ in 0..2 {
            held.push(slots.enter(&greedy, 1 << 20, LONG).await.unwrap());
        }
        let waiting = tokio::spawn({
            let (slots, greedy) = (Arc::clone(&slots), Arc::clone(&greedy));
            async move { slots.enter(&greedy, 1 << 20, LONG).await }
        });
        let line = async {
            while slots.waiting() == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(LONG, line).await.unwrap();
        let refused = slots.enter(&greedy, 1 << 20, LONG).await.map(drop);
        assert!(
            matches!(refused, Err(Failure::ShareTaken { limit: 3, .. })),
            "{refused:?}"
        );
        // Nobody else waits, also for memory.
        for memory in [1 << 20, 3 << 20] {
            let slot = slots.enter(&other, memory, LONG).await.unwrap();
            assert_eq!(slot.waited, Duration::ZERO);
            held.push(slot);
        }
        held.remove(0);
        waiting.await.unwrap().unwrap();
    }
}
