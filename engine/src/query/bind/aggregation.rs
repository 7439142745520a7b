//! Items with aggregates: what stands outside the aggregates must be grouped by.
//!
//! Of `RETURN n.age, n.age + count(m)` the first item is a group, and `n.age` in the second means that
//! group. Variables and their properties are recognised, and items with subqueries where they are written
//! alike; what is more complex and not known to be the same for a whole group is refused.
//!
//! Next: `projection.rs`.

use super::Binder;
use super::expr::typed;
use super::scope::{Scope, Touched};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind, Slot};
use crate::query::functions::aggregate_function;
use crate::query::plan::Aggregated;
use crate::query::types::Types;
use std::collections::HashSet;
use stratigraph_query_lang::ast::{Expression, ExpressionKind, MapProjectionItem};
use stratigraph_query_lang::{Span, possible_variables};

/// What is grouped by, or made distinct.
#[derive(Clone, Default)]
pub(super) struct Groups {
    /// What each was before, and its slot.
    pub(super) by: Vec<(Expr, Slot)>,
    /// Those with a subquery in them: bound ones cannot be compared.
    written: Vec<Written>,
}

/// A group as it is written.
#[derive(Clone)]
struct Written {
    text: String,
    /// The names in it that may be variables.
    names: HashSet<String>,
    slot: Slot,
    types: Types,
}

impl Groups {
    /// One more; what stands for `*` is not written.
    pub(super) fn add(&mut self, expr: Expr, slot: Slot, written: Option<&Expression>) {
        if let Some(written) = written
            && has_subquery(&expr)
        {
            let (text, types) = (written.to_string(), expr.types);
            let names = possible_variables(&text);
            self.written.extend(names.map(|names| Written {
                text,
                names,
                slot,
                types,
            }));
        }
        self.by.push((expr, slot));
    }

    /// The group that is written like this, if no name in it has come to mean something else since.
    fn written_like(&self, scope: &Scope, from: &Expression, own_from: usize) -> Option<Expr> {
        if self.written.is_empty() {
            return None;
        }
        let text = from.to_string();
        let group = self.written.iter().find(|written| written.text == text)?;
        let mut changed = scope.changed_from(own_from);
        let is_alike = !changed.any(|name| group.names.contains(name));
        is_alike.then(|| typed(ExprKind::Slot(group.slot), from.span, group.types))
    }

    /// The slots of the groups that are variables, under their names of before and of after.
    fn variables(&self) -> HashSet<Slot> {
        let slots = self.by.iter().flat_map(|(group, slot)| match group.kind {
            ExprKind::Slot(before) => [before, *slot],
            _ => [*slot, *slot],
        });
        slots.collect()
    }
}

/// What is known while an item with aggregates is bound, or what is sorted by after grouping.
pub(super) struct Aggregation {
    pub(super) groups: Groups,
    /// The aggregates that were found.
    pub(super) found: Vec<Aggregated>,
    /// Whether aggregates may be used.
    pub(super) allowed: bool,
    /// Whether an aggregate's arguments are being bound, which see the rows before grouping.
    pub(super) inside: bool,
    /// Variables from this place on belong to the item itself, or to what was projected.
    pub(super) own_from: usize,
    pub(super) part: Part,
    /// Whether there is an aggregate in what is bound: without one nothing is computed per group, and a
    /// variable out of sight is simply not there.
    pub(super) aggregates: bool,
}

/// Which part of a projection is bound. To all but the items the variables of before are out of sight, since the
/// projection has ended them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Item,
    Order,
    Filter,
}

