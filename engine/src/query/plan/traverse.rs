//! `TRAVERSE`: what the binder makes of it, and what the planner decides about it.
//!
//! The same struct stands for both: patterns are [`Pattern`]s at first, and operators then.
//!
//! Next: `exec/flat/traverse/mod.rs`.

use super::barrier::Flow;
use super::{Arrow, BoundClause, Op, Ops, Pattern, Planner, Rule, ScanBy, TypeNames};
use crate::query::expr::{Expr, ExprKind, FunctionOf, Labels, Slot, Span};
use crate::query::functions::HostFunction;
use crate::value::Value;
use std::sync::Arc;
use stratigraph_query_lang::ast::ComparisonOperator;

/// A traversal, level by level.
#[derive(Clone, Debug)]
pub(crate) struct Traverse<P> {
    pub(crate) roots: Roots<P>,
    /// Whether all roots are admitted.
    pub(crate) unfiltered: bool,
    pub(crate) step: Step<P>,
    pub(crate) first_level: Option<Expr>,
    pub(crate) last_level: Option<Expr>,
    /// Gets the number of the level that is being looked at.
    pub(crate) level: Slot,
    /// Gets the score of the candidate that is being looked at.
    pub(crate) score: Slot,
    pub(crate) scored: Option<Scored>,
    pub(crate) keep: Keep,
    pub(crate) recover: Option<Recover<P>>,
    /// Whether rows are given of all candidates, not only of those that are admitted.
    pub(crate) candidates: bool,
    pub(crate) budget: Option<Budget>,
    /// Which columns go into which slots.
    pub(crate) yields: Vec<(TraverseColumn, Slot)>,
    pub(crate) span: Span,
}

/// Where it begins.
#[derive(Clone, Debug)]
pub(crate) enum Roots<P> {
    /// At every match of a pattern.
    Matches { pattern: P, node: Slot },
    /// At a node, or at the nodes of a list. Null gives no rows.
    Value(Expr),
}

/// How it goes from one level to the next.
#[derive(Clone, Debug)]
pub(crate) struct Step<P> {
    /// The node that it leaves, which is filled.
    pub(crate) from: Slot,
    /// What it passes through. The last node is the candidate.
    pub(crate) hops: Vec<Hop>,
    pub(crate) pattern: P,
    /// How it can be walked without rows, if it can.
    pub(crate) direct: Option<DirectStep>,
}

/// A relationship of a step, and the node behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hop {
    pub(crate) relationship: Slot,
    pub(crate) node: Slot,
}

/// A step along one relationship to a node with a label.
#[derive(Clone, Debug)]
pub(crate) struct DirectStep {
    pub(crate) arrow: Arrow,
    pub(crate) types: TypeNames,
    pub(crate) label: Option<Arc<str>>,
}

/// How candidates are scored.
#[derive(Clone, Debug)]
pub(crate) struct Scored {
    pub(crate) expr: Expr,
    /// Whether the score depends on the way to the candidate.
    pub(crate) sees_way: bool,
    /// How a whole level can be scored at once, if it can.
    pub(crate) at_once: Option<AtOnce>,
}

/// How the candidates of a level are scored at once.
#[derive(Clone, Debug)]
pub(crate) enum AtOnce {
    /// By how like a property is to a vector that is the same for all.
    Likeness {
        function: &'static str,
        property: Arc<str>,
        to: Expr,
    },
    /// By a function of the host that takes columns.
    Batch {
        function: Arc<HostFunction>,
        arguments: Vec<Expr>,
    },
}

/// `KEEP`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keep {
    pub(crate) top: Option<Expr>,
    pub(crate) per_parent: bool,
    pub(crate) filter: Option<Expr>,
    /// Whether the condition depends on the way to the candidate.
    pub(crate) sees_way: bool,
    /// The threshold that the condition is, if it is one, and whether it counts itself.
    pub(crate) threshold: Option<(Expr, bool)>,
}

