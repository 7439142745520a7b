//! What the planner asks about the graph, answered by a transaction.
//!
//! Next: `compile.rs`.

use super::plan::Statistics;
use crate::catalog::{Catalog, IndexDef};
use crate::error::{Error, Result};
use crate::graph::Read;
use std::cell::RefCell;

/// Counts of one transaction. What could not be read is told at the end: a plan is made of numbers.
pub(super) struct Counts<'a, R> {
    read: &'a R,
    failed: RefCell<Option<Error>>,
}

impl<'a, R: Read> Counts<'a, R> {
    pub(super) fn new(read: &'a R) -> Self {
        Self {
            read,
            failed: RefCell::new(None),
        }
    }

    /// Whether everything could be read.
    pub(super) fn finish(self) -> Result<()> {
        match self.failed.into_inner() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn number(&self, count: Result<u64>) -> u64 {
        count.unwrap_or_else(|error| {
            self.failed.borrow_mut().get_or_insert(error);
            0
        })
    }
}

impl<R: Read> Statistics for Counts<'_, R> {
    fn catalog(&self) -> &Catalog {
        self.read.catalog()
    }

    fn nodes(&self) -> u64 {
        self.number(self.read.node_count(None))
    }

    fn labelled(&self, label: &str) -> u64 {
        self.number(self.read.node_count(Some(label)))
    }

    fn relationships(&self, of: Option<&str>) -> u64 {
        self.number(self.read.relationship_count(of))
    }

    fn entries(&self, index: &IndexDef) -> u64 {
        let lookup = self.read.index(&index.name);
        self.number(lookup.and_then(|lookup| lookup.entries()))
    }

    fn found_by(&self, index: &IndexDef) -> u64 {
        if index.unique {
            return 1;
        }
        let lookup = self.read.index(&index.name);
        let distinct = lookup.and_then(|lookup| lookup.distinct());
        self.entries(index) / self.number(distinct).max(1) + 1
    }
}
