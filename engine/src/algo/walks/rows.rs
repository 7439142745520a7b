//! Whom each node is linked to: rows that somebody else holds, whole or as far as they were read.
//!
//! Next: `figure.rs`.

use crate::algo::Adjacency;

/// The rows of one direction. Each is sorted, with an entry for each relationship.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    /// Where the row of each place begins and ends.
    begins: &'a [u32],
    ends: &'a [u32],
    /// Without any, only the lengths of the rows are known.
    targets: &'a [u32],
}

impl<'a> Rows<'a> {
    /// Rows with such bounds. Without targets they can be counted and not walked.
    pub(crate) fn new(begins: &'a [u32], ends: &'a [u32], targets: &'a [u32]) -> Self {
        Self {
            begins,
            ends,
            targets,
        }
    }

    /// No rows at all, where nobody asks for any.
    pub(crate) fn none() -> Self {
        Self::new(&[], &[], &[])
    }

    /// The rows of a direction of a projection.
    pub(crate) fn of(adjacency: &'a Adjacency) -> Self {
        let offsets = adjacency.offsets();
        Self {
            begins: offsets,
            ends: offsets.get(1..).unwrap_or_default(),
            targets: adjacency.targets(),
        }
    }

    fn bounds(self, place: u32) -> (usize, usize) {
        let at = place as usize;
        match (self.begins.get(at), self.ends.get(at)) {
            (Some(begin), Some(end)) => (*begin as usize, *end as usize),
            _ => (0, 0),
        }
    }

    /// The row of a place.
    #[inline]
    pub(super) fn row(self, place: u32) -> &'a [u32] {
        let (begin, end) = self.bounds(place);
        self.targets.get(begin..end).unwrap_or_default()
    }

    /// How long it is.
    #[inline]
    pub(super) fn degree(self, place: u32) -> usize {
        let (begin, end) = self.bounds(place);
        end.saturating_sub(begin)
    }

    /// How many relationships lead from one place to another.
    pub(super) fn between(self, near: u32, far: u32) -> u64 {
        let row = self.row(near);
        let from = row.partition_point(|one| *one < far);
        run_of(&row[from..], far) as u64
    }

    /// How many relationships a place has with itself.
    #[inline]
    pub(super) fn loops(self, place: u32) -> u64 {
        /// Going through so many entries takes no longer than halving them.
        const SHORT: usize = 64;
        let row = self.row(place);
        match row.len() <= SHORT {
            true => row.iter().filter(|far| **far == place).count() as u64,
            false => self.between(place, place),
        }
    }
}

/// How often a row begins with this.
#[inline]
pub(super) fn run_of(row: &[u32], far: u32) -> usize {
    row.iter().take_while(|one| **one == far).count()
}