/// `RECOVER`.
#[derive(Clone, Debug)]
pub(crate) struct Recover<P> {
    pub(crate) pattern: P,
    pub(crate) node: Slot,
    /// Where its members are, if they are a level of a hierarchy.
    pub(crate) level_of: Option<LevelOf>,
    /// How its members are scored if not as candidates are.
    pub(crate) scored: Option<Scored>,
    pub(crate) keep: Keep,
}

/// The members of one level of a hierarchy.
#[derive(Clone, Debug)]
pub(crate) struct LevelOf {
    pub(crate) hierarchy: Arc<str>,
    pub(crate) label: Option<Arc<str>>,
}

/// `BUDGET`.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    pub(crate) limit: Expr,
    pub(crate) unit: BudgetUnit,
    /// Whether it ends at the limit instead of failing.
    pub(crate) stops: bool,
}

pub(crate) use crate::algo::traverse::BudgetUnit;

/// A column of a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraverseColumn {
    Node,
    Level,
    Score,
    Status,
    Parent,
    Edge,
    Path,
    Roots,
    Rank,
}

impl TraverseColumn {
    /// All columns, by name.
    pub(crate) const ALL: &'static [(&'static str, Self)] = &[
        ("node", Self::Node),
        ("level", Self::Level),
        ("score", Self::Score),
        ("status", Self::Status),
        ("parent", Self::Parent),
        ("edge", Self::Edge),
        ("path", Self::Path),
        ("roots", Self::Roots),
        ("rank", Self::Rank),
    ];
}

/// The clause as it was bound.
#[derive(Clone, Debug)]
pub(crate) struct BoundTraverse {
    pub(crate) traverse: Traverse<Pattern>,
    pub(crate) optional: bool,
    /// The `WHERE` of its `YIELD`.
    pub(crate) filter: Option<Expr>,
}

impl<P> Step<P> {
    /// The slot of the candidate.
    pub(crate) fn to(&self) -> Slot {
        self.hops.last().map_or(self.from, |hop| hop.node)
    }

    /// The slots that say on which way a candidate was reached.
    pub(crate) fn way(&self) -> impl Iterator<Item = Slot> {
        let to = self.to();
        let passed = { &self.hops }
            .iter()
            .flat_map(|hop| [hop.relationship, hop.node]);
        [self.from]
            .into_iter()
            .chain(passed)
            .filter(move |slot| *slot != to)
    }
}

