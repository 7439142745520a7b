//! Rows in order. Equal rows stay in the order in which they came.
//!
//! Where only the first are wanted, no more than some times as many are kept at any time.
//!
//! Next: `distinct.rs`.

use super::super::flat::row_count;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::eval::eval;
use crate::query::exec::memory::bytes_of_all;
use crate::query::exec::stage::{Input, Poll, Site};
use crate::query::expr::{Expr, Slot};
use crate::query::plan::SortKey;
use crate::value::Value;
use std::cmp::Ordering;

/// How many rows are skipped, and how many are given then, where that is said.
type Page<'e> = (Option<&'e Expr>, Option<&'e Expr>);

/// Rows that are kept beyond the wanted ones before they are cut off.
const SLACK: usize = 1024;

/// The rows so far, or those that are still to be given.
#[derive(Default)]
pub(in crate::query::exec) struct Sorting {
    rows: Vec<Sorted>,
    most: Option<usize>,
    begun: bool,
    giving: Option<std::vec::IntoIter<Sorted>>,
    bytes: usize,
    /// Whether the first rows, as many as are wanted, are in order: what is not before the last of them is not wanted.
    bounded: bool,
    /// The keys of a row that was not wanted, to be used again.
    spare: Vec<Value>,
}

struct Sorted {
    keys: Vec<Value>,
    kept: Vec<Value>,
    bytes: usize,
}

impl Sorting {
    /// One step.
    pub(in crate::query::exec) fn poll(
        &mut self,
        (by, (skip, limit), keep): (&[SortKey], Page<'_>, &[Slot]),
        input: &mut Input,
        site: &mut Site<'_, '_>,
    ) -> Result<Poll, Fault> {
        if !self.begun {
            self.begun = true;
            if let Some(limit) = limit {
                let skipped = match skip {
                    Some(skip) => row_count("SKIP", skip, site.context, &site.frame.argument)?,
                    None => 0,
                };
                let most = row_count("LIMIT", limit, site.context, &site.frame.argument)?;
                self.most = Some(most.saturating_add(skipped));
            }
        }
        if let Some(mut batch) = input.take() {
            for at in 0..batch.len() {
                self.add(by, keep, site, batch.row_mut(at))?;
            }
        }
        // Also if none is wanted: what is written before must be written.
        if !input.has_ended() {
            return Ok(Poll::Wants);
        }
        if self.giving.is_none() {
            self.cut(by);
            self.giving = Some(std::mem::take(&mut self.rows).into_iter());
        }
        let mut out = Batch::new(site.frame.width);
        for sorted in self.giving.iter_mut().flatten().take(site.frame.room) {
            let row = out.push(&site.frame.argument);
            for (slot, value) in keep.iter().zip(sorted.kept) {
                row[slot.at()] = value;
            }
        }
        if out.is_empty() {
            return Ok(Poll::Done);
        }
        Ok(Poll::Rows(out))
    }

    fn add(
        &mut self,
        by: &[SortKey],
        keep: &[Slot],
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        let mut keys = std::mem::take(&mut self.spare);
        keys.clear();
        for key in by {
            keys.push(eval(site.context, &key.expr, row)?);
        }
        if !self.wants(by, &keys) {
            self.spare = keys;
            return Ok(());
        }
        let kept = keep
            .iter()
            .map(|slot| std::mem::replace(&mut row[slot.at()], Value::Null));
        let kept: Vec<Value> = kept.collect();
        let bytes = size_of::<Sorted>() + bytes_of_all(&keys) + bytes_of_all(&kept);
        self.bytes += bytes;
        self.rows.push(Sorted { keys, kept, bytes });
        if self
            .most
            .is_some_and(|most| self.rows.len() >= most.saturating_mul(2).saturating_add(SLACK))
        {
            self.cut(by);
        }
        site.charge_in_all(self.bytes)
    }

    /// Whether a row with these keys may be among the first. One that is equal to the last of those came later.
    fn wants(&self, by: &[SortKey], keys: &[Value]) -> bool {
        let last = self.most.filter(|_| self.bounded);
        let last = last.and_then(|most| self.rows.get(most.checked_sub(1)?));
        last.is_none_or(|last| order(by, keys, &last.keys).is_lt())
    }

    /// Sorts, and keeps what is wanted.
    fn cut(&mut self, by: &[SortKey]) {
        // Stable: those that came first stay first, so that cutting off early changes nothing.
        self.rows
            .sort_by(|left, right| order(by, &left.keys, &right.keys));
        if let Some(most) = self.most {
            self.rows.truncate(most);
            self.bytes = self.rows.iter().map(|sorted| sorted.bytes).sum();
            self.bounded = true;
        }
    }
}

/// Which of two rows comes first.
fn order(by: &[SortKey], left: &[Value], right: &[Value]) -> Ordering {
    let pairs = left.iter().zip(right).zip(by);
    let mut orders = pairs.map(|((left, right), key)| {
        let order = left.order(right);
        if key.descending {
            order.reverse()
        } else {
            order
        }
    });
    orders
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
