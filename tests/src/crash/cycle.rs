//! The random choices of one cycle: a pure function of the run's seed and the cycle's number, so
//! that parent and child draw the same.

use crate::driver;
use crate::driver::disturb::Disturbance;
use crate::workload::WRITERS;
use std::time::Duration;
use stratigraph::{Database, DatabaseBuilder, Durability};

/// How the parent looks at the database after the kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inspection {
    /// Read-only, and nothing else: the next child recovers what this one left.
    ReadOnly,
    /// Read-only first, then for writing.
    Both,
    /// For writing, which recovers at once.
    Writing,
}

/// One cycle's choices.
#[derive(Debug, Clone, Copy)]
pub struct Cycle {
    /// The run's seed.
    pub seed: u64,
    /// The cycle's number.
    pub number: u64,
    /// How many of the writers write.
    pub writers: u32,
    /// What goes on beside them.
    pub disturbance: Option<Disturbance>,
    /// How long the child may work after it has opened the database.
    pub work: Duration,
    /// Whether a second child is killed during recovery.
    pub kill_in_recovery: bool,
    /// When: as a part of the time that opening took before, in percent.
    pub recovery_percent: u32,
    /// How the parent looks at it.
    pub inspection: Inspection,
    write_buffer_bytes: usize,
    cache_bytes: usize,
    background_threads: u16,
    durability: Durability,
}

impl Cycle {
    /// Draws the cycle's choices.
    #[must_use]
    pub fn draw(seed: u64, number: u64) -> Self {
        let mut rng = driver::rng(seed, number, "cycle");
        Self {
            seed,
            number,
            writers: rng.u32(1..=WRITERS),
            disturbance: match rng.u8(..10) {
                0..2 => Some(Disturbance::Flush),
                2..4 => Some(Disturbance::Compact),
                4 => Some(Disturbance::Backup),
                _ => None,
            },
            // Short ones hit what happens right after the open; all leave time for a commit or two.
            work: Duration::from_millis(rng.u64(5..300)),
            kill_in_recovery: rng.u8(..5) == 0,
            recovery_percent: rng.u32(5..95),
            inspection: match rng.u8(..4) {
                0 => Inspection::ReadOnly,
                1 => Inspection::Both,
                _ => Inspection::Writing,
            },
            // From a flush with every commit to one that hardly ever comes, and a long log to replay.
            write_buffer_bytes: 64 << (10 + rng.u32(0..=10)),
            cache_bytes: 1 << rng.u32(16..25),
            background_threads: rng.u16(1..=3),
            durability: match rng.u8(..4) {
                0 => Durability::Periodic(Duration::from_millis(rng.u64(1..50))),
                _ => Durability::Commit,
            },
        }
    }

    /// A builder with the cycle's options.
    pub fn builder(&self) -> DatabaseBuilder {
        Database::builder()
            .write_buffer_bytes(self.write_buffer_bytes)
            .cache_bytes(self.cache_bytes)
            .background_threads(self.background_threads)
            .durability(self.durability)
            // A reserve of 64 MiB in each directory proves nothing here and takes its time.
            .disk_reserve_bytes(0)
    }

    /// A source of randomness of this cycle for one purpose.
    #[must_use]
    pub fn rng(&self, purpose: &str) -> fastrand::Rng {
        driver::rng(self.seed, self.number, purpose)
    }
}