impl Binder<'_> {
    /// Binds with what is known of groups, and gives the aggregates back.
    pub(super) fn with_groups<T>(
        &mut self,
        aggregation: Aggregation,
        bind: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<(T, Aggregation), Fault> {
        let before = self.aggregation.replace(aggregation);
        let bound = bind(self);
        let after = std::mem::replace(&mut self.aggregation, before);
        match after {
            Some(after) => Ok((bound?, after)),
            None => Err(crate::error::Error::bug("groups were lost").into()),
        }
    }

    /// Binds what is computed anew for each element of a list: no aggregate can be in it.
    pub(super) fn per_element<T>(
        &mut self,
        bind: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let allow = |binder: &mut Self, allowed: bool| {
            let aggregation = binder.aggregation.as_mut();
            aggregation.map(|known| std::mem::replace(&mut known.allowed, allowed))
        };
        let before = allow(self, false);
        let bound = bind(self);
        if let Some(before) = before {
            allow(self, before);
        }
        bound
    }

    /// Binds as if there were no groups: within a subquery, or to compare with a group.
    pub(super) fn without_groups<T>(
        &mut self,
        bind: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let before = self.aggregation.take();
        let bound = bind(self);
        self.aggregation = before;
        bound
    }

    /// Binds a subquery that stands in an expression, in a scope of its own that sees what is around. Beside
    /// groups it sees only what is the same for a whole group, and what the projection has ended it sees
    /// nowhere.
    pub(super) fn within<T>(
        &mut self,
        scope: &Scope,
        span: Span,
        bind: impl FnOnce(&mut Self, Scope) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let touched = Touched::default();
        let known = self.aggregation.as_ref().filter(|known| !known.inside);
        let (inner, is_item) = match known {
            Some(known) => (known.left_of(scope, &touched), known.part == Part::Item),
            None => (scope.clone(), true),
        };
        let bound = self.without_groups(|binder| bind(binder, Scope::within(&inner)))?;
        match touched.get() {
            Some(name) if is_item => Err(ambiguous(name, span)),
            Some(name) => Err(ended(name, span)),
            None => Ok(bound),
        }
    }

    /// What an expression outside of aggregates means after grouping; `None` if it is to be bound as usual.
    pub(super) fn grouped(
        &mut self,
        scope: &mut Scope,
        from: &Expression,
    ) -> Result<Option<Expr>, Fault> {
        let Some(aggregation) = &self.aggregation else {
            return Ok(None);
        };
        if aggregation.inside {
            return Ok(None);
        }
        let own_from = aggregation.own_from;
        if let Some(group) = aggregation.groups.written_like(scope, from, own_from) {
            return Ok(Some(group));
        }
        if !is_simple(from) {
            return Ok(None);
        }
        let name = match root(from) {
            Some(name) => name,
            None => return Ok(None),
        };
        match scope.place(name) {
            // What belongs to the item itself, or comes from around the query, is the same for all rows.
            Some(place) if place < own_from && !scope.is_around(place) => {}
            _ => return Ok(None),
        }
        let bound = self.without_groups(|binder| binder.expr(scope, from))?;
        let Some(aggregation) = &self.aggregation else {
            return Ok(None);
        };
        let groups = &aggregation.groups.by;
        if let Some((group, slot)) = groups.iter().find(|(group, _)| group.same(&bound)) {
            return Ok(Some(typed(ExprKind::Slot(*slot), from.span, group.types)));
        }
        let ExprKind::Slot(slot) = &bound.kind else {
            return Ok(None);
        };
        let in_group = groups.iter().any(|(group, _)| group.reads(*slot));
        if aggregation.part != Part::Item && !(in_group && aggregation.aggregates) {
            return Err(ended(name, from.span));
        }
        Err(ambiguous(name, from.span))
    }

    /// An aggregate was found: the slot of its result.
    pub(super) fn aggregated(&mut self, aggregated: Aggregated) -> Result<Slot, Fault> {
        let Some(aggregation) = &mut self.aggregation else {
            return Err(misplaced(aggregated.span));
        };
        let mut found = aggregation.found.iter();
        let known = found.find(|known| {
            std::ptr::eq(known.function, aggregated.function)
                && known.distinct == aggregated.distinct
                && known.arguments.len() == aggregated.arguments.len()
                && known
                    .arguments
                    .iter()
                    .zip(&aggregated.arguments)
                    .all(|(left, right)| left.same(right))
        });
        if let Some(known) = known {
            return Ok(known.into);
        }
        if aggregation.part != Part::Item {
            // What is sorted by after grouping sees what was projected and nothing else.
            let projected = |slot: Slot| {
                aggregation
                    .groups
                    .by
                    .iter()
                    .any(|(_, group)| *group == slot)
            };
            for argument in &aggregated.arguments {
                let mut hidden = false;
                argument.each_slot(&mut |slot| hidden |= !projected(slot));
                if hidden {
                    let name = argument.span.of(self.text);
                    let message = format!("`{name}` is not defined here");
                    return Err(raise(Detail::UndefinedVariable, message)
                        .at(argument.span)
                        .hint("the projection before has ended it: sort by an aggregate that is projected"));
                }
            }
        }
        let slot = aggregated.into;
        aggregation.found.push(aggregated);
        Ok(slot)
    }
}

impl Aggregation {
    /// What a subquery can see of a scope. What is not the same for a whole group is told when it is touched. In a
    /// condition it is not there, and the name may be given anew; nobody means that in what is sorted by.
    fn left_of(&self, scope: &Scope, touched: &Touched) -> Scope {
        let groups = self.groups.variables();
        let is_gone = |place: usize, slot: Slot| {
            place < self.own_from && !scope.is_around(place) && !groups.contains(&slot)
        };
        match self.part {
            Part::Filter => scope.without(is_gone),
            Part::Item | Part::Order => scope.telling(is_gone, touched),
        }
    }
}

