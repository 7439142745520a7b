//! `WITH` and `RETURN`.
//!
//! In this order: groups and aggregates, items, DISTINCT, ORDER BY, SKIP, LIMIT, WHERE. What is sorted and
//! filtered by sees the projected names and, where rows are neither grouped nor made distinct, the names from
//! before too.
//!
//! Next: `aggregation.rs`.

use super::Binder;
use super::aggregation::{Aggregation, Groups, Part, has_aggregate};
use super::expr::{of_variable, typed, wrong_type};
use super::over_list::element_types;
use super::scope::{Scope, Variable};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind, Slot};
use crate::query::plan::{Aggregate, Aggregated, BoundClause, BoundProjection, SortKey};
use crate::query::types::Types;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    Expression, ExpressionKind, Literal, Projection, ProjectionItem, SortItem,
};

/// An item on its way.
struct Item<'q> {
    /// As it is written; `None` of those that `*` stands for.
    from: Option<&'q ProjectionItem>,
    variable: Variable,
    /// What it was before: to find it again in ORDER BY.
    expr: Option<Expr>,
}

impl Binder<'_> {
    pub(super) fn projection(
        &mut self,
        scope: &mut Scope,
        from: &Projection,
        returns: bool,
    ) -> Result<(BoundProjection, Vec<Variable>), Fault> {
        let mut items = self.all_items(scope, from, returns)?;
        let aggregates = from
            .items
            .iter()
            .any(|item| has_aggregate(&item.expression));
        let own_from = scope.len();

        // What is not aggregated, first: these are the groups.
        let mut computed: Vec<(Slot, Expr)> = Vec::new();
        let mut later = Vec::new();
        for item in &from.items {
            let name = self.name_of(item);
            if aggregates && has_aggregate(&item.expression) {
                later.push((items.len(), item));
                let variable = self.variable(&name, Types::ANY);
                items.push(Item {
                    from: Some(item),
                    variable,
                    expr: None,
                });
                continue;
            }
            let expr = self.expr(scope, &item.expression)?;
            let variable = self.projected(scope, name, &expr);
            if !matches!(&expr.kind, ExprKind::Slot(slot) if *slot == variable.slot) {
                computed.push((variable.slot, expr.clone()));
            }
            items.push(Item {
                from: Some(item),
                variable,
                expr: Some(expr),
            });
        }

        let mut groups = Groups::default();
        for item in &items {
            if let Some(expr) = item.expr.clone() {
                let written = item.from.map(|item| &item.expression);
                groups.add(expr, item.variable.slot, written);
            }
        }
        let mut found: Vec<Aggregated> = Vec::new();
        let mut after: Vec<(Slot, Expr)> = Vec::new();
        for (at, item) in later {
            let aggregation = Aggregation {
                groups: groups.clone(),
                found: std::mem::take(&mut found),
                allowed: true,
                inside: false,
                own_from,
                part: Part::Item,
                aggregates: true,
            };
            let bind = |binder: &mut Self| binder.expr(scope, &item.expression);
            let (expr, aggregation) = self.with_groups(aggregation, bind)?;
            found = aggregation.found;
            if let Some(item) = items.get_mut(at) {
                item.variable.types = expr.types;
                after.push((item.variable.slot, expr));
            }
        }

        let variables: Vec<Variable> = items.iter().map(|item| item.variable.clone()).collect();
        let gathers = aggregates || from.distinct;
        let mut seen = scope.clone();
        for variable in &variables {
            seen.push(variable.clone());
        }
        let mut later = Later {
            groups,
            found,
            gathers,
            aggregates,
            own_from,
        };
        let mut order = Vec::with_capacity(from.order.len());
        for key in &from.order {
            let expr = self.after_projection(&mut seen, &key.expression, &mut later, aggregates)?;
            let descending = key.descending;
            order.push(SortKey { expr, descending });
        }
        let skip = self.row_count(from.skip.as_ref(), "SKIP")?;
        let limit = self.row_count(from.limit.as_ref(), "LIMIT")?;
        let filter = match &from.filter {
            Some(filter) => Some(self.filter_after(&mut seen, filter, &mut later)?),
            None => None,
        };
        self.check_names(&items, from, returns)?;

        let aggregate = aggregates.then_some(Aggregate {
            groups: later.groups.by,
            aggregates: later.found,
        });
        let items = if aggregates { after } else { computed };
        let bound = BoundProjection {
            aggregate,
            items,
            scope: super::clause::slots(&variables),
            distinct: from.distinct,
            order,
            skip,
            limit,
            filter,
        };
        Ok((bound, variables))
    }

    /// The items that `*` stands for.
    fn all_items<'q>(
        &mut self,
        scope: &Scope,
        from: &'q Projection,
        returns: bool,
    ) -> Result<Vec<Item<'q>>, Fault> {
        let Some(star) = from.all else {
            return Ok(Vec::new());
        };
        let own = scope.own();
        if own.is_empty() && returns {
            let message = "there is no variable that `*` could stand for";
            return Err(raise(Detail::NoVariablesInScope, message).at(star));
        }
        let item = |variable: Variable| Item {
            from: None,
            expr: Some(of_variable(&variable, star)),
            variable,
        };
        Ok(own.into_iter().map(item).collect())
    }

    fn name_of(&self, item: &ProjectionItem) -> Arc<str> {
        match (&item.alias, &item.expression.kind) {
            (Some(alias), _) => Arc::clone(&alias.name),
            (None, ExpressionKind::Variable(name)) => Arc::clone(name),
            (None, _) => item.expression.span.of(self.text).into(),
        }
    }

    /// The variable of an item: a variable that is passed on keeps its slot.
    fn projected(&mut self, scope: &Scope, name: Arc<str>, expr: &Expr) -> Variable {
        let elements = element_types(scope, expr);
        let slot = match &expr.kind {
            ExprKind::Slot(slot) => *slot,
            _ => self.slot(),
        };
        Variable {
            name,
            slot,
            types: expr.types,
            elements,
            tells: None,
        }
    }

    /// What is sorted by.
    fn after_projection(
        &mut self,
        seen: &mut Scope,
        from: &Expression,
        later: &mut Later,
        allowed: bool,
    ) -> Result<Expr, Fault> {
        if !later.gathers {
            return self.expr(seen, from);
        }
        // The very expression of an item means that item.
        if !has_aggregate(from) {
            let plain = self.without_groups(|binder| binder.expr(seen, from));
            if let Ok(plain) = plain
                && let Some((group, slot)) =
                    later.groups.by.iter().find(|(group, _)| group.same(&plain))
            {
                return Ok(typed(ExprKind::Slot(*slot), from.span, group.types));
            }
        }
        let aggregation = Aggregation {
            groups: later.groups.clone(),
            found: std::mem::take(&mut later.found),
            allowed: allowed && later.aggregates,
            inside: false,
            own_from: later.own_from,
            part: Part::Order,
            aggregates: has_aggregate(from),
        };
        let (expr, aggregation) =
            self.with_groups(aggregation, |binder| binder.expr(seen, from))?;
        later.found = aggregation.found;
        Ok(expr)
    }

    /// `WHERE` after `WITH`.
    fn filter_after(
        &mut self,
        seen: &mut Scope,
        from: &Expression,
        later: &mut Later,
    ) -> Result<Expr, Fault> {
        if !later.gathers {
            return self.condition(seen, from);
        }
        let aggregation = Aggregation {
            groups: later.groups.clone(),
            found: Vec::new(),
            allowed: false,
            inside: false,
            own_from: later.own_from,
            part: Part::Filter,
            aggregates: false,
        };
        self.with_groups(aggregation, |binder| binder.condition(seen, from))
            .map(|(expr, _)| expr)
    }

    fn check_names(
        &self,
        items: &[Item<'_>],
        from: &Projection,
        returns: bool,
    ) -> Result<(), Fault> {
        let place = |item: &Item<'_>| -> Span {
            item.from.map_or(from.span, |item| match &item.alias {
                Some(alias) => alias.span,
                None => item.expression.span,
            })
        };
        for item in &from.items {
            let named =
                item.alias.is_some() || matches!(item.expression.kind, ExpressionKind::Variable(_));
            if !returns && !named {
                let message = "an expression in WITH needs a name";
                return Err(raise(Detail::NoExpressionAlias, message)
                    .at(item.expression.span)
                    .hint("give it one with AS"));
            }
        }
        for (at, item) in items.iter().enumerate() {
            let name = &item.variable.name;
            if items[..at].iter().any(|other| other.variable.name == *name) {
                let message = format!("there are two columns `{name}`");
                return Err(raise(Detail::ColumnNameConflict, message)
                    .at(place(item))
                    .hint("give one of them another name with AS"));
            }
        }
        Ok(())
    }
}

