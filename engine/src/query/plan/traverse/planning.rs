//! From the clause to its operator.
//!
//! Next: `whole_levels.rs`.

use super::whole_levels::{batch, direct, level_of, likeness, threshold};
use super::{AtOnce, BoundTraverse, Budget, Keep, Recover, Roots, Scored, Step, Traverse};
use crate::query::expr::Slot;
use crate::query::plan::barrier::Flow;
use crate::query::plan::{Op, Ops, Pattern, Planner, Rule};

impl Planner<'_> {
    /// Adds the operators of the clause.
    pub(in crate::query::plan) fn traverse(&self, bound: BoundTraverse, flow: &mut Flow) {
        let BoundTraverse {
            traverse,
            optional,
            filter,
        } = bound;
        flow.before_reading();
        let fills: Vec<Slot> = traverse.yields.iter().map(|(_, slot)| *slot).collect();
        let mut ops = vec![Op::Traverse(Box::new(self.traversal(traverse)))];
        ops.extend(filter.map(|filter| Op::Filter(self.expr(filter))));
        match optional {
            true => flow.push(Op::Optional {
                ops: ops.into(),
                nulls: fills.clone(),
            }),
            false => flow.extend(ops),
        }
        flow.fill(&fills);
    }

    fn traversal(&self, of: Traverse<Pattern>) -> Traverse<Ops> {
        let Traverse {
            roots,
            unfiltered,
            step,
            first_level,
            last_level,
            level,
            score,
            scored,
            keep,
            recover,
            candidates,
            budget,
            yields,
            span,
        } = of;
        let roots = match roots {
            Roots::Matches { pattern, node } => Roots::Matches {
                pattern: self.matching(pattern).into(),
                node,
            },
            Roots::Value(value) => Roots::Value(self.expr(value)),
        };
        let way: Vec<Slot> = step.way().collect();
        let to = step.to();
        let recover = recover.map(|recover| {
            let ops = self.matching(recover.pattern);
            let level_of = match self.follows(Rule::WholeLevels) {
                true => level_of(&ops, recover.node, level),
                false => None,
            };
            let scored = recover.scored;
            Recover {
                pattern: ops.into(),
                node: recover.node,
                level_of,
                scored: scored.map(|scored| self.scored(scored, (recover.node, level), &[])),
                keep: self.keep(recover.keep, (recover.node, level, score), &[]),
            }
        });
        Traverse {
            roots,
            unfiltered,
            scored: scored.map(|scored| self.scored(scored, (to, level), &way)),
            keep: self.keep(keep, (to, level, score), &way),
            step: self.step(step),
            first_level: first_level.map(|first| self.expr(first)),
            last_level: last_level.map(|last| self.expr(last)),
            level,
            score,
            recover,
            candidates,
            budget: budget.map(|budget| Budget {
                limit: self.expr(budget.limit),
                ..budget
            }),
            yields,
            span,
        }
    }

    fn step(&self, step: Step<Pattern>) -> Step<Ops> {
        let to = step.to();
        let ops = self.matching(step.pattern);
        let direct = match self.follows(Rule::WholeLevels) {
            true => direct(&ops, to),
            false => None,
        };
        Step {
            from: step.from,
            hops: step.hops,
            pattern: ops.into(),
            direct,
        }
    }

    fn scored(&self, scored: Scored, (to, level): (Slot, Slot), way: &[Slot]) -> Scored {
        // Before it is planned: of a planned subquery nobody knows what it reads.
        let sees_way = way.iter().any(|slot| scored.expr.reads(*slot));
        let expr = self.expr(scored.expr);
        let at_once = batch(&expr).or_else(|| match self.follows(Rule::WholeLevels) {
            true => likeness(&expr, to, &[way, &[to, level]].concat()),
            false => None,
        });
        Scored {
            expr,
            sees_way,
            by_codes: self.follows(Rule::RecoverByCodes)
                && matches!(at_once, Some(AtOnce::Likeness { .. })),
            at_once,
        }
    }

    fn keep(&self, keep: Keep, (to, level, score): (Slot, Slot, Slot), way: &[Slot]) -> Keep {
        let reads = |slot| {
            keep.filter
                .as_ref()
                .is_some_and(|filter| filter.reads(slot))
        };
        let sees_way = way.iter().any(|slot| reads(*slot));
        let filter = keep.filter.map(|filter| self.expr(filter));
        let threshold = filter
            .as_ref()
            .filter(|_| self.follows(Rule::WholeLevels))
            .and_then(|filter| threshold(filter, score, &[way, &[to, level, score]].concat()));
        Keep {
            top: keep.top.map(|top| self.expr(top)),
            per_parent: keep.per_parent,
            filter,
            sees_way,
            threshold,
        }
    }
}
