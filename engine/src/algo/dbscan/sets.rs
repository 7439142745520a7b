//! Disjoint sets of rows that merge: which cores share a cluster.
//!
//! The smallest row of a set is its root, always; so merging the same pairs in any order gives the
//! same roots, and threads may merge apart and join later. Next: `exact.rs`.

/// A partition of rows.
#[derive(Debug, Clone)]
pub(super) struct Sets {
    /// A row of the same set, at most as large; the row itself at the root.
    parent: Vec<u32>,
}

impl Sets {
    /// Every row alone.
    pub(super) fn new(rows: usize) -> Self {
        Self {
            parent: (0..rows as u32).collect(),
        }
    }

    /// The smallest row of the set of `row`.
    pub(super) fn root(&mut self, mut row: u32) -> u32 {
        while self.parent[row as usize] != row {
            // Halving the path on the way keeps later ways short.
            let above = self.parent[self.parent[row as usize] as usize];
            self.parent[row as usize] = above;
            row = above;
        }
        row
    }

    /// Merges the sets of two rows.
    pub(super) fn merge(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// Merges what `other` has merged.
    pub(super) fn absorb(&mut self, other: &Self) {
        for (row, &parent) in (0u32..).zip(&other.parent) {
            self.merge(row, parent);
        }
    }
}
