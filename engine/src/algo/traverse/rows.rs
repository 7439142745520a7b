//! What a traversal returns: rows in their fixed order, and what it cost.
//!
//! Rows are held as columns, because there may be millions; a [`Row`] is put together when it is
//! looked at.

use super::arrivals::ArrivalColumns;
use super::roots::RootsColumn;
use super::scorer::ArrivalView;
use super::trail::{Path, Trail};
use super::verdict::{Status, nullable};
use crate::value::{NodeId, RelationshipId};
use std::collections::BTreeMap;

/// The rows of a traversal: by level, then score descending with null last, then id.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub(super) nodes: Vec<NodeId>,
    pub(super) scores: Vec<f64>,
    pub(super) statuses: Vec<Status>,
    /// Levels that have rows, and where their rows end.
    pub(super) levels: Vec<(u32, usize)>,
    /// The ranks of the rows of those levels on which they are not simply 1, 2, 3, ...
    pub(super) ranks: BTreeMap<u32, Vec<usize>>,
    /// One entry per row, which means nothing where the row has no parent.
    pub(super) arrivals: Option<ArrivalColumns>,
    pub(super) trail: Option<Trail>,
    pub(super) roots: Option<RootsColumn>,
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The node.
    pub node: NodeId,
    /// The level.
    pub level: u32,
    /// The score; nothing is null.
    pub score: Option<f64>,
    /// What happened to the candidate.
    pub status: Status,
    /// The best arrival, which has `parent` and `edge`; none for roots and recovered nodes, and none
    /// at all unless [`Columns`](super::Columns) asked for arrivals or paths.
    pub arrival: Option<ArrivalView<'a>>,
    /// Its place among all candidates of its level, from 1 on, whichever of them have rows.
    pub rank: usize,
    rows: &'a Rows,
    at: usize,
}

impl<'a> Row<'a> {
    /// The parent in the best arrival.
    #[must_use]
    pub fn parent(&self) -> Option<NodeId> {
        self.arrival.map(|way| way.parent)
    }

    /// The relationships of the best arrival, first to last.
    #[must_use]
    pub fn edge(&self) -> Option<Vec<RelationshipId>> {
        self.arrival.map(|way| {
            let via = way.via.iter().map(|hop| hop.relationship);
            via.chain([way.relationship]).collect()
        })
    }

    /// The chain of best arrivals from a root or a recovered node; none unless it was asked for.
    #[must_use]
    pub fn path(&self) -> Option<Path> {
        let trail = self.rows.trail.as_ref()?;
        Some(trail.path(self.node, self.level, self.arrival))
    }

    /// The roots from which steps through admitted nodes lead here, ascending; none unless they
    /// were asked for.
    #[must_use]
    pub fn roots(&self) -> Option<&'a [NodeId]> {
        self.rows.roots.as_ref()?.get(self.at)
    }
}

impl Rows {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The column `node`.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// One row.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<Row<'_>> {
        let index = self.levels.partition_point(|(_, end)| *end <= at);
        let (level, _) = *self.levels.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => self.levels.get(before)?.1,
            None => 0,
        };
        self.row(at, level, at - start)
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        let starts = [0]
            .into_iter()
            .chain(self.levels.iter().map(|(_, end)| *end));
        (self.levels.iter().zip(starts)).flat_map(move |((level, end), start)| {
            (start..*end).filter_map(move |at| self.row(at, *level, at - start))
        })
    }

    /// The row at a place, which is the one at `place` of its level.
    fn row(&self, at: usize, level: u32, place: usize) -> Option<Row<'_>> {
        let status = *self.statuses.get(at)?;
        let ranks = self.ranks.get(&level);
        let rank = ranks.and_then(|ranks| ranks.get(place)).copied();
        let reached = level > 0 && status != Status::Recovered;
        let arrivals = self.arrivals.as_ref().filter(|_| reached);
        Some(Row {
            node: *self.nodes.get(at)?,
            level,
            score: nullable(*self.scores.get(at)?),
            status,
            arrival: arrivals.and_then(|arrivals| arrivals.get(at)),
            rank: rank.unwrap_or(place + 1),
            rows: self,
            at,
        })
    }
}

/// What a traversal did; the counts are the same every time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Levels that were completed.
    pub levels: u32,
    /// Candidates of those levels; a node that came back counts again.
    pub candidates: u64,
    /// Nodes admitted.
    pub admitted: u64,
    /// Nodes whose steps were read.
    pub expanded: u64,
    /// Arrivals read, also those at admitted nodes. Where a budget ended the traversal, those of the
    /// last level only until it was noticed: with a budget of nodes that depends on the order in
    /// which the steps hand them over, so there it is the same for the same [`Steps`](super::Steps)
    /// alone.
    pub edges_read: u64,
    /// Members that RECOVER looked at because they were not admitted.
    pub recover_scanned: u64,
    /// Scores asked of scorers: nodes, or arrivals where a scorer looks at those.
    pub scored: u64,
    /// The budget ended before the traversal, or the stepper was finished early.
    pub truncated: bool,
}

/// Rows, and what they cost.
#[derive(Clone, Debug, Default)]
pub struct Traversal {
    /// The rows.
    pub rows: Rows,
    /// What was done for them.
    pub summary: Summary,
}
