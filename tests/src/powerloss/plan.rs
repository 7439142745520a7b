//! The random choices of one recording: a pure function of the run's seed and its number, so that
//! parent and child draw the same.

use crate::driver;
use crate::driver::disturb::Disturbance;
use crate::workload::{WRITERS, Workload};
use stratigraph::{Database, DatabaseBuilder, Durability};

/// So many images are taken of each recording.
pub const IMAGES_PER_RECORDING: u64 = 25;
/// So many recordings work on one database, each from an image of the one before it.
const RECORDINGS_PER_CHAIN: u64 = 4;

/// One recording's choices.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The run's seed.
    pub seed: u64,
    /// The number of the recording.
    pub number: u64,
    /// How many of the writers write.
    pub writers: u32,
    /// How many batches each of them writes.
    pub batches: u64,
    /// What goes on beside them.
    pub disturbance: Option<Disturbance>,
    /// Whether the database lies on a disk, instead of in memory.
    pub on_disk: bool,
    write_buffer_bytes: usize,
    background_threads: u16,
}

impl Plan {
    /// Draws the choices of a recording.
    #[must_use]
    pub fn draw(seed: u64, number: u64) -> Self {
        let mut rng = driver::rng(seed, number, "plan");
        let writers = rng.u32(1..=WRITERS);
        Self {
            seed,
            number,
            writers,
            batches: rng.u64(100..200) / u64::from(writers),
            disturbance: match rng.u8(..8) {
                0..2 => Some(Disturbance::Flush),
                2..4 => Some(Disturbance::Compact),
                4 => Some(Disturbance::Backup),
                _ => None,
            },
            on_disk: number.is_multiple_of(2),
            write_buffer_bytes: 64 << (10 + rng.u32(0..=4)),
            background_threads: rng.u16(1..=3),
        }
    }

    /// Whether the recording begins with nothing, instead of an image of the one before it.
    #[must_use]
    pub fn begins_with_nothing(&self) -> bool {
        self.number.is_multiple_of(RECORDINGS_PER_CHAIN)
    }

    /// What the writers write: the same for all recordings that work on one database.
    #[must_use]
    pub fn workload(&self) -> Workload {
        let chain = self.number / RECORDINGS_PER_CHAIN;
        let workload = Workload::new(driver::rng(self.seed, chain, "workload").u64(..));
        if chain % 4 == 3 {
            workload.without_bulk_loads()
        } else {
            workload
        }
    }

    /// A builder with the recording's options.
    pub fn builder(&self) -> DatabaseBuilder {
        Database::builder()
            .write_buffer_bytes(self.write_buffer_bytes)
            .cache_bytes(1 << 20)
            .background_threads(self.background_threads)
            .durability(Durability::Commit)
            // It is set aside with a raw system call, which the recorder does not see.
            .disk_reserve_bytes(0)
    }

    /// A source of randomness of this recording for one purpose.
    #[must_use]
    pub fn rng(&self, purpose: &str) -> fastrand::Rng {
        driver::rng(self.seed, self.number, purpose)
    }
}
