//! Labels and types.
//!
//! Next: `pattern.rs`.

use super::Binder;
use super::scope::Scope;
use crate::query::asked::NameOf;
use crate::query::error::Fault;
use crate::query::expr::Labels;
use crate::query::plan::{LabelOf, TypeNames};
use std::sync::Arc;
use stratigraph_query_lang::ast::{LabelExpression, LabelExpressionKind, LabelName};

impl Binder<'_> {
    /// Which labels, or which types.
    pub(super) fn labels(
        &mut self,
        scope: &mut Scope,
        from: &LabelExpression,
    ) -> Result<Labels, Fault> {
        Ok(match &from.kind {
            LabelExpressionKind::Name(name) => Labels::Name(Arc::clone(&name.name)),
            LabelExpressionKind::Dynamic(of) => Labels::Dynamic(Box::new(self.expr(scope, of)?)),
            LabelExpressionKind::Any => Labels::Any,
            LabelExpressionKind::Not(of) => Labels::Not(Box::new(self.labels(scope, of)?)),
            LabelExpressionKind::And(parts) => Labels::And(self.all_labels(scope, parts)?),
            LabelExpressionKind::Or(parts) => Labels::Or(self.all_labels(scope, parts)?),
        })
    }

    /// Notes the labels, or the types, that are asked for.
    pub(super) fn asks_labels(&mut self, of: NameOf, from: &LabelExpression) {
        match &from.kind {
            LabelExpressionKind::Name(name) => self.asks(of, &name.name),
            LabelExpressionKind::Not(one) => self.asks_labels(of, one),
            LabelExpressionKind::And(parts) | LabelExpressionKind::Or(parts) => {
                parts.iter().for_each(|part| self.asks_labels(of, part));
            }
            LabelExpressionKind::Dynamic(_) | LabelExpressionKind::Any => {}
        }
    }

    fn all_labels(
        &mut self,
        scope: &mut Scope,
        parts: &[LabelExpression],
    ) -> Result<Vec<Labels>, Fault> {
        parts.iter().map(|part| self.labels(scope, part)).collect()
    }

    /// Labels that are written by name or as an expression.
    pub(super) fn label_names(
        &mut self,
        scope: &mut Scope,
        names: &[LabelName],
    ) -> Result<Vec<LabelOf>, Fault> {
        let bind = |name: &LabelName| {
            Ok(match name {
                LabelName::Static(name) => LabelOf::Name(Arc::clone(&name.name)),
                LabelName::Dynamic(of) => LabelOf::Dynamic(self.expr(scope, of)?),
            })
        };
        names.iter().map(bind).collect()
    }
}

/// The names that a list of types comes down to; `None` if it says more than "one of these".
pub(super) fn type_names(labels: &Labels) -> TypeNames {
    match labels {
        Labels::Name(name) => Some(vec![Arc::clone(name)]),
        Labels::Or(parts) => {
            let names = parts.iter().map(|part| match part {
                Labels::Name(name) => Some(Arc::clone(name)),
                _ => None,
            });
            let mut names: Vec<Arc<str>> = names.collect::<Option<_>>()?;
            // A type that is named twice is walked once.
            names.sort();
            names.dedup();
            Some(names)
        }
        _ => None,
    }
}
