//! The workload that the harnesses run, and the oracle that knows what must be there afterwards.
//!
//! Several writers commit numbered batches. What a batch changes is a pure function of the seed, the
//! writer, the number and what the batches before it have made, so that a harness needs to remember
//! only how far each writer came:
//!
//! ```text
//! writer:   let mut hand = Hand::take_up(&db, workload, writer, at)?;
//!           hand.commit(&db)?                          batch = at + 1, at + 2, ... then acknowledge
//! oracle:   let mut model = Model::new(workload, writer);  model.advance_to(acknowledged);
//!           verify(&db, &model, attempted)?            -> Exact, Lost or Torn
//! ```
//! Most writers write a [`graph`]; one writes [`keys`] below it, so that both floors are covered.
//! [`hand`] is the writer's side, [`model`] the oracle's. Nothing here may trust what the database
//! says about itself: progress only shortens the search for a culprit.

mod difference;
pub mod graph;
mod hand;
pub mod keys;
mod model;

pub use difference::Difference;
pub use hand::Hand;
pub use model::{Found, Model, Verdict, judge, verify};

use std::fmt;

/// How many writers the harnesses run.
pub const WRITERS: u32 = 4;
/// The one that writes keys, where others write a graph. Not the first, which always works, and not
/// the last, which often rests.
const OF_KEYS: Writer = Writer(1);

/// One of the writers. Each has its own part of the graph, or of the key space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Writer(pub u32);

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "writer {}", self.0)
    }
}

/// A batch by its number. Writers start with 1; 0 is the state before any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BatchNumber(pub u64);

impl BatchNumber {
    /// The batch after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for BatchNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What a writer writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nodes and relationships, through graph transactions.
    Graph,
    /// Pairs of families, through transactions over keys.
    Keys,
}

/// What the writers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workload {
    seed: u64,
    bulk_loads: bool,
    graph: bool,
}

impl Workload {
    /// The workload of `seed`: graph writers and one of keys, with a bulk load now and then.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            bulk_loads: true,
            graph: true,
        }
    }

    /// The workload of `seed` in which every writer writes keys.
    #[must_use]
    pub fn of_keys(seed: u64) -> Self {
        Self {
            graph: false,
            ..Self::new(seed)
        }
    }

    /// The same with transactions only. A database sees one or the other, never both.
    #[must_use]
    pub fn without_bulk_loads(self) -> Self {
        Self {
            bulk_loads: false,
            ..self
        }
    }

    /// What that writer writes.
    #[must_use]
    pub fn kind(self, writer: Writer) -> Kind {
        if self.graph && writer != OF_KEYS {
            Kind::Graph
        } else {
            Kind::Keys
        }
    }

    /// Whether the batch is one of a period, early in which the writer has its first: short runs have
    /// one too. Different `what` come at different times.
    fn is_due(self, writer: Writer, batch: BatchNumber, period: u64, what: u64) -> bool {
        let first = 1 + mix(&[self.seed, u64::from(writer.0), what]) % (period - 1);
        batch.0 % period == first
    }

    /// The source of randomness of one batch for one purpose.
    fn rng(self, writer: Writer, batch: BatchNumber, purpose: u64) -> fastrand::Rng {
        let parts = [self.seed, u64::from(writer.0), batch.0, purpose];
        fastrand::Rng::with_seed(mix(&parts))
    }
}

/// Mixes numbers into one, as splitmix64 does, so that neighbours have nothing in common.
fn mix(parts: &[u64]) -> u64 {
    parts
        .iter()
        .fold(0x9E37_79B9_7F4A_7C15, |state: u64, part| {
            let mut mixed = (state ^ part).wrapping_add(0x9E37_79B9_7F4A_7C15);
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        })
}
