//! What is within a value: properties, elements, labels, and maps made of properties.
//!
//! Next: `call.rs`.

use super::Binder;
use super::expr::{boolean, typed, wrong_type};
use super::scope::Scope;
use crate::query::asked::NameOf;
use crate::query::error::{Detail, ErrorType, Fault, raise};
use crate::query::expr::{Expr, ExprKind, Projected};
use crate::query::types::Types;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    Expression, ExpressionKind, Identifier, LabelExpression, MapProjectionItem,
};

/// What has properties.
const WITH_PROPERTIES: Types = Types::ENTITY.or(Types::MAP).or(Types::TEMPORAL);

impl Binder<'_> {
    pub(super) fn property(
        &mut self,
        scope: &mut Scope,
        of: &Expression,
        key: &Identifier,
        span: Span,
    ) -> Result<Expr, Fault> {
        let of = self.expr(scope, of)?;
        if !of.types.may_be(WITH_PROPERTIES) {
            let message = format!("{} has no property `{}`", of.types, key.name);
            return Err(raise(Detail::InvalidArgumentType, message)
                .of_type(ErrorType::TypeError)
                .at(key.span)
                .hint("nodes, relationships, maps and temporal values have properties"));
        }
        // A stored property is no map and no entity; an entry of a map may be anything.
        let types = if of.types.is_within(Types::ENTITY) {
            self.asks(NameOf::Property, &key.name);
            Types::PROPERTY
        } else {
            Types::ANY
        };
        let (of, key) = (Box::new(of), Arc::clone(&key.name));
        Ok(typed(ExprKind::Property { of, key }, span, types))
    }

    pub(super) fn index(
        &mut self,
        scope: &mut Scope,
        of: &Expression,
        index: &Expression,
        span: Span,
    ) -> Result<Expr, Fault> {
        let of = Box::new(self.expr(scope, of)?);
        let index = Box::new(self.expr(scope, index)?);
        Ok(typed(ExprKind::Index { of, index }, span, Types::ANY))
    }

    pub(super) fn slice(
        &mut self,
        scope: &mut Scope,
        of: &Expression,
        from: Option<&Expression>,
        to: Option<&Expression>,
        span: Span,
    ) -> Result<Expr, Fault> {
        let of = Box::new(self.expr(scope, of)?);
        let from = self.boxed(scope, from)?;
        let to = self.boxed(scope, to)?;
        Ok(typed(ExprKind::Slice { of, from, to }, span, Types::LIST))
    }

    pub(super) fn has_labels(
        &mut self,
        scope: &mut Scope,
        of: &Expression,
        labels: &LabelExpression,
        span: Span,
    ) -> Result<Expr, Fault> {
        let of = self.expr(scope, of)?;
        if !of.types.may_be(Types::ENTITY) {
            let message = format!("{} has neither labels nor a type", of.types);
            return Err(raise(Detail::InvalidArgumentType, message).at(of.span));
        }
        if of.types.is_within(Types::NODE) {
            self.asks_labels(NameOf::Label, labels);
        } else if of.types.is_within(Types::RELATIONSHIP) {
            self.asks_labels(NameOf::Type, labels);
        }
        let of = Box::new(of);
        let labels = self.labels(scope, labels)?;
        Ok(boolean(ExprKind::HasLabels { of, labels }, span))
    }

    /// `of {.key, .*, key: value, variable}`.
    pub(super) fn map_projection(
        &mut self,
        scope: &mut Scope,
        of: &Expression,
        items: &[MapProjectionItem],
        span: Span,
    ) -> Result<Expr, Fault> {
        let of = self.expr(scope, of)?;
        if !of.types.may_be(Types::ENTITY.or(Types::MAP)) {
            return Err(wrong_type(
                &of,
                "a map projection",
                "a node, a relationship or a map",
            ));
        }
        let mut bound = Vec::with_capacity(items.len());
        for item in items {
            bound.push(match item {
                MapProjectionItem::Property(key) => {
                    if of.types.is_within(Types::ENTITY) {
                        self.asks(NameOf::Property, &key.name);
                    }
                    Projected::Property(Arc::clone(&key.name))
                }
                MapProjectionItem::All(_) => Projected::All,
                MapProjectionItem::Entry(key, value) => {
                    Projected::Entry(Arc::clone(&key.name), self.expr(scope, value)?)
                }
                MapProjectionItem::Variable(name) => {
                    let kind = ExpressionKind::Variable(Arc::clone(&name.name));
                    let value = self.expr(
                        scope,
                        &Expression {
                            kind,
                            span: name.span,
                        },
                    )?;
                    Projected::Entry(Arc::clone(&name.name), value)
                }
            });
        }
        let of = Box::new(of);
        let kind = ExprKind::MapProjection { of, items: bound };
        Ok(typed(kind, span, Types::MAP))
    }
}
