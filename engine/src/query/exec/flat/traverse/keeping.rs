//! KEEP and RECOVER: which candidates are admitted, and who is looked at once more.
//!
//! Next: `../mod.rs`.

use super::Of;
use super::scoring::Scoring;
use super::shared::Shared;
use crate::algo::traverse::{Considered, Keep as Kept, Members, Recover as Recovered, Where};
use crate::query::error::Fault;
use crate::query::exec::Kind;
use crate::query::exec::eval::eval;
use crate::query::exec::pipeline::Run;
use crate::query::expr::{Expr, Slot};
use crate::query::functions::operators::truth;
use crate::query::plan::{Keep, LevelOf, Op, Recover};
use crate::value::{NodeId, Value};
use std::cell::RefCell;
use std::sync::Arc;

/// The largest whole number below which all of them are floats.
const EXACT: i64 = 1 << 53;

/// KEEP as the machine takes it; `node` is the slot of the candidate.
pub(super) fn keep<'a>(
    shared: &'a RefCell<Shared<'_, '_>>,
    of: &'a Of,
    (keep, top): (&'a Keep, Option<usize>),
    node: Slot,
) -> Kept<'a, Fault> {
    let mut kept = Kept::all();
    if let Some(top) = top {
        kept = kept.top(top);
    }
    if keep.per_parent {
        kept = kept.per_parent();
    }
    let Some(filter) = &keep.filter else {
        return kept;
    };
    if let Some((bound, counts)) = &keep.threshold
        && let Some(bound) = known(shared, bound)
    {
        return kept.only(match counts {
            true => Where::AtLeast(bound),
            false => Where::Above(bound),
        });
    }
    let test = move |considered: &Considered<'_>| {
        let mut shared = shared.borrow_mut();
        let shared = &mut *shared;
        shared.context.step()?;
        shared.set_node(node, considered.node);
        shared.set(of.level, i64::from(considered.level));
        let score = considered.score.map_or(Value::Null, Value::Float);
        shared.set(of.score, score);
        if keep.sees_way {
            shared.set_way(&of.step, considered.arrival);
        }
        let value = eval(shared.context, filter, &mut shared.row)?;
        truth(&value).map_err(|fault| fault.at(filter.span))
    };
    kept.only(match keep.sees_way {
        true => Where::Arrival(Box::new(test)),
        false => Where::Node(Box::new(test)),
    })
}

/// A threshold as a number; null is one that nothing passes. Where it is something else, or goes wrong, the
/// condition is asked about each candidate instead.
fn known(shared: &RefCell<Shared<'_, '_>>, bound: &Expr) -> Option<f64> {
    let mut shared = shared.borrow_mut();
    let shared = &mut *shared;
    match eval(shared.context, bound, &mut shared.row).ok()? {
        Value::Float(bound) => Some(bound),
        Value::Int(bound) if (-EXACT..=EXACT).contains(&bound) => Some(bound as f64),
        Value::Null => Some(f64::NAN),
        _ => None,
    }
}

/// What RECOVER looks at: the matches of its pattern.
pub(super) struct Looking<'a, 's, 't> {
    shared: &'a RefCell<Shared<'s, 't>>,
    of: &'a Of,
    recover: &'a Recover<Arc<[Op]>>,
}

impl<'a, 's, 't> Looking<'a, 's, 't> {
    /// RECOVER as the machine takes it.
    pub(super) fn recover(
        shared: &'a RefCell<Shared<'s, 't>>,
        of: &'a Of,
        (recover, top): (&'a Recover<Arc<[Op]>>, Option<usize>),
    ) -> Recovered<'a, Fault> {
        let keep = keep(shared, of, (&recover.keep, top), recover.node);
        let looking = Self {
            shared,
            of,
            recover,
        };
        let recovered = Recovered::new(looking, keep);
        match &recover.scored {
            Some(scored) => recovered.scorer(Scoring::new(shared, of, scored, recover.node)),
            None => recovered,
        }
    }
}

impl Members<Fault> for Looking<'_, '_, '_> {
    fn last_level(&mut self) -> Result<Option<u32>, Fault> {
        let Some(LevelOf { hierarchy, .. }) = &self.recover.level_of else {
            return Ok(None);
        };
        let shared = self.shared.borrow();
        // Without members nothing is recovered, and an unknown name is told when they are asked for.
        let size = shared.context.graph.hierarchy_size(hierarchy);
        Ok(size.ok().map(|(levels, _)| levels.saturating_sub(1)))
    }

    fn members(&mut self, level: u32, into: &mut Vec<NodeId>) -> Result<(), Fault> {
        let mut shared = self.shared.borrow_mut();
        let shared = &mut *shared;
        if let Some(LevelOf {
            hierarchy,
            label,
            span,
        }) = &self.recover.level_of
        {
            let graph = &shared.context.graph;
            let members = graph.members_in(hierarchy, level);
            let mut members = members.map_err(|fault| fault.at(*span))?;
            if let Some(label) = label {
                members &= graph.ids_with_label(Kind::Nodes, label)?;
            }
            into.extend(members.iter().map(NodeId::new));
            return shared.charge(into.len() * size_of::<NodeId>());
        }
        shared.set(self.of.level, i64::from(level));
        let (width, row) = (shared.row.len(), shared.row.clone());
        let mut run = Run::new(&self.recover.pattern, width, row);
        while let Some(batch) = run.next(shared.context)? {
            for row in batch.rows() {
                if let Value::Node(node) = &row[self.recover.node.at()] {
                    into.push(node.id());
                }
            }
            shared.charge(batch.len() * size_of::<NodeId>())?;
        }
        Ok(())
    }
}
