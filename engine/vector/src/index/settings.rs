//! What an index is like, and how to ask for one.

use crate::codes::MAX_DIMENSIONS;
use crate::coding::Coding;
use crate::error::IndexError;
use crate::metric::Metric;
use crate::originals::{Originals, Told};
use std::path::PathBuf;
use std::sync::Arc;

/// Memory for somewhat more than ten million vectors of 384 dimensions.
const DEFAULT_MEMORY: usize = 8 << 30;

/// Where the vectors themselves are, by which the best are told apart at the end of a search.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Rerank {
    /// In memory: the fastest, and the largest.
    #[default]
    Memory,
    /// In a file that is mapped into memory, so that the system keeps what is asked for often. It belongs to
    /// the index and must be there when a snapshot is loaded, which only tells by what to know each vector.
    /// One that is not as it was written is never used: see [`Index::mend`](crate::Index::mend).
    File(PathBuf),
    /// Wherever the caller has them.
    Custom(Arc<dyn Originals>),
}

/// How an index is made.
///
/// ```
/// use stratigraph_vector::{Metric, Settings};
///
/// let index = Settings::new(3, Metric::Cosine).memory_limit(1 << 20).build()?;
/// index.insert(1, 77, &[0.0, 3.0, 4.0])?;
/// # Ok::<(), stratigraph_vector::IndexError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "settings make nothing until `build` is called"]
pub struct Settings {
    pub(crate) dimensions: usize,
    pub(crate) metric: Metric,
    pub(crate) coding: Coding,
    pub(crate) links: usize,
    pub(crate) breadth: usize,
    pub(crate) memory_limit: usize,
    pub(crate) threads: usize,
    pub(crate) seed: u64,
    pub(crate) rerank: Rerank,
}

impl Settings {
    /// An index of vectors with so many dimensions, compared by a metric.
    pub fn new(dimensions: usize, metric: Metric) -> Self {
        Self {
            dimensions,
            metric,
            coding: Coding::best_for(dimensions),
            links: 16,
            breadth: 128,
            memory_limit: DEFAULT_MEMORY,
            threads: 1,
            seed: 0,
            rerank: Rerank::Memory,
        }
    }

    /// What walks read of a vector; the default depends on the dimensions.
    pub fn coding(mut self, coding: Coding) -> Self {
        self.coding = coding;
        self
    }

    /// How many links a vector begins with; it may get about twice as many. Known as M; 16 is the default.
    pub fn links(mut self, links: usize) -> Self {
        self.links = links;
        self
    }

    /// From how many near ones a vector's links are chosen. Known as `ef_construction`; 128 is the default.
    pub fn breadth(mut self, breadth: usize) -> Self {
        self.breadth = breadth;
        self
    }

    /// How many bytes the index may take; 8 GiB is the default. Vectors in a file do not count.
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// How many threads link, and answer many queries at once; 1 is the default. No outcome depends on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Where chance begins. Equal seeds and equal calls give equal indexes.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Where the vectors themselves are; in memory by default. Vectors that are coded whole need no other place.
    pub fn rerank(mut self, rerank: Rerank) -> Self {
        self.rerank = rerank;
        self
    }

    /// What a snapshot says of each vector.
    pub(crate) fn told(&self) -> Told {
        match self.rerank {
            _ if self.coding == Coding::Whole => Told::Nothing,
            Rerank::Memory => Told::Whole,
            Rerank::File(_) => Told::Seal,
            Rerank::Custom(_) => Told::Nothing,
        }
    }

    pub(crate) fn check(&self) -> Result<(), IndexError> {
        let within = |setting, value, least, most, wanted| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                Err(IndexError::BadSetting {
                    setting,
                    value,
                    wanted,
                })
            }
        };
        within(
            "dimensions",
            self.dimensions,
            1,
            MAX_DIMENSIONS,
            "from 1 to 65,535",
        )?;
        within("links", self.links, 2, 256, "from 2 to 256")?;
        within("breadth", self.breadth, 1, 10_000, "from 1 to 10,000")?;
        within("threads", self.threads, 1, 1024, "from 1 to 1,024")
    }
}
