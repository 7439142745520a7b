//! When rows must wait.
//!
//! Each clause works on all rows of the one before it. Operators pull rows one batch after the other, so a
//! clause that writes could be seen by the one that is still reading before it, and one that reads could
//! miss what is yet to be written. Where that might be, all rows are gathered in between.
//!
//! Also kept here is what rows are in order by, as long as nothing brings them out of it.
//!
//! Next: `matching.rs`.

use super::{Op, SortKey};
use crate::query::expr::{Expr, Slot};

/// The operators of one arm so far.
#[derive(Default)]
pub(super) struct Flow {
    ops: Vec<Op>,
    /// The slots that are filled and may be read later.
    filled: Vec<Slot>,
    /// Whether rows come straight from reading the graph, so that a write could be seen by it.
    reads: bool,
    /// Whether rows come straight from writing, so that later rows are still to be written.
    writes: bool,
    /// What rows are in order by; nothing if that is not known.
    sorted: Vec<SortKey>,
}

impl Flow {
    pub(super) fn push(&mut self, op: Op) {
        if !keeps_order(&op) {
            self.sorted.clear();
        }
        self.ops.push(op);
    }

    pub(super) fn extend(&mut self, ops: Vec<Op>) {
        ops.into_iter().for_each(|op| self.push(op));
    }

    /// The last operator so far.
    pub(super) fn last_mut(&mut self) -> Option<&mut Op> {
        self.ops.last_mut()
    }

    /// Takes the last operator away.
    pub(super) fn pop(&mut self) {
        self.ops.pop();
    }

    /// Rows are in order by this from here on.
    pub(super) fn sorted_by(&mut self, keys: Vec<SortKey>) {
        self.sorted = keys;
    }

    /// Whether rows are in order by this.
    pub(super) fn is_sorted_by(&self, keys: &[SortKey]) -> bool {
        let mut pairs = self.sorted.iter().zip(keys);
        keys.len() <= self.sorted.len()
            && pairs.all(|(known, key)| {
                known.descending == key.descending && known.expr.same(&key.expr)
            })
    }

    /// Slots that are filled from here on.
    pub(super) fn fill(&mut self, slots: &[Slot]) {
        let mut sorted = self.sorted.iter();
        if sorted.any(|key| slots.iter().any(|slot| key.expr.reads(*slot))) {
            self.sorted.clear();
        }
        self.filled.extend(slots);
    }

    pub(super) fn filled(&self) -> Vec<Slot> {
        self.filled.clone()
    }

    /// Only these are read from here on.
    pub(super) fn renew(&mut self, slots: Vec<Slot>) {
        self.filled = slots;
    }

    /// All rows were gathered.
    pub(super) fn gathered(&mut self) {
        (self.reads, self.writes) = (false, false);
    }

    /// The graph is read next.
    pub(super) fn before_reading(&mut self) {
        if self.writes {
            self.gather("what follows sees all that was written");
        }
        self.reads = true;
    }

    /// Something is computed next.
    pub(super) fn reading(&mut self, exprs: &[&Expr]) {
        if exprs.iter().any(|expr| expr.reads_graph()) {
            self.before_reading();
        }
    }

    /// The graph is written next; whether what is written is computed from the graph.
    pub(super) fn before_writing(&mut self, computed: bool) {
        if self.reads {
            self.gather("what was matched must not see what is written");
        } else if self.writes && computed {
            self.gather("what is written next sees all that was written before");
        }
        self.writes = true;
        // What computes while it writes has rows that are still to read: they must not see the next writing.
        self.reads = computed;
    }

    fn gather(&mut self, why: &'static str) {
        let mut keep = self.filled.clone();
        keep.sort();
        keep.dedup();
        self.ops.push(Op::Eager { keep, why });
        self.gathered();
    }

    pub(super) fn finish(self) -> Vec<Op> {
        self.ops
    }
}

/// Whether an operator gives rows in the order of those that it makes them of, and changes nothing.
fn keeps_order(op: &Op) -> bool {
    matches!(
        op,
        Op::Filter(_)
            | Op::Compute(_)
            | Op::Skip(_)
            | Op::Limit(_)
            | Op::Distinct(_)
            | Op::Unwind { .. }
            | Op::Scan { .. }
            | Op::ScanRelationships { .. }
            | Op::Expand(_)
            | Op::Ends(_)
            | Op::Optional { .. }
    )
}
