//! How a traversal is shown: its settings in a line, and beneath it the patterns of its roots, steps and recovery.

use super::Shown;
use crate::query::expr::Expr;
use crate::query::plan::{BudgetUnit, Keep, Op, Roots, Scored, Traverse};
use std::sync::Arc;

impl Shown<'_> {
    /// A traversal, and beneath it what is matched for it.
    pub(super) fn traverse(&mut self, op: &Traverse<Arc<[Op]>>, depth: usize) {
        let bound = |bound: &Option<Expr>| {
            let shown = bound.as_ref().map(|bound| self.expr(bound));
            shown.unwrap_or_default()
        };
        let mut line = format!(
            "Traverse levels {}..{}",
            bound(&op.first_level),
            bound(&op.last_level)
        );
        if op.unfiltered {
            line.push_str(", roots unfiltered");
        }
        if let Some(scored) = &op.scored {
            line.push_str(&self.scored(scored));
        }
        line.push_str(&self.kept("keep", &op.keep));
        if op.candidates {
            line.push_str(", emit candidates");
        }
        if let Some(budget) = &op.budget {
            let unit = match budget.unit {
                BudgetUnit::Nodes => "nodes",
                BudgetUnit::Edges => "edges",
                BudgetUnit::Milliseconds => "milliseconds",
            };
            let then = if budget.stops { "stop" } else { "error" };
            let limit = self.expr(&budget.limit);
            line.push_str(&format!(", budget {limit} {unit} or {then}"));
        }
        self.line(depth, &line);
        match &op.roots {
            Roots::Value(value) => {
                self.line(depth + 1, &format!("From {}", self.expr(value)));
            }
            Roots::Matches { pattern, .. } => {
                self.line(depth + 1, "From");
                self.ops(pattern, depth + 2);
            }
        }
        let step = match &op.step.direct {
            Some(_) => "Step, the whole level at once",
            None => "Step, node by node",
        };
        self.line(depth + 1, step);
        self.ops(&op.step.pattern, depth + 2);
        if let Some(recover) = &op.recover {
            let scored = recover.scored.as_ref();
            let scored = scored.map_or(String::new(), |scored| self.scored(scored));
            let kept = self.kept("keep", &recover.keep);
            let members = match &recover.level_of {
                Some(level) => format!(" from the level in {}", level.hierarchy),
                None => String::new(),
            };
            self.line(depth + 1, &format!("Recover{members}{scored}{kept}"));
            self.ops(&recover.pattern, depth + 2);
        }
    }

    fn scored(&self, scored: &Scored) -> String {
        let how = match (&scored.at_once, scored.sees_way) {
            (Some(_), _) => "the whole level at once",
            (None, true) => "way by way",
            (None, false) => "one by one",
        };
        format!(", score {} ({how})", self.expr(&scored.expr))
    }

    fn kept(&self, what: &str, keep: &Keep) -> String {
        let mut shown = String::new();
        if let Some(top) = &keep.top {
            let each = if keep.per_parent { " per parent" } else { "" };
            shown = format!(", {what} top {}{each}", self.expr(top));
        }
        if let Some(filter) = &keep.filter {
            let what = if shown.is_empty() { what } else { "of those" };
            shown = format!("{shown}, {what} where {}", self.expr(filter));
        }
        shown
    }
}
