//! From one level to the candidates of the next: reading edges, within the budget.
//!
//! This file alone takes steps in the graph. It must never decide who is admitted.

use super::super::arrivals::{Gathering, Group};
use super::super::error::TraverseError;
use super::super::node_set::NodeSet;
use super::super::options::{Budget, BudgetUnit};
use super::super::steps::Steps;
use super::TraverseStepper;
use std::ops::ControlFlow;

/// Edges that are read between two looks at the cancel token, less one.
const BETWEEN_CHECKS: u64 = 0xfff;

/// Nodes that are expanded between two looks at the clock.
const PER_LOOK: usize = 4096;

impl<E> TraverseStepper<'_, E> {
    /// The budget, if a level with this many candidates would exceed it, and what would be used.
    pub(super) fn over_budget(&self, candidates: u64) -> Option<(Budget, u64)> {
        let budget = self.settings.budget?;
        let used = match budget.unit {
            BudgetUnit::Nodes => self.summary.candidates + candidates,
            BudgetUnit::Edges => self.summary.edges_read,
            BudgetUnit::Milliseconds => {
                let elapsed = self.clock.now().saturating_sub(self.started);
                // A part of a millisecond counts: a limit of 0 is over as soon as time passes.
                u64::try_from(elapsed.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
            }
        };
        (used > budget.limit).then_some((budget, used))
    }

    /// The candidates of level 0: the roots that the graph has.
    pub(super) fn roots(&mut self, steps: &mut dyn Steps<E>) -> Result<Group, TraverseError<E>> {
        let mut roots = Vec::with_capacity(self.roots.len());
        for (at, root) in std::mem::take(&mut self.roots).into_iter().enumerate() {
            if at as u64 & BETWEEN_CHECKS == 0 && self.cancel.is_cancelled() {
                return Err(TraverseError::Cancelled);
            }
            if steps.contains(root)? {
                roots.push(root);
            }
        }
        Ok(Group::of_nodes(roots))
    }

    /// The candidates behind the frontier, or the budget that did not last. It is looked at while
    /// edges are read, so that one node with a million of them cannot overrun it.
    pub(super) fn expand(
        &mut self,
        steps: &mut dyn Steps<E>,
    ) -> Result<Result<Group, (Budget, u64)>, TraverseError<E>> {
        let mut gathering = Gathering::new(self.settings.needs_arrivals);
        let frontier = std::mem::take(&mut self.frontier);
        self.summary.expanded += frontier.len() as u64;
        let limit = |unit| (self.settings.budget).filter(|budget| budget.unit == unit);
        let timed = limit(BudgetUnit::Milliseconds).is_some();
        let edge_limit = limit(BudgetUnit::Edges).map_or(u64::MAX, |budget| budget.limit);
        let node_limit = limit(BudgetUnit::Nodes)
            .map(|budget| budget.limit.saturating_sub(self.summary.candidates));
        let mut counted = NodeSet::default();
        let mut recorded = self.record.is_some().then(Vec::new);
        let per_look = if timed {
            PER_LOOK
        } else {
            frontier.len().max(1)
        };
        steps.begin_level(self.level);
        for part in frontier.chunks(per_look) {
            let mut cancelled = self.cancel.is_cancelled();
            let cancel = &self.cancel;
            let (admitted, edges_read) = (&self.admitted, &mut self.summary.edges_read);
            let mut over = false;
            steps.arrivals(part, &mut |arrival| {
                if over || cancelled {
                    return ControlFlow::Break(());
                }
                *edges_read += 1;
                cancelled = *edges_read & BETWEEN_CHECKS == 0 && cancel.is_cancelled();
                if let Some(recorded) = &mut recorded {
                    recorded.push((arrival.parent, arrival.node));
                }
                if !admitted.contains(arrival.node) {
                    gathering.push(arrival);
                    if let Some(limit) = node_limit {
                        counted.insert(arrival.node);
                        over |= counted.len() > limit;
                    }
                }
                over |= *edges_read > edge_limit;
                if over {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })?;
            if cancelled {
                return Err(TraverseError::Cancelled);
            }
            if (over || timed)
                && let Some(spent) = self.over_budget(counted.len())
            {
                return Ok(Err(spent));
            }
        }
        if let (Some(record), Some(recorded)) = (&mut self.record, recorded) {
            record.add_steps(recorded);
        }
        Ok(Ok(gathering.group()))
    }
}
