//! A batch: some rows, flat in one list of values.
//!
//! Next: `pipeline.rs`.

use crate::value::Value;

/// Some rows of the same width.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    width: usize,
    /// Counted, because rows may have no slots at all.
    rows: usize,
    values: Vec<Value>,
}

impl Batch {
    /// No rows yet.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            width,
            rows: 0,
            values: Vec::new(),
        }
    }

    /// One row.
    pub(crate) fn of(row: Vec<Value>) -> Self {
        Self {
            width: row.len(),
            rows: 1,
            values: row,
        }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// One of the rows.
    pub(crate) fn row(&self, at: usize) -> &[Value] {
        &self.values[at * self.width..(at + 1) * self.width]
    }

    /// One of the rows, to change it.
    pub(crate) fn row_mut(&mut self, at: usize) -> &mut [Value] {
        &mut self.values[at * self.width..(at + 1) * self.width]
    }

    /// All of them, in order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[Value]> {
        (0..self.rows).map(|at| self.row(at))
    }

    /// Adds a copy of a row, and gives it to be changed.
    pub(crate) fn push(&mut self, row: &[Value]) -> &mut [Value] {
        self.values.extend_from_slice(row);
        self.rows += 1;
        self.row_mut(self.rows - 1)
    }

    /// Adds the rows of another batch.
    pub(crate) fn append(&mut self, mut other: Self) {
        if self.is_empty() {
            *self = other;
            return;
        }
        self.rows += other.rows;
        self.values.append(&mut other.values);
    }

    /// Keeps the first rows only.
    pub(crate) fn truncate(&mut self, rows: usize) {
        if rows < self.rows {
            self.rows = rows;
            self.values.truncate(rows * self.width);
        }
    }

    /// Removes the first rows.
    pub(crate) fn drop_first(&mut self, rows: usize) {
        let rows = rows.min(self.rows);
        self.rows -= rows;
        self.values.drain(..rows * self.width);
    }

    /// Puts the row that stands at `from` to `to`, which is not after it. The row at `from` is nobody's then.
    pub(crate) fn pull_forward(&mut self, from: usize, to: usize) {
        if from != to {
            let (before, after) = self.values.split_at_mut(from * self.width);
            before[to * self.width..(to + 1) * self.width]
                .swap_with_slice(&mut after[..self.width]);
        }
    }
}