impl Planner<'_> {
    /// Adds the operators of the clause.
    pub(super) fn traverse(&self, bound: BoundTraverse, flow: &mut Flow) {
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
        let expr = self.expr(scored.expr);
        let sees_way = way.iter().any(|slot| expr.reads(*slot));
        let at_once = batch(&expr).or_else(|| match self.follows(Rule::WholeLevels) {
            true => likeness(&expr, to, &[way, &[to, level]].concat()),
            false => None,
        });
        Scored {
            expr,
            sees_way,
            at_once,
        }
    }

    fn keep(&self, keep: Keep, (to, level, score): (Slot, Slot, Slot), way: &[Slot]) -> Keep {
        let filter = keep.filter.map(|filter| self.expr(filter));
        let sees_way = way
            .iter()
            .any(|slot| filter.as_ref().is_some_and(|filter| filter.reads(*slot)));
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

/// Whether a step is one relationship and a label, so that it needs no rows.
fn direct(ops: &[Op], to: Slot) -> Option<DirectStep> {
    let (expand, label) = match ops {
        [Op::Expand(expand)] => (expand, None),
        [Op::Expand(expand), Op::Filter(filter)] => match &filter.kind {
            ExprKind::HasLabels {
                of,
                labels: Labels::Name(label),
            } if matches!(of.kind, ExprKind::Slot(slot) if slot == to) => {
                (expand, Some(Arc::clone(label)))
            }
            _ => return None,
        },
        _ => return None,
    };
    if expand.to_bound || !expand.apart_from.is_empty() {
        return None;
    }
    Some(DirectStep {
        arrow: expand.arrow,
        types: expand.types.clone(),
        label,
    })
}

/// Whether a pattern is the members of the level that is looked at: `(m:Label WHERE level(m, 'name') = level)`.
fn level_of(ops: &[Op], node: Slot, level: Slot) -> Option<LevelOf> {
    let [Op::Scan { into, by }, Op::Filter(filter)] = ops else {
        return None;
    };
    let label = match by {
        ScanBy::All => None,
        ScanBy::Label(label) => Some(Arc::clone(label)),
        ScanBy::Index { .. } | ScanBy::Id { .. } | ScanBy::Entity { .. } => return None,
    };
    let ExprKind::Comparison { first, rest } = &filter.kind else {
        return None;
    };
    let [(ComparisonOperator::Equal, other)] = rest.as_slice() else {
        return None;
    };
    let is = |expr: &Expr, slot| matches!(expr.kind, ExprKind::Slot(read) if read == slot);
    let call = match (is(first, level), is(other, level)) {
        (true, false) => other,
        (false, true) => &**first,
        _ => return None,
    };
    let ExprKind::Call {
        function: FunctionOf::Engine(function),
        arguments,
    } = &call.kind
    else {
        return None;
    };
    let [of, name] = arguments.as_slice() else {
        return None;
    };
    let ExprKind::Constant(Value::String(hierarchy)) = &name.kind else {
        return None;
    };
    let hierarchy = Arc::clone(hierarchy);
    (function.name == "level" && *into == node && is(of, node))
        .then_some(LevelOf { hierarchy, label })
}

/// Whether a score is a function of the host that is asked once for each level, with the rules and without.
fn batch(expr: &Expr) -> Option<AtOnce> {
    let ExprKind::Call {
        function: FunctionOf::Host(function),
        arguments,
    } = &expr.kind
    else {
        return None;
    };
    function.is_batch().then(|| AtOnce::Batch {
        function: Arc::clone(function),
        arguments: arguments.clone(),
    })
}

/// Whether a score is the likeness of a candidate's property to what is the same for all candidates.
fn likeness(expr: &Expr, to: Slot, changing: &[Slot]) -> Option<AtOnce> {
    let ExprKind::Call {
        function: FunctionOf::Engine(function),
        arguments,
    } = &expr.kind
    else {
        return None;
    };
    let known = ["vector.cosine", "vector.dot", "vector.l2"];
    let function = known.into_iter().find(|name| *name == function.name)?;
    let [left, right] = arguments.as_slice() else {
        return None;
    };
    let of_candidate = |expr: &Expr| match &expr.kind {
        ExprKind::Property { of, key } => {
            let own = matches!(of.kind, ExprKind::Slot(slot) if slot == to);
            own.then(|| Arc::clone(key))
        }
        _ => None,
    };
    let stays = |expr: &Expr| !changing.iter().any(|slot| expr.reads(*slot)) && expr.is_steady();
    let (property, to) = match (of_candidate(left), of_candidate(right)) {
        (Some(property), None) if stays(right) => (property, right),
        (None, Some(property)) if stays(left) => (property, left),
        _ => return None,
    };
    Some(AtOnce::Likeness {
        function,
        property,
        to: to.clone(),
    })
}

/// The threshold that a condition on the score is.
fn threshold(filter: &Expr, score: Slot, changing: &[Slot]) -> Option<(Expr, bool)> {
    let ExprKind::Comparison { first, rest } = &filter.kind else {
        return None;
    };
    let [(operator, bound)] = rest.as_slice() else {
        return None;
    };
    let is_score = |expr: &Expr| matches!(expr.kind, ExprKind::Slot(slot) if slot == score);
    let stays = |expr: &Expr| !changing.iter().any(|slot| expr.reads(*slot)) && expr.is_steady();
    use ComparisonOperator::{Greater, GreaterOrEqual, Less, LessOrEqual};
    let (bound, counts) = match operator {
        Greater if is_score(first) => (bound, false),
        GreaterOrEqual if is_score(first) => (bound, true),
        Less if is_score(bound) => (&**first, false),
        LessOrEqual if is_score(bound) => (&**first, true),
        _ => return None,
    };
    stays(bound).then(|| (bound.clone(), counts))
}

impl From<BoundTraverse> for BoundClause {
    fn from(bound: BoundTraverse) -> Self {
        Self::Traverse(Box::new(bound))
    }
}
