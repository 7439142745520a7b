//! What each operator of a query has done, for `PROFILE`.
//!
//! An operator is known by its address in the plan, which stays where it is while the query runs. What is spent
//! within a nested operator is its own and not that of the operator around it.
//!
//! Next: `stage.rs`.

use crate::query::plan::Op;
use crate::query::result::OperatorWork;
use std::collections::HashMap;
use std::time::Duration;

/// What the operators have done so far.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    works: HashMap<usize, OperatorWork>,
    /// What was spent within the operator that is running.
    nested: Spent,
}

/// What is counted for the whole query, and shared out among its operators.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) seeks: u64,
    pub(super) properties: u64,
    pub(super) read_bytes: u64,
    pub(super) distances: u64,
    pub(super) time: Duration,
}

impl Spent {
    fn less(self, other: Self) -> Self {
        Self {
            seeks: self.seeks.saturating_sub(other.seeks),
            properties: self.properties.saturating_sub(other.properties),
            read_bytes: self.read_bytes.saturating_sub(other.read_bytes),
            distances: self.distances.saturating_sub(other.distances),
            time: self.time.saturating_sub(other.time),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            seeks: self.seeks + other.seeks,
            properties: self.properties + other.properties,
            read_bytes: self.read_bytes + other.read_bytes,
            distances: self.distances + other.distances,
            time: self.time + other.time,
        }
    }
}

/// How things stood when an operator was asked.
pub(super) struct Mark {
    before: Spent,
    around: Spent,
}

/// What an operator is known by.
pub(crate) fn key_of(op: &Op) -> usize {
    std::ptr::from_ref(op).addr()
}

impl Profile {
    /// An operator is asked now.
    pub(super) fn begin(&mut self, now: Spent) -> Mark {
        Mark {
            before: now,
            around: std::mem::take(&mut self.nested),
        }
    }

    /// It has answered with so many rows, and holds so many bytes.
    pub(super) fn end(&mut self, op: &Op, mark: &Mark, now: Spent, rows: usize, bytes: usize) {
        let all = now.less(mark.before);
        let own = all.less(self.nested);
        self.nested = mark.around.and(all);
        let work = self.works.entry(key_of(op)).or_default();
        work.rows += rows as u64;
        work.batches += u64::from(rows > 0);
        work.seeks += own.seeks;
        work.properties += own.properties;
        work.read_bytes += own.read_bytes;
        work.distances += own.distances;
        work.time += own.time;
        work.memory_bytes = work.memory_bytes.max(bytes as u64);
    }

    /// What an operator has done.
    pub(crate) fn work(&self, key: usize) -> OperatorWork {
        self.works.get(&key).copied().unwrap_or_default()
    }
}
