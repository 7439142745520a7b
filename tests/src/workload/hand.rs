//! The writer's side: commits one batch after another.

use super::graph::GraphHand;
use super::{BatchNumber, Kind, Workload, Writer, keys};
use anyhow::Result;
use stratigraph::Database;
use stratigraph::codec::CommitSeq;

/// A writer at work in one process. It knows which batch comes next.
pub struct Hand {
    workload: Workload,
    writer: Writer,
    batch: BatchNumber,
    /// What a graph writer needs to know of its part; one of keys needs nothing.
    graph: Option<GraphHand>,
}

impl Hand {
    /// Goes on after batch `at`, which is the last one in the database. Declares what the writer
    /// needs, as far as it is not declared.
    ///
    /// # Errors
    /// Whatever the database refuses, and if it is not at that batch.
    pub fn take_up(
        db: &Database,
        workload: Workload,
        writer: Writer,
        at: BatchNumber,
    ) -> Result<Self> {
        let graph = match workload.kind(writer) {
            Kind::Graph => Some(GraphHand::take_up(db, workload, writer, at)?),
            Kind::Keys => None,
        };
        Ok(Self {
            workload,
            writer,
            batch: at,
            graph,
        })
    }

    /// The last batch that was committed.
    #[must_use]
    pub fn batch(&self) -> BatchNumber {
        self.batch
    }

    /// Commits the next batch. After an error the hand is where it was.
    ///
    /// # Errors
    /// Whatever the database refuses, as a [`stratigraph::Error`] inside; and if a graph transaction
    /// sees something else than what is there.
    pub fn commit(&mut self, db: &Database) -> Result<CommitSeq> {
        let next = self.batch.next();
        let commit = match &mut self.graph {
            Some(graph) => graph.commit(db, self.workload, self.writer, next)?,
            None => keys::commit(db, self.workload, self.writer, next)?,
        };
        self.batch = next;
        Ok(commit)
    }
}
