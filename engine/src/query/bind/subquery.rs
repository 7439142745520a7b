//! Subqueries in expressions: `EXISTS`, `COUNT`, `COLLECT`, pattern predicates and comprehensions.
//!
//! They see every variable around them and can change nothing. What they bind is theirs.
//!
//! Next: `clause.rs`.

use super::clause::slots;
use super::expr::{boolean, typed};
use super::scope::Scope;
use super::{Binder, undefined};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Body, BoundBody, Expr, ExprKind, SubqueryKind};
use crate::query::plan::{BoundArm, BoundClause, BoundMatch, BoundQuery};
use crate::query::types::Types;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{Element, Expression, GraphPattern, PathPattern, Subquery};

impl Binder<'_> {
    /// `EXISTS { ... }`.
    pub(super) fn exists(
        &mut self,
        scope: &mut Scope,
        query: &Subquery,
        span: Span,
    ) -> Result<Expr, Fault> {
        let query = self.subquery(scope, (query, span), "EXISTS { ... }")?;
        Ok(boolean(subquery(SubqueryKind::Exists, query, scope), span))
    }

    /// `COUNT { ... }`.
    pub(super) fn count_rows(
        &mut self,
        scope: &mut Scope,
        query: &Subquery,
        span: Span,
    ) -> Result<Expr, Fault> {
        let query = self.subquery(scope, (query, span), "COUNT { ... }")?;
        Ok(typed(
            subquery(SubqueryKind::Count, query, scope),
            span,
            Types::INTEGER,
        ))
    }

    /// `COLLECT { ... }`.
    pub(super) fn collect_rows(
        &mut self,
        scope: &mut Scope,
        query: &Subquery,
        span: Span,
    ) -> Result<Expr, Fault> {
        let query = self.subquery(scope, (query, span), "COLLECT { ... }")?;
        let [(_, column)] = query.columns.as_slice() else {
            let message = "COLLECT { ... } needs a query that returns one column";
            return Err(raise(Detail::UnexpectedSyntax, message).at(span));
        };
        let item = Box::new(typed(ExprKind::Slot(*column), span, Types::ANY));
        let kind = subquery(SubqueryKind::Collect(item), query, scope);
        Ok(typed(kind, span, Types::LIST))
    }

    fn subquery(
        &mut self,
        scope: &mut Scope,
        (query, span): (&Subquery, Span),
        called: &'static str,
    ) -> Result<BoundQuery, Fault> {
        let before = self.read_only.replace(called);
        let bound = self.within(scope, span, |binder, mut inner| match query {
            Subquery::Query(query) => binder.query(&inner, query, true),
            Subquery::Pattern { pattern, filter } => {
                let matched = binder.pattern(&mut inner, pattern)?;
                binder.matched_query(&mut inner, matched, filter.as_ref())
            }
        });
        self.read_only = before;
        bound
    }

    /// A query of one match.
    fn matched_query(
        &mut self,
        scope: &mut Scope,
        mut matched: BoundMatch,
        filter: Option<&Expression>,
    ) -> Result<BoundQuery, Fault> {
        if let Some(filter) = filter {
            self.conjuncts(scope, filter, &mut matched.pattern.filters)?;
        }
        Ok(BoundQuery {
            arms: vec![BoundArm {
                clauses: vec![BoundClause::Match(matched)],
                returns: Vec::new(),
            }],
            distinct: false,
            columns: Vec::new(),
        })
    }

    /// `(a)-->(b)` as a condition: whether there is such a path.
    pub(super) fn pattern_predicate(
        &mut self,
        scope: &mut Scope,
        path: &PathPattern,
        span: Span,
    ) -> Result<Expr, Fault> {
        let before = self.read_only.replace("a pattern");
        let query = self.within(scope, span, |binder, mut inner| {
            let (known, named) = (inner.len(), binder.names.len());
            let matched = binder.pattern(&mut inner, &alone(path))?;
            if let Some(new) = inner.names_from(known).next() {
                // It was bound here and nowhere before.
                binder.names.truncate(named);
                let message = format!("variable `{new}` is not defined");
                return Err(raise(Detail::UndefinedVariable, message)
                    .at(place_of(path, new).unwrap_or(path.span))
                    .hint("a pattern in an expression binds nothing: use EXISTS { ... }"));
            }
            binder.matched_query(&mut inner, matched, None)
        });
        self.read_only = before;
        Ok(boolean(subquery(SubqueryKind::Exists, query?, scope), span))
    }

    /// `[(a)-->(b) WHERE filter | result]`.
    pub(super) fn pattern_comprehension(
        &mut self,
        scope: &mut Scope,
        path: &PathPattern,
        filter: Option<&Expression>,
        result: &Expression,
        span: Span,
    ) -> Result<Expr, Fault> {
        let before = self.read_only.replace("a pattern comprehension");
        let bound = self.within(scope, span, |binder, mut inner| {
            let matched = binder.pattern(&mut inner, &alone(path))?;
            let query = binder.matched_query(&mut inner, matched, filter)?;
            let result = binder.expr(&mut inner, result)?;
            Ok((query, result))
        });
        self.read_only = before;
        let (query, result) = bound?;
        let kind = subquery(SubqueryKind::Collect(Box::new(result)), query, scope);
        Ok(typed(kind, span, Types::LIST))
    }

    /// `shortestPath(...)` gives the first path or null, `allShortestPaths(...)` a list.
    pub(super) fn shortest_path(
        &mut self,
        scope: &mut Scope,
        path: &PathPattern,
        span: Span,
    ) -> Result<Expr, Fault> {
        use stratigraph_query_lang::ast::{Selector, SelectorKind};
        let all = matches!(
            path.selector,
            Some(Selector {
                kind: SelectorKind::AllShortest,
                ..
            })
        );
        let bound = self.within(scope, span, |binder, mut inner| {
            let (known, named) = (inner.len(), binder.names.len());
            let mut matched = binder.pattern(&mut inner, &alone(path))?;
            if let Some(new) = inner.names_from(known).next() {
                // It was bound here and nowhere before.
                binder.names.truncate(named);
                let place = place_of(path, new).unwrap_or(path.span);
                return Err(undefined(scope, new, place).hint(
                    "a path in an expression binds nothing: name what was bound before, or use COLLECT { MATCH ... RETURN ... }",
                ));
            }
            let slot = match matched.pattern.paths.first() {
                Some((slot, _)) => *slot,
                None => {
                    let slot = binder.slot();
                    let made = binder.path_of_last(&matched, span)?;
                    matched.pattern.paths.push((slot, made));
                    slot
                }
            };
            let query = binder.matched_query(&mut inner, matched, None)?;
            Ok((query, typed(ExprKind::Slot(slot), span, Types::PATH)))
        });
        let (query, result) = bound?;
        let list = subquery(SubqueryKind::Collect(Box::new(result)), query, scope);
        let list = typed(list, span, Types::LIST);
        if all {
            return Ok(list);
        }
        let index = Box::new(super::expr::constant(0.into(), span));
        let of = Box::new(list);
        Ok(typed(ExprKind::Index { of, index }, span, Types::PATH))
    }
}

/// A subquery that may read whatever it sees.
fn subquery(kind: SubqueryKind, query: BoundQuery, scope: &Scope) -> ExprKind {
    let sees = slots(&scope.visible());
    let body = Body::Bound(Box::new(BoundBody { query, sees }));
    ExprKind::Subquery { kind, body }
}

/// Where a name stands first in a path.
fn place_of(path: &PathPattern, name: &str) -> Option<Span> {
    let places = path.elements.iter().filter_map(|element| {
        let named = match element {
            Element::Node(node) => node.variable.as_ref(),
            Element::Relationship(relationship) => relationship.variable.as_ref(),
            Element::Group(group) => return place_of(&group.path, name),
        };
        named
            .filter(|named| &*named.name == name)
            .map(|named| named.span)
    });
    path.variable
        .iter()
        .filter(|named| &*named.name == name)
        .map(|named| named.span)
        .chain(places)
        .next()
}

fn alone(path: &PathPattern) -> GraphPattern {
    GraphPattern {
        paths: vec![path.clone()],
        span: path.span,
    }
}
