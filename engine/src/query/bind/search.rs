//! `SEARCH`: which index it asks, and what it knows.
//!
//! It comes before the rest of its pattern and is joined with it. So what it looks for, and how much of it, may only
//! name what was bound before the `MATCH`, and its conditions that and the variable itself.
//!
//! Next: `create.rs`.

use super::expr::{boolean, typed, wrong_type};
use super::scope::{Scope, Variable};
use super::{Binder, already_bound, conflict, undefined};
use crate::catalog::Scope as IndexScope;
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind, Labels, Slot};
use crate::query::plan::{BoundMatch, BoundSearch, IndexName, LinkKind, Search, SearchKind};
use crate::query::schema::{searched_text, searched_vectors};
use crate::query::types::Types;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{self, Expression, ExpressionKind, SchemaName};

impl Binder<'_> {
    /// A search for a variable of a pattern, whose variables are in `scope`, or for one from before it.
    pub(super) fn search(
        &mut self,
        (mut before, scope): (Scope, &mut Scope),
        from: &ast::Search,
        bound: &mut BoundMatch,
    ) -> Result<(), Fault> {
        let name = &from.variable;
        let Some(variable) = scope.find(&name.name).cloned() else {
            return Err(undefined(scope, &name.name, name.span));
        };
        if !variable.types.may_be(Types::ENTITY) {
            return Err(conflict(name, variable.types, "what is searched for"));
        }
        let known = before.find(&name.name).is_some();
        let (index, on) = self.searched(from)?;
        let relationships = match on {
            Some(on) => !on.is_node(),
            None => !variable.types.may_be(Types::NODE),
        };
        let of = match relationships {
            true => Types::RELATIONSHIP,
            false => Types::NODE,
        };
        if !variable.types.may_be(of) {
            let (is, wanted) = match relationships {
                true => ("relationships", "a node"),
                false => ("nodes", "a relationship"),
            };
            let message = format!("the index is on {is}, and `{}` is {wanted}", name.name);
            return Err(raise(Detail::VariableTypeConflict, message)
                .at(name.span)
                .hint("SHOW INDEXES tells what each index is on"));
        }
        let query = self.expr(&mut before, &from.query);
        let query = query.map_err(|fault| self.not_yet(fault, scope))?;
        let (taken, wanted) = match from.kind {
            SearchKind::Vector => (Types::VECTOR.or(Types::LIST), "a vector"),
            SearchKind::Fulltext => (Types::STRING, "a text"),
        };
        if !query.types.may_be(taken.or(Types::NULL)) {
            let fault = wrong_type(&query, "FOR", wanted);
            return Err(match from.kind {
                SearchKind::Vector => fault.hint("give a vector, or a list of numbers"),
                SearchKind::Fulltext => fault,
            });
        }
        let limit = self.limit_of(&mut before, &from.limit);
        let limit = limit.map_err(|fault| self.not_yet(fault, scope))?;
        let into = match known {
            true => self.named_slot(Arc::clone(&name.name)),
            false => variable.slot,
        };
        let mut filters = Vec::new();
        if let Some(filter) = &from.filter {
            before.push(Variable {
                slot: into,
                types: of,
                ..variable.clone()
            });
            let own = self.conjuncts(&mut before, filter, &mut filters);
            own.map_err(|fault| self.not_yet(fault, scope))?;
            filters.extend(self.only_on(on, into, of));
        }
        let score = match &from.score {
            Some(score) if scope.find(&score.name).is_some() => return Err(already_bound(score)),
            Some(score) => {
                let variable = self.variable(&score.name, Types::FLOAT);
                let slot = variable.slot;
                bound.fills.push(slot);
                scope.push(variable);
                Some(slot)
            }
            None => None,
        };
        if relationships && !known {
            found_by_search(bound, into, name.span)?;
        }
        let search = Search {
            kind: from.kind,
            index,
            query,
            limit,
            most: Vec::new(),
            exact: from.exact.is_some(),
            into,
            relationships,
            must_be: known.then_some(variable.slot),
            score,
            among: None,
            depends_on: None,
            among_depends_on: None,
            span: from.span,
        };
        bound.pattern.search = Some(Box::new(BoundSearch { search, filters }));
        Ok(())
    }

    /// The index, and what it is on if that is known already.
    fn searched(&mut self, from: &ast::Search) -> Result<(IndexName, Option<IndexScope>), Fault> {
        let name = match &from.index {
            SchemaName::Static(name) => name,
            SchemaName::Parameter(name, span) => {
                let number = self.parameter(name, *span);
                return Ok((IndexName::Parameter(number, *span), None));
            }
        };
        let on = match from.kind {
            SearchKind::Vector => searched_vectors(self.catalog, &name.name).map(|def| def.scope),
            SearchKind::Fulltext => searched_text(self.catalog, &name.name).map(|def| def.scope),
        };
        let on = on.map_err(|fault| fault.at(name.span))?;
        let known = IndexName::Known(Arc::clone(&name.name), name.span);
        Ok((known, Some(on)))
    }

    /// How many are found at most, which may differ from row to row.
    fn limit_of(&mut self, before: &mut Scope, from: &Expression) -> Result<Expr, Fault> {
        let number = match &from.kind {
            ExpressionKind::Negate(of) => &of.kind,
            kind => kind,
        };
        // One that is written out is looked at here, as the LIMIT of any clause is.
        if matches!(number, ExpressionKind::Literal(_)) {
            let limit = self.row_count(Some(from), "LIMIT")?;
            let missing = || raise(Detail::UnexpectedSyntax, "SEARCH needs a LIMIT").at(from.span);
            return limit.ok_or_else(missing);
        }
        let limit = self.expr(before, from)?;
        if !limit.types.may_be(Types::INTEGER) {
            return Err(wrong_type(&limit, "LIMIT", "a whole number"));
        }
        Ok(limit)
    }

    /// That what is found has the label or the type that the index is on: so the conditions are asked of no others.
    fn only_on(&self, on: Option<IndexScope>, into: Slot, of: Types) -> Option<Expr> {
        let on = on.filter(|on| matches!(on, IndexScope::Label(_) | IndexScope::Type(_)))?;
        let labels = Labels::Name(self.catalog.scope_name(on).into());
        let of = Box::new(typed(ExprKind::Slot(into), Span::default(), of));
        let kind = ExprKind::HasLabels { of, labels };
        Some(boolean(kind, Span::default()))
    }

    /// With a hint, if a variable is missing that only the rest of the pattern binds.
    fn not_yet(&self, fault: Fault, scope: &Scope) -> Fault {
        let Fault::Raised(raised) = &fault else {
            return fault;
        };
        let name = raised.span.map_or("", |span| span.of(self.text));
        if raised.detail != Detail::UndefinedVariable
            || scope.find(name.trim_matches('`')).is_none()
        {
            return fault;
        }
        let hint = "a search comes before the rest of its pattern: name what was bound before this MATCH, or say \
                    what must be reached in WHERE EXISTS { ... }";
        fault.hint(hint)
    }
}

/// Says of the relationship of a pattern that it is known when the pattern is walked.
fn found_by_search(bound: &mut BoundMatch, of: Slot, span: Span) -> Result<(), Fault> {
    for link in &mut bound.pattern.links {
        match &mut link.kind {
            LinkKind::One {
                relationship,
                bound,
                ..
            } if *relationship == of => *bound = true,
            LinkKind::Chosen(_) if link.relationships.contains(&of) => {
                let message = "a relationship of a shortest path cannot be searched for";
                return Err(raise(Detail::NotSupported, message)
                    .at(span)
                    .hint("search for it in a MATCH of its own before this one"));
            }
            _ => {}
        }
    }
    Ok(())
}
