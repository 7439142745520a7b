//! What an index finds, for each row.
//!
//! Rows often ask for the same: then what was found for the row before is given again, as long as nothing was
//! written in between. Where only what is looked for differs, what may be found is kept.
//!
//! Next: `found.rs`.

mod found;

use super::Flat;
use crate::codec::CommitSeq;
use crate::query::counters::Counters;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::context::Context;
use crate::query::exec::kind::Kind;
use crate::query::exec::stage::Site;
use crate::query::expr::Slot;
use crate::query::plan::Search;
use crate::value::Value;
use found::{Allowed, find};
use std::sync::Arc;

/// What was found for a row, and what of it is still to be given.
#[derive(Default)]
pub(in crate::query::exec) struct Searching {
    /// Numbers and scores, the best first.
    hits: Arc<[(u64, f64)]>,
    at: usize,
    /// What the hits are the answer to.
    asked: Option<Asked>,
    /// What may be found.
    allowed: Allowed,
}

/// What an answer depends on beside the plan.
struct Asked {
    /// The slots that the search reads.
    values: Vec<Value>,
    /// What was written by then.
    written: Counters,
    commit: CommitSeq,
}

impl Asked {
    fn now(slots: &[Slot], context: &Context<'_>, row: &[Value]) -> Result<Self, Fault> {
        Ok(Self {
            values: slots.iter().map(|slot| row[slot.at()].clone()).collect(),
            written: context.counters.clone(),
            commit: context.graph.sequence()?,
        })
    }

    fn is(&self, other: &Self) -> bool {
        let mut values = self.values.iter().zip(&other.values);
        self.commit == other.commit
            && self.written == other.written
            && values.all(|(one, other)| one.is_identical(other))
    }
}

impl Searching {
    /// Begins anew, and keeps what was found: the next row may ask for the same.
    pub(in crate::query::exec) fn restart(&mut self) {
        self.at = self.hits.len();
    }
}

impl Flat for Searching {
    type Of<'o> = &'o Search;

    fn begin(
        &mut self,
        of: &Search,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        self.at = 0;
        let now = match &of.depends_on {
            Some(slots) => Some(Asked::now(slots, site.context, row)?),
            None => None,
        };
        let same = self.asked.as_ref().zip(now.as_ref());
        if !same.is_some_and(|(before, now)| before.is(now)) {
            self.asked = None;
            self.hits = Arc::default();
            self.hits = find(of, &mut self.allowed, site, row)?.into();
            self.asked = now;
        }
        let hits = self.hits.len() * size_of::<(u64, f64)>();
        site.charge_in_all(hits + self.allowed.bytes())
    }

    fn give(
        &mut self,
        of: &Search,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        let kind = kind_of(of);
        // What was known before must be what was found.
        let wanted = of.must_be.map(|slot| kind.number(&row[slot.at()]));
        while let Some((number, score)) = self.hits.get(self.at).copied() {
            if out.len() >= site.frame.room {
                return Ok(false);
            }
            self.at += 1;
            if wanted.is_some_and(|wanted| wanted != Some(number)) {
                continue;
            }
            let new = out.push(row);
            new[of.into.at()] = kind.value(number);
            if let Some(slot) = of.score {
                new[slot.at()] = score.into();
            }
        }
        Ok(true)
    }
}

fn kind_of(of: &Search) -> Kind {
    match of.relationships {
        true => Kind::Relationships,
        false => Kind::Nodes,
    }
}
