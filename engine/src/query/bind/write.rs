//! `SET`, `REMOVE`, `DELETE`, `FOREACH`.
//!
//! Next: `procedure.rs`.

use super::expr::{constant, of_variable, wrong_type};
use super::over_list::element_types;
use super::scope::Scope;
use super::{Binder, already_bound, undefined};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, Slot};
use crate::query::plan::{BoundClause, RemoveItem as BoundRemove, SetItem as BoundSet};
use crate::query::types::Types;
use std::sync::Arc;
use stratigraph_query_lang::ast::{
    Delete, Expression, ExpressionKind, Foreach, Identifier, RemoveItem, SetItem,
};

impl Binder<'_> {
    pub(super) fn set_items(
        &mut self,
        scope: &mut Scope,
        items: &[SetItem],
    ) -> Result<Vec<BoundSet>, Fault> {
        items
            .iter()
            .map(|item| self.set_item(scope, item))
            .collect()
    }

    fn set_item(&mut self, scope: &mut Scope, item: &SetItem) -> Result<BoundSet, Fault> {
        Ok(match item {
            SetItem::Property { of, key, value } => BoundSet::Property {
                of: self.changed(scope, of)?,
                key: constant(Arc::clone(&key.name).into(), key.span),
                value: self.expr(scope, value)?,
            },
            SetItem::DynamicProperty { of, key, value } => BoundSet::Property {
                of: self.changed(scope, of)?,
                key: self.property_name(scope, key)?,
                value: self.expr(scope, value)?,
            },
            SetItem::Replace { variable, value } => BoundSet::Replace {
                of: self.changed_variable(scope, variable, Types::ENTITY)?,
                value: self.property_source(scope, value)?,
                span: variable.span,
            },
            SetItem::Add { variable, value } => BoundSet::Add {
                of: self.changed_variable(scope, variable, Types::ENTITY)?,
                value: self.property_source(scope, value)?,
                span: variable.span,
            },
            SetItem::Labels {
                variable,
                labels,
                span,
            } => BoundSet::Labels {
                of: self.changed_variable(scope, variable, Types::NODE)?,
                labels: self.label_names(scope, labels)?,
                span: *span,
            },
        })
    }

    pub(super) fn remove_items(
        &mut self,
        scope: &mut Scope,
        items: &[RemoveItem],
    ) -> Result<Vec<BoundRemove>, Fault> {
        let bind = |item: &RemoveItem| {
            Ok(match item {
                RemoveItem::Property { of, key } => BoundRemove::Property {
                    of: self.changed(scope, of)?,
                    key: constant(Arc::clone(&key.name).into(), key.span),
                },
                RemoveItem::DynamicProperty { of, key } => BoundRemove::Property {
                    of: self.changed(scope, of)?,
                    key: self.property_name(scope, key)?,
                },
                RemoveItem::Labels {
                    variable,
                    labels,
                    span,
                } => BoundRemove::Labels {
                    of: self.changed_variable(scope, variable, Types::NODE)?,
                    labels: self.label_names(scope, labels)?,
                    span: *span,
                },
            })
        };
        items.iter().map(bind).collect()
    }

    /// What has its properties changed.
    fn changed(&mut self, scope: &mut Scope, of: &Expression) -> Result<Expr, Fault> {
        let of = self.expr(scope, of)?;
        if of.types.may_be(Types::ENTITY) {
            return Ok(of);
        }
        Err(wrong_type(&of, "this", "a node or a relationship"))
    }

    fn changed_variable(
        &mut self,
        scope: &mut Scope,
        name: &Identifier,
        wanted: Types,
    ) -> Result<Slot, Fault> {
        let Some(variable) = scope.find(&name.name) else {
            return Err(undefined(scope, &name.name, name.span));
        };
        if variable.types.may_be(wanted) {
            return Ok(variable.slot);
        }
        let called = if wanted == Types::NODE {
            "a node"
        } else {
            "a node or a relationship"
        };
        Err(wrong_type(
            &of_variable(variable, name.span),
            "this",
            called,
        ))
    }

    fn property_name(&mut self, scope: &mut Scope, key: &Expression) -> Result<Expr, Fault> {
        let key = self.expr(scope, key)?;
        if key.types.may_be(Types::STRING) {
            return Ok(key);
        }
        Err(wrong_type(&key, "the name of a property", "a string"))
    }

    /// What a map of properties is taken from.
    fn property_source(&mut self, scope: &mut Scope, value: &Expression) -> Result<Expr, Fault> {
        let value = self.expr(scope, value)?;
        if value.types.may_be(Types::MAP.or(Types::ENTITY)) {
            return Ok(value);
        }
        Err(wrong_type(
            &value,
            "this",
            "a map, a node or a relationship",
        ))
    }

    pub(super) fn delete(
        &mut self,
        scope: &mut Scope,
        from: &Delete,
    ) -> Result<BoundClause, Fault> {
        self.check_writable(from.span)?;
        let mut items = Vec::with_capacity(from.items.len());
        for item in &from.items {
            if let ExpressionKind::HasLabels { .. } = item.kind {
                let message = "DELETE takes whole nodes, relationships and paths";
                return Err(raise(Detail::InvalidDelete, message)
                    .at(item.span)
                    .hint("REMOVE takes labels away"));
            }
            let item = self.expr(scope, item)?;
            if !item.types.may_be(Types::ENTITY.or(Types::PATH)) {
                return Err(wrong_type(
                    &item,
                    "DELETE",
                    "a node, a relationship or a path",
                ));
            }
            items.push(item);
        }
        let detach = from.detach;
        Ok(BoundClause::Delete { detach, items })
    }

    pub(super) fn foreach(
        &mut self,
        scope: &mut Scope,
        from: &Foreach,
    ) -> Result<BoundClause, Fault> {
        self.check_writable(from.span)?;
        let list = self.expr(scope, &from.list)?;
        if !list.types.may_be(Types::LIST) {
            return Err(wrong_type(&list, "FOREACH", "a list"));
        }
        if scope.find(&from.variable.name).is_some() {
            return Err(already_bound(&from.variable));
        }
        let len = scope.len();
        let mut variable = self.variable(&from.variable.name, Types::ANY);
        variable.types = element_types(scope, &list);
        let into = variable.slot;
        scope.push(variable);
        let clauses = self.writing_clauses(scope, &from.body);
        scope.cut(len);
        Ok(BoundClause::Foreach {
            list,
            into,
            clauses: clauses?,
        })
    }
}
