//! Groups of rows, in the order in which they first appear, and what is computed of each.
//!
//! Next: `sort.rs`.

use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::batch::Batch;
use crate::query::exec::eval::eval;
use crate::query::exec::stage::{Input, Poll, Site};
use crate::query::functions::Accumulator;
use crate::query::functions::operators::with_article;
use crate::query::plan::{Aggregate, Aggregated};
use crate::query::types::Types;
use crate::value::{Grouped, Value};
use std::collections::{HashMap, HashSet};

/// The groups so far, or those that are still to be given.
#[derive(Default)]
pub(in crate::query::exec) struct Groups {
    numbers: HashMap<Vec<Grouped>, usize>,
    groups: Vec<Group>,
    giving: Option<std::vec::IntoIter<Group>>,
}

struct Group {
    keys: Vec<Value>,
    computing: Vec<Computing>,
}

/// An aggregate of a group.
pub(in crate::query::exec) struct Computing {
    accumulator: Box<dyn Accumulator>,
    /// With DISTINCT, the arguments that it was given.
    seen: Option<HashSet<Vec<Grouped>>>,
    bytes: usize,
}

impl Group {
    fn new(of: &Aggregate, keys: Vec<Value>) -> Self {
        let computing = of.aggregates.iter().map(Computing::new);
        Self {
            keys,
            computing: computing.collect(),
        }
    }
}

impl Groups {
    /// One step.
    pub(in crate::query::exec) fn poll(
        &mut self,
        of: &Aggregate,
        input: &mut Input,
        site: &mut Site<'_, '_>,
    ) -> Result<Poll, Fault> {
        if let Some(mut batch) = input.take() {
            for at in 0..batch.len() {
                self.add(of, site, batch.row_mut(at))?;
            }
        }
        if !input.has_ended() {
            return Ok(Poll::Wants);
        }
        self.give(of, site)
    }

    /// Gives groups, once all rows were taken.
    pub(in crate::query::exec) fn give(
        &mut self,
        of: &Aggregate,
        site: &mut Site<'_, '_>,
    ) -> Result<Poll, Fault> {
        let giving = self.giving.get_or_insert_with(|| {
            if self.groups.is_empty() && of.groups.is_empty() {
                self.groups.push(Group::new(of, Vec::new()));
            }
            self.numbers = HashMap::new();
            std::mem::take(&mut self.groups).into_iter()
        });
        let mut out = Batch::new(site.frame.width);
        for group in giving.take(site.frame.room) {
            let row = out.push(&site.frame.argument);
            for ((_, slot), key) in of.groups.iter().zip(group.keys) {
                row[slot.at()] = key;
            }
            for (aggregated, computing) in of.aggregates.iter().zip(group.computing) {
                row[aggregated.into.at()] = computing.finish(aggregated)?;
            }
        }
        if out.is_empty() {
            return Ok(Poll::Done);
        }
        Ok(Poll::Rows(out))
    }

    /// Takes a row.
    pub(in crate::query::exec) fn add(
        &mut self,
        of: &Aggregate,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        let mut keys = Vec::with_capacity(of.groups.len());
        for (expr, _) in &of.groups {
            keys.push(Grouped(eval(site.context, expr, row)?));
        }
        let number = match self.numbers.get(&keys) {
            Some(number) => *number,
            None => {
                let values = keys
                    .iter()
                    .map(|key| key.0.held_bytes() + size_of::<Value>());
                let computing = of.aggregates.len() * (size_of::<Computing>() + 64);
                site.charge(size_of::<Group>() + 64 + values.sum::<usize>() + computing)?;
                let values = keys.iter().map(|key| key.0.clone()).collect();
                self.groups.push(Group::new(of, values));
                self.numbers.insert(keys, self.groups.len() - 1);
                self.groups.len() - 1
            }
        };
        let Some(group) = self.groups.get_mut(number) else {
            return Ok(());
        };
        for (aggregated, computing) in of.aggregates.iter().zip(&mut group.computing) {
            computing.add(aggregated, site, row)?;
        }
        Ok(())
    }
}

impl Computing {
    /// One that was given nothing yet.
    pub(in crate::query::exec) fn new(of: &Aggregated) -> Self {
        Self {
            accumulator: (of.function.start)(),
            seen: of.distinct.then(HashSet::new),
            bytes: 0,
        }
    }

    /// What it comes to.
    pub(in crate::query::exec) fn finish(self, of: &Aggregated) -> Result<Value, Fault> {
        self.accumulator.finish().map_err(|fault| fault.at(of.span))
    }

    /// Takes a row so many times; false if only the rows themselves can tell what comes of them.
    pub(in crate::query::exec) fn add_times(
        &mut self,
        (of, times): (&Aggregated, u64),
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<bool, Fault> {
        let ([argument], None) = (of.arguments.as_slice(), &self.seen) else {
            return Ok(false);
        };
        let value = eval(site.context, argument, row)?;
        let taken = self.accumulator.add_times(&value, times);
        self.charge(site)?;
        Ok(taken)
    }

    fn add(
        &mut self,
        of: &Aggregated,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        let mut arguments = Vec::with_capacity(of.arguments.len());
        for (number, expr) in of.arguments.iter().enumerate() {
            let value = eval(site.context, expr, row)?;
            let taken = of
                .function
                .takes
                .get(number)
                .map_or(Types::ANY, |takes| takes.types);
            if !Types::of(&value).is_within(taken) {
                let (name, kind) = (of.function.name, with_article(value.kind()));
                let message = format!("{name}() takes {taken}, not {kind}");
                return Err(raise(Detail::InvalidArgumentType, message).at(expr.span));
            }
            arguments.push(value);
        }
        if let Some(seen) = &mut self.seen {
            let key: Vec<Grouped> = arguments.iter().cloned().map(Grouped).collect();
            if seen.contains(&key) {
                return Ok(());
            }
            let values = arguments
                .iter()
                .map(|value| value.held_bytes() + size_of::<Value>());
            site.charge(size_of::<Vec<Grouped>>() + values.sum::<usize>())?;
            seen.insert(key);
        }
        let added = self.accumulator.add(&arguments);
        added.map_err(|fault| fault.at(of.span))?;
        self.charge(site)
    }

    fn charge(&mut self, site: &mut Site<'_, '_>) -> Result<(), Fault> {
        let bytes = self.accumulator.bytes();
        if let Some(more) = bytes.checked_sub(self.bytes) {
            site.charge(more)?;
        }
        self.bytes = self.bytes.max(bytes);
        Ok(())
    }
}
