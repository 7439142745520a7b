//! The graph that is walked to find what is near: blocks of codes and links, and how they are linked.
//!
//! Nothing here knows sequences, filters or whole vectors: it works on slots and codes.

pub(crate) mod blocks;
pub(crate) mod code;
mod kept;
pub(crate) mod link;
mod nearest;
pub(crate) mod prune;
pub(crate) mod score;
pub(crate) mod upper;
mod visited;
pub(crate) mod walk;

use crate::error::IndexError;
use crate::metric::Metric;
use blocks::{Blocks, Layout};
use code::Code;
use link::{Linker, Linking, Starts, link};
use prune::Choice;
use score::Scorer;
use upper::{Upper, batches};
use walk::Walker;

/// A graph over codes, built in one go.
#[derive(Debug)]
pub struct Graph {
    blocks: Blocks,
    metric: Metric,
    upper: Upper,
    slots: u32,
}

/// How a graph is built.
#[derive(Clone, Copy, Debug)]
pub struct Building {
    /// How many links each node has at least room for.
    pub links: usize,
    /// How many a new node begins with.
    pub first_links: usize,
    /// How many nearest its links are chosen from.
    pub breadth: usize,
    /// How much nearer a chosen link must be to a candidate, to leave it out.
    pub slack: f32,
    /// How many threads build.
    pub threads: usize,
    /// Where chance begins.
    pub seed: u64,
}

struct FromAbove<'a>(&'a Upper, &'a Blocks);

impl Starts for FromAbove<'_> {
    fn find(&self, scorer: &Scorer<'_>, walker: &mut Walker, starts: &mut Vec<u32>) {
        self.0.descend(self.1, scorer, walker, starts);
        for start in &mut *starts {
            *start = self.0.slot(*start);
        }
        if starts.is_empty() {
            starts.push(0);
        }
    }
}

impl Graph {
    /// Encodes the vectors and links them.
    ///
    /// # Errors
    /// [`IndexError`], for a vector that cannot be compared or for want of memory.
    pub fn build(
        vectors: &[f32],
        dimensions: usize,
        metric: Metric,
        how: Building,
    ) -> Result<Self, IndexError> {
        let count = vectors.len() / dimensions;
        let blocks = Blocks::new(Layout::new(dimensions, metric, how.links), count as u32)?;
        let mut code = Code::default();
        for (slot, vector) in vectors.chunks_exact(dimensions).enumerate() {
            code.encode(vector, metric, dimensions)?;
            #[expect(unsafe_code, reason = "the slot is new")]
            // SAFETY: this thread has the blocks for itself.
            unsafe {
                blocks.fill(slot as u32, &code);
            }
        }
        let linking = Linking {
            choice: Choice {
                metric,
                slack: how.slack,
            },
            breadth: how.breadth,
            links: how.first_links,
            threads: how.threads,
        };
        let mut linkers = Vec::new();
        let mut upper = Upper::default();
        let mut built_at = 0;
        for batch in batches(0, count as u32) {
            if batch.start >= 1024 && batch.start >= 2 * built_at {
                built_at = batch.start;
                upper = Upper::build(&blocks, batch.start, how.seed, linking, &mut linkers);
            }
            link(
                &blocks,
                &blocks,
                linking,
                &FromAbove(&upper, &blocks),
                batch,
                &mut linkers,
            );
        }
        if count > built_at as usize && count > 0 {
            upper = Upper::build(&blocks, count as u32, how.seed, linking, &mut linkers);
        }
        Ok(Self {
            blocks,
            metric,
            upper,
            slots: count as u32,
        })
    }

    /// The slots that look nearest, the nearest first.
    ///
    /// # Errors
    /// [`IndexError`], for a query that cannot be compared.
    pub fn near(
        &self,
        query: &[f32],
        breadth: usize,
        room: &mut Room,
        found: &mut Vec<u32>,
    ) -> Result<(), IndexError> {
        room.code
            .encode(query, self.metric, self.blocks.layout().dimensions)?;
        let scorer = Scorer::new(&self.blocks, self.metric, &room.code);
        FromAbove(&self.upper, &self.blocks).find(&scorer, &mut room.walker, &mut room.starts);
        room.walker.walk(
            &self.blocks,
            self.slots,
            &self.blocks,
            &scorer,
            &room.starts,
            breadth,
        );
        found.clear();
        found.extend(room.walker.nearest.found().iter().map(|near| near.node()));
        Ok(())
    }

    /// How many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.slots as usize * self.blocks.layout().stride() + self.upper.bytes()
    }

    /// Mean links.
    #[must_use]
    pub fn mean_links(&self) -> f64 {
        let total: usize = (0..self.slots)
            .map(|slot| {
                self.blocks
                    .links(slot)
                    .iter()
                    .filter(|l| l.load(std::sync::atomic::Ordering::Relaxed) != u32::MAX)
                    .count()
            })
            .sum();
        total as f64 / f64::from(self.slots)
    }
}

/// Room to search in.
#[derive(Debug, Default)]
pub struct Room {
    code: Code,
    walker: Walker,
    starts: Vec<u32>,
}

impl Room {
    /// Distances and steps so far.
    #[must_use]
    pub fn work(&self) -> (u64, u64) {
        (self.walker.work.distances, self.walker.work.steps)
    }
}

#[cfg(test)]
mod tests;