/// What the parts after the items go by.
struct Later {
    groups: Groups,
    found: Vec<Aggregated>,
    gathers: bool,
    aggregates: bool,
    own_from: usize,
}

/// What `YIELD` of a `SHOW` may have after its columns.
pub(super) struct Tail<'a> {
    pub(super) order: &'a [SortItem],
    pub(super) skip: Option<&'a Expression>,
    pub(super) limit: Option<&'a Expression>,
}

impl Binder<'_> {
    /// Columns that are sorted and cut, as a projection that changes nothing else.
    pub(super) fn sorted_columns(
        &mut self,
        scope: &mut Scope,
        columns: &mut [Variable],
        tail: &Tail<'_>,
        into: &mut Vec<BoundClause>,
    ) -> Result<(), Fault> {
        if tail.order.is_empty() && tail.skip.is_none() && tail.limit.is_none() {
            return Ok(());
        }
        let mut order = Vec::with_capacity(tail.order.len());
        for key in tail.order {
            let expr = self.expr(scope, &key.expression)?;
            let descending = key.descending;
            order.push(SortKey { expr, descending });
        }
        into.push(BoundClause::Project(Box::new(BoundProjection {
            aggregate: None,
            items: Vec::new(),
            scope: super::clause::slots(columns),
            distinct: false,
            order,
            skip: self.row_count(tail.skip, "SKIP")?,
            limit: self.row_count(tail.limit, "LIMIT")?,
            filter: None,
        })));
        Ok(())
    }

    /// A count of rows for `SKIP`, `LIMIT`.
    pub(super) fn row_count(
        &mut self,
        from: Option<&Expression>,
        what: &str,
    ) -> Result<Option<Expr>, Fault> {
        let Some(from) = from else {
            return Ok(None);
        };
        let bound = self.without_groups(|binder| binder.expr(&mut Scope::default(), from));
        let bound = bound.map_err(|fault| match fault {
            Fault::Raised(raised) if raised.detail == Detail::UndefinedVariable => raise(
                Detail::NonConstantExpression,
                format!("{what} cannot depend on a row"),
            )
            .at(raised.span.unwrap_or(from.span))
            .hint("use a number or a parameter"),
            other => other,
        })?;
        let is_null = matches!(from.kind, ExpressionKind::Literal(Literal::Null));
        if is_null || !bound.types.may_be(Types::INTEGER) {
            return Err(wrong_type(&bound, what, "a whole number"));
        }
        if let ExpressionKind::Literal(Literal::Integer(number)) = from.kind
            && number < 0
        {
            return Err(negative(what, from.span));
        }
        if let ExpressionKind::Negate(of) = &from.kind
            && matches!(of.kind, ExpressionKind::Literal(_))
        {
            return Err(negative(what, from.span));
        }
        Ok(Some(bound))
    }
}

fn negative(what: &str, span: Span) -> Fault {
    let message = format!("{what} cannot be negative");
    raise(Detail::NegativeIntegerArgument, message).at(span)
}
