//! Along the rounds of a quantified pattern: each round is a run of its own over the node that the last one
//! ended at. Rounds are walked depth first, as a list and not as a recursion.
//!
//! Next: `shortest.rs`.

use super::apart::{Apart, collect};
use super::{Flat, is_node, node_in};
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::context::Context;
use crate::query::exec::pipeline::Run;
use crate::query::exec::stage::Site;
use crate::query::plan::Repeat;
use crate::value::{NodeId, NodeValue, RelationshipId, Value};
use std::collections::HashSet;

/// About how many bytes a round takes beside its rows.
const ROUND_BYTES: usize = 1024;

/// The rounds that are being walked.
#[derive(Default)]
pub(in crate::query::exec) struct Rounds {
    /// What can still come after each round that was taken, and first of all.
    open: Vec<Round>,
    /// The rounds that were taken.
    taken: Vec<Taken>,
    used: HashSet<RelationshipId>,
    apart: Apart,
    /// Whether no round at all is a result that is still to be given.
    ready: Option<NodeId>,
    /// Runs that are done with.
    spare: Vec<Run>,
}

/// What a round gives.
struct Round {
    run: Run,
    rows: Batch,
    at: usize,
}

/// One way through a round.
struct Taken {
    relationships: Vec<RelationshipId>,
    values: Vec<Value>,
}

impl Rounds {
    /// Gives back the memory of its runs.
    pub(in crate::query::exec) fn close(&mut self, context: &mut Context<'_>) {
        for round in &mut self.open {
            round.run.close(context);
        }
    }

    /// Begins the rounds that start at a node.
    fn enter(
        &mut self,
        of: &Repeat,
        node: NodeId,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        let start = Value::Node(NodeValue::of(node));
        let before = std::mem::replace(&mut row[of.round_from.at()], start);
        let run = match self.spare.pop() {
            Some(mut run) => {
                run.restart(site.context, row);
                run
            }
            None => Run::new_for_one(&of.ops, row.len(), row.to_vec()),
        };
        row[of.round_from.at()] = before;
        self.open.push(Round {
            run,
            rows: Batch::default(),
            at: 0,
        });
        let values = (4 * row.len() + of.lists.len()) * size_of::<Value>();
        site.charge_in_all(self.open.len() * (ROUND_BYTES + values))
    }

    fn step_back(&mut self) {
        if let Some(taken) = self.taken.pop() {
            for relationship in taken.relationships {
                self.used.remove(&relationship);
            }
        }
    }

    /// Takes the next way through a round, and says where it ends; nothing once all were taken.
    fn advance(&mut self, of: &Repeat, context: &mut Context<'_>) -> Result<Option<NodeId>, Fault> {
        while let Some(round) = self.open.last_mut() {
            if round.at == round.rows.len() {
                match round.run.next(context)? {
                    Some(rows) => (round.rows, round.at) = (rows, 0),
                    None => {
                        self.spare.extend(self.open.pop().map(|round| round.run));
                        self.step_back();
                    }
                }
                continue;
            }
            let row = round.rows.row(round.at);
            round.at += 1;
            let Some(node) = node_in(&row[of.round_to.at()])? else {
                continue;
            };
            let mut relationships = Vec::new();
            for slot in &of.relationships {
                collect(&row[slot.at()], &mut relationships);
            }
            let (used, apart) = (&mut self.used, &self.apart);
            let fresh = relationships.iter();
            let fresh = fresh.take_while(|one| !apart.has(**one) && used.insert(**one));
            let fresh = fresh.count();
            if fresh < relationships.len() {
                for relationship in &relationships[..fresh] {
                    used.remove(relationship);
                }
                continue;
            }
            let values = of.lists.iter().map(|(from, _)| row[from.at()].clone());
            self.taken.push(Taken {
                values: values.collect(),
                relationships,
            });
            return Ok(Some(node));
        }
        Ok(None)
    }

    /// Whether another round may come.
    fn may_go_on(&self, of: &Repeat) -> bool {
        let rounds = self.taken.len() as u64;
        // A round without any relationship could be taken again for ever, and would be the same each time.
        let empty = self
            .taken
            .last()
            .is_some_and(|last| last.relationships.is_empty());
        of.max.is_none_or(|max| rounds < max) && (!empty || rounds < of.min)
    }

    fn arrive(&self, of: &Repeat, node: NodeId, row: &[Value], out: &mut Batch) {
        if of.to_bound && !is_node(&row[of.to.at()], node) {
            return;
        }
        let new = out.push(row);
        new[of.to.at()] = Value::Node(NodeValue::of(node));
        for (number, (_, list)) in of.lists.iter().enumerate() {
            let values = self.taken.iter();
            let values = values.filter_map(|taken| taken.values.get(number).cloned());
            new[list.at()] = Value::List(match of.reversed {
                true => values.rev().collect(),
                false => values.collect(),
            });
        }
    }
}

impl Flat for Rounds {
    type Of<'o> = &'o Repeat;

    fn begin(
        &mut self,
        of: &Repeat,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        self.open.clear();
        self.taken.clear();
        self.used.clear();
        self.ready = None;
        let Some(from) = node_in(&row[of.from.at()])? else {
            return Ok(());
        };
        self.apart.fill(&of.apart_from, row);
        if of.min == 0 {
            self.ready = Some(from);
        }
        if of.max != Some(0) && of.max.is_none_or(|max| max >= of.min) {
            self.enter(of, from, site, row)?;
        }
        Ok(())
    }

    fn give(
        &mut self,
        of: &Repeat,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        if let Some(node) = self.ready.take() {
            self.arrive(of, node, row, out);
        }
        while out.len() < site.frame.room {
            let Some(node) = self.advance(of, site.context)? else {
                return Ok(true);
            };
            if self.taken.len() as u64 >= of.min {
                self.arrive(of, node, row, out);
            }
            if self.may_go_on(of) {
                self.enter(of, node, site, row)?;
            } else {
                self.step_back();
            }
        }
        Ok(false)
    }
}
