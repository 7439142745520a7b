//! Clauses, one after the other.
//!
//! Next: `projection.rs`, `write.rs`, `matching.rs`.

use super::barrier::Flow;
use super::degree::degree_of;
use super::write::writes;
use super::{
    Apply, BoundArm, BoundClause, BoundQuery, BoundSubquery, Op, Ops, Planner, Rule, Union,
};
use crate::query::expr::{Body, Expr, ExprKind, Slot};
use crate::query::types::Types;
use crate::value::Value;

impl Planner<'_> {
    /// The operators of a query.
    pub(super) fn query(&self, query: BoundQuery) -> Vec<Op> {
        let into: Vec<Slot> = query.columns.iter().map(|(_, slot)| *slot).collect();
        let mut arms = query.arms;
        if arms.len() == 1
            && let Some(arm) = arms.pop()
        {
            return self.arm(arm);
        }
        let arms = arms.into_iter().map(|arm| {
            let returns = arm.returns.clone();
            (Ops::from(self.arm(arm)), returns)
        });
        vec![Op::Union(Union {
            arms: arms.collect(),
            into,
            distinct: query.distinct,
        })]
    }

    fn arm(&self, arm: BoundArm) -> Vec<Op> {
        let mut flow = Flow::default();
        for clause in arm.clauses {
            self.clause(clause, &mut flow);
        }
        self.walks(flow.finish())
    }

    pub(super) fn clause(&self, clause: BoundClause, flow: &mut Flow) {
        match clause {
            BoundClause::Match(matched) => {
                flow.before_reading();
                let (optional, fills) = (matched.optional, matched.fills.clone());
                let ops = self.matching(matched.pattern);
                if optional {
                    let nulls = fills.clone();
                    let ops = ops.into();
                    flow.push(Op::Optional { ops, nulls });
                } else {
                    flow.extend(ops);
                }
                flow.fill(&fills);
            }
            BoundClause::Traverse(traverse) => self.traverse(*traverse, flow),
            BoundClause::Unwind { list, into } => {
                let list = self.expr(list);
                flow.reading(&[&list]);
                flow.push(Op::Unwind { list, into });
                flow.fill(&[into]);
            }
            BoundClause::Project(projection) => self.projection(*projection, flow),
            BoundClause::Create { items, paths } => self.create(items, paths, flow),
            BoundClause::Merge(merge) => self.merge(*merge, flow),
            BoundClause::Set(items) => {
                flow.before_writing(true);
                flow.push(Op::Set(self.set_items(items)));
            }
            BoundClause::Remove(items) => {
                flow.before_writing(true);
                flow.push(Op::Remove(self.remove_items(items)));
            }
            BoundClause::Delete { detach, items } => {
                flow.before_writing(true);
                let items = items.into_iter().map(|item| self.expr(item)).collect();
                flow.push(Op::Delete { detach, items });
            }
            BoundClause::Foreach {
                list,
                into,
                clauses,
            } => self.foreach(list, into, clauses, flow),
            BoundClause::Call { mut call, filter } => {
                call.arguments = { call.arguments }
                    .into_iter()
                    .map(|argument| self.expr(argument))
                    .collect();
                if call.procedure.writes() {
                    flow.before_writing(true);
                } else {
                    flow.before_reading();
                }
                let fills: Vec<Slot> = call.yields.iter().map(|(_, slot)| *slot).collect();
                let is_optional = call.optional;
                let mut ops = vec![Op::Call(call)];
                ops.extend(filter.map(|filter| Op::Filter(self.expr(filter))));
                if is_optional {
                    // The WHERE decides what a row gets, not which rows stay.
                    let (ops, nulls) = (ops.into(), fills.clone());
                    flow.push(Op::Optional { ops, nulls });
                    // The procedure may have changed what rows were in order by.
                    flow.sorted_by(Vec::new());
                } else {
                    flow.extend(ops);
                }
                flow.fill(&fills);
            }
            BoundClause::Subquery(subquery) => self.subquery(*subquery, flow),
            BoundClause::Finish => flow.push(Op::Drain),
        }
    }

    fn subquery(&self, subquery: BoundSubquery, flow: &mut Flow) {
        if writes(&subquery.query) {
            flow.before_writing(true);
        } else {
            flow.before_reading();
        }
        let returns: Vec<Slot> = subquery
            .query
            .columns
            .iter()
            .map(|(_, slot)| *slot)
            .collect();
        let mut fills = returns.clone();
        let report = subquery
            .transactions
            .as_ref()
            .and_then(|wanted| wanted.report);
        fills.extend(report);
        let transactions = subquery.transactions.map(|mut wanted| {
            wanted.rows = wanted.rows.map(|rows| self.expr(rows));
            wanted
        });
        flow.push(Op::Apply(Box::new(Apply {
            ops: self.query(subquery.query).into(),
            returns,
            gives_rows: subquery.gives_rows,
            optional: subquery.optional,
            transactions,
        })));
        flow.fill(&fills);
    }

    pub(super) fn paths(&self, paths: Vec<(Slot, Expr)>, flow: &mut Flow) {
        if paths.is_empty() {
            return;
        }
        flow.fill(&paths.iter().map(|(slot, _)| *slot).collect::<Vec<_>>());
        flow.push(Op::Compute(paths));
    }

    /// An expression with its subqueries planned.
    pub(super) fn expr(&self, mut expr: Expr) -> Expr {
        self.plan_within(&mut expr);
        expr
    }

    fn plan_within(&self, expr: &mut Expr) {
        expr.each_part_mut(&mut |part| self.plan_within(part));
        fold(expr);
        if let ExprKind::Subquery { kind, body } = &mut expr.kind
            && let Body::Bound(bound) = body
        {
            let query = std::mem::replace(
                &mut bound.query,
                BoundQuery {
                    arms: Vec::new(),
                    distinct: false,
                    columns: Vec::new(),
                },
            );
            let ops: Ops = self.query(query).into();
            let degree = match self.follows(Rule::CountByDegree) {
                true => degree_of(kind, &ops),
                false => None,
            };
            *body = Body::Planned { ops, degree };
        }
    }
}

/// Makes a constant of a list of constants, so that it is not made anew for each row.
fn fold(expr: &mut Expr) {
    let ExprKind::List(items) = &expr.kind else {
        return;
    };
    let constants = items.iter().map(|item| match &item.kind {
        ExprKind::Constant(value) => Some(value.clone()),
        _ => None,
    });
    // What is too deep is left to fail where it is computed.
    if let Some(values) = constants.collect::<Option<Vec<Value>>>()
        && let Ok(list) = Value::list(values)
    {
        expr.kind = ExprKind::Constant(list);
    }
}

/// A condition that is always true.
pub(super) fn always(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Constant(Value::Bool(true))) && expr.types == Types::BOOLEAN
}