/// What the projection has ended.
fn ended(name: &str, span: Span) -> Fault {
    let message = format!("variable `{name}` is not defined here");
    raise(Detail::UndefinedVariable, message)
        .at(span)
        .hint("the projection before has ended it: project it too")
}

/// What is not the same for all rows of a group.
fn ambiguous(name: &str, span: Span) -> Fault {
    let message = format!("`{name}` is neither grouped by nor in an aggregate");
    raise(Detail::AmbiguousAggregationExpression, message)
        .at(span)
        .hint(format!(
            "project `{name}` on its own, in a WITH before this"
        ))
}

/// An aggregate where none can be.
pub(super) fn misplaced(span: Span) -> Fault {
    raise(
        Detail::InvalidAggregation,
        "an aggregate cannot be used here",
    )
    .at(span)
    .hint("aggregate in a WITH before this, and use its result")
}

/// A variable, or properties of one.
fn is_simple(from: &Expression) -> bool {
    match &from.kind {
        ExpressionKind::Variable(_) => true,
        ExpressionKind::Property { of, .. } => is_simple(of),
        _ => false,
    }
}

/// The variable of a simple expression.
fn root(from: &Expression) -> Option<&str> {
    match &from.kind {
        ExpressionKind::Variable(name) => Some(name),
        ExpressionKind::Property { of, .. } => root(of),
        _ => None,
    }
}

fn has_subquery(expr: &Expr) -> bool {
    let mut has = matches!(expr.kind, ExprKind::Subquery { .. });
    expr.each_part(&mut |part| has = has || has_subquery(part));
    has
}

/// Whether there is an aggregate in an expression; those of subqueries are their own affair.
pub(super) fn has_aggregate(from: &Expression) -> bool {
    let any = |parts: &[Expression]| parts.iter().any(has_aggregate);
    let maybe = |part: &Option<Box<Expression>>| part.as_deref().is_some_and(has_aggregate);
    match &from.kind {
        ExpressionKind::CountAll => true,
        ExpressionKind::Call(call) => {
            aggregate_function(&call.full_name().0).is_some() || any(&call.arguments)
        }
        ExpressionKind::Literal(_)
        | ExpressionKind::Parameter(_)
        | ExpressionKind::Variable(_)
        | ExpressionKind::Pattern(_)
        | ExpressionKind::ShortestPath(_)
        | ExpressionKind::PatternComprehension { .. }
        | ExpressionKind::Exists(_)
        | ExpressionKind::Count(_)
        | ExpressionKind::Collect(_) => false,
        ExpressionKind::List(parts)
        | ExpressionKind::Or(parts)
        | ExpressionKind::Xor(parts)
        | ExpressionKind::And(parts) => any(parts),
        ExpressionKind::Map(entries) => entries.iter().any(|(_, value)| has_aggregate(value)),
        ExpressionKind::Not(of)
        | ExpressionKind::Negate(of)
        | ExpressionKind::Plus(of)
        | ExpressionKind::IsNull { of, .. }
        | ExpressionKind::HasLabels { of, .. }
        | ExpressionKind::Property { of, .. } => has_aggregate(of),
        ExpressionKind::Comparison { first, rest } => {
            has_aggregate(first) || rest.iter().any(|(_, right)| has_aggregate(right))
        }
        ExpressionKind::Arithmetic { first, rest } => {
            has_aggregate(first) || rest.iter().any(|(_, right)| has_aggregate(right))
        }
        ExpressionKind::Predicate { left, right, .. } => {
            has_aggregate(left) || has_aggregate(right)
        }
        ExpressionKind::Index { of, index } => has_aggregate(of) || has_aggregate(index),
        ExpressionKind::Slice { of, from, to } => has_aggregate(of) || maybe(from) || maybe(to),
        ExpressionKind::Case {
            subject,
            arms,
            otherwise,
        } => {
            let mut arms = arms.iter();
            maybe(subject)
                || maybe(otherwise)
                || arms.any(|arm| any(&arm.conditions) || has_aggregate(&arm.result))
        }
        ExpressionKind::ListComprehension {
            list,
            filter,
            result,
            ..
        } => has_aggregate(list) || maybe(filter) || maybe(result),
        ExpressionKind::Quantified {
            list, predicate, ..
        } => has_aggregate(list) || maybe(predicate),
        ExpressionKind::Reduce {
            initial,
            list,
            result,
            ..
        } => has_aggregate(initial) || has_aggregate(list) || has_aggregate(result),
        ExpressionKind::MapProjection { of, items } => {
            let mut items = items.iter();
            has_aggregate(of)
                || items.any(|item| match item {
                    MapProjectionItem::Entry(_, value) => has_aggregate(value),
                    _ => false,
                })
        }
    }
}
