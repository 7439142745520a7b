//! What must be true of the nodes and relationships of a pattern: labels, types, properties, `WHERE`.
//!
//! They are bound when every variable of the pattern has its slot, since they may name any of them.
//!
//! Next: `create.rs`.

use super::Binder;
use super::expr::{boolean, constant, typed};
use super::labels::type_names;
use super::link::lengths;
use super::pattern::Matching;
use super::scope::{Scope, Variable};
use crate::query::asked::NameOf;
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind, Labels, Slot};
use crate::query::plan::{LinkKind, Pattern};
use crate::query::types::Types;
use crate::value::Value;
use std::collections::HashSet;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    ComparisonOperator, Expression, ExpressionKind, RelationshipPattern,
};

impl Binder<'_> {
    /// Labels, properties and `WHERE` of everything in the pattern.
    pub(super) fn conditions(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'_>,
    ) -> Result<(), Fault> {
        let mut filters = std::mem::take(&mut matching.pattern.filters);
        for slot in &matching.pattern.given {
            // What is null was not found before, and is not found now.
            let of = Box::new(typed(ExprKind::Slot(*slot), Span::default(), Types::NODE));
            let kind = ExprKind::IsNull { of, negated: true };
            filters.push(boolean(kind, Span::default()));
        }
        for (slot, node) in std::mem::take(&mut matching.nodes) {
            let this = typed(ExprKind::Slot(slot), node.span, Types::NODE);
            if let Some(labels) = &node.labels {
                let labels_span = labels.span;
                self.asks_labels(NameOf::Label, labels);
                let labels = self.labels(scope, labels)?;
                push_labels(&mut filters, &this, labels, labels_span);
            }
            self.properties(scope, &this, node.properties.as_ref(), &mut filters)?;
            if let Some(filter) = &node.filter {
                self.conjuncts(scope, filter, &mut filters)?;
            }
        }
        for (at, slot, relationship) in std::mem::take(&mut matching.links) {
            self.link_conditions(scope, matching, (at, slot), relationship, &mut filters)?;
        }
        for group in std::mem::take(&mut matching.groups) {
            if let Some(filter) = &group.filter {
                self.conjuncts(scope, filter, &mut filters)?;
            }
        }
        for (at, inner) in std::mem::take(&mut matching.chosen) {
            self.chosen_conditions(scope, matching, (at, inner), &mut filters)?;
        }
        matching.pattern.filters = filters;
        self.note_reads(scope, &mut matching.pattern)
    }

    /// `{key: value}`: each property must be equal.
    pub(super) fn properties(
        &mut self,
        scope: &mut Scope,
        of: &Expr,
        properties: Option<&Expression>,
        into: &mut Vec<Expr>,
    ) -> Result<(), Fault> {
        let Some(properties) = properties else {
            return Ok(());
        };
        let ExpressionKind::Map(entries) = &properties.kind else {
            return Err(parameter_use(properties));
        };
        for (key, value) in entries {
            let value = self.expr(scope, value)?;
            self.asks(NameOf::Property, &key.name);
            let span = key.span.to(value.span);
            let property = ExprKind::Property {
                of: Box::new(of.clone()),
                key: Arc::clone(&key.name),
            };
            let first = Box::new(typed(property, key.span, Types::PROPERTY));
            let rest = vec![(ComparisonOperator::Equal, value)];
            into.push(boolean(ExprKind::Comparison { first, rest }, span));
        }
        Ok(())
    }

    /// Types, properties and `WHERE` of a relationship. Of one they are conditions as any other; of several
    /// each must fulfil them while it is walked.
    fn link_conditions(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'_>,
        (at, slot): (usize, Slot),
        from: &RelationshipPattern,
        filters: &mut Vec<Expr>,
    ) -> Result<(), Fault> {
        let labels = match &from.types {
            Some(types) => {
                self.asks_labels(NameOf::Type, types);
                Some(self.labels(scope, types)?)
            }
            None => None,
        };
        let names = labels.as_ref().and_then(type_names);
        let complex = labels.filter(|_| names.is_none());
        let is_one = lengths(from).is_none();
        let single = if is_one { slot } else { self.slot() };
        let this = typed(ExprKind::Slot(single), from.span, Types::RELATIONSHIP);
        let mut own = Vec::new();
        if let Some(labels) = complex {
            push_labels(&mut own, &this, labels, from.span);
        }
        self.properties(scope, &this, from.properties.as_ref(), &mut own)?;
        if let Some(filter) = &from.filter {
            let len = scope.len();
            if let Some(name) = &from.variable
                && !is_one
            {
                // Within the brackets the name is each relationship, not the list of them.
                scope.push(Variable {
                    name: Arc::clone(&name.name),
                    slot: single,
                    types: Types::RELATIONSHIP,
                    elements: Types::ANY,
                    tells: None,
                });
            }
            let bound = self.conjuncts(scope, filter, &mut own);
            scope.cut(len);
            bound?;
        }
        let Some(link) = matching.pattern.links.get_mut(at) else {
            return Ok(());
        };
        let walked = (!own.is_empty()).then(|| own.clone());
        match &mut link.kind {
            LinkKind::One { types, .. } => {
                *types = names;
                filters.extend(own);
            }
            LinkKind::Many { types, each, .. } => {
                *types = names;
                *each = walked.map(|own| (single, all_of(own, from.span)));
            }
            LinkKind::Rounds { .. } | LinkKind::Chosen(_) => {}
        }
        Ok(())
    }

    /// Notes what the conditions of each link read, which must be found before it. What is found by itself or by
    /// a link after it cannot be.
    pub(super) fn note_reads(&self, scope: &Scope, pattern: &mut Pattern) -> Result<(), Fault> {
        for at in 0..pattern.links.len() {
            let mut later: HashSet<Slot> = HashSet::new();
            for link in pattern.links.iter().skip(at) {
                later.extend(link.fills());
            }
            for (path, along) in &pattern.paths {
                if later.iter().any(|slot| along.reads(*slot)) {
                    later.insert(*path);
                }
            }
            // What a whole way is asked is known then, and what each relationship of it is asked as well.
            if let LinkKind::Chosen(_) = pattern.links[at].kind {
                for own in pattern.links[at].fills() {
                    later.remove(&own);
                }
            }
            let mut reads = Vec::new();
            for condition in pattern.links[at].conditions() {
                condition.each_slot(&mut |slot| reads.push(slot));
                let Some(slot) = later.iter().find(|slot| condition.names(**slot)) else {
                    continue;
                };
                let visible = scope.visible();
                let name = visible.iter().find(|variable| variable.slot == *slot);
                let name = name.map_or("", |variable| &variable.name);
                let message =
                    format!("`{name}` is not known yet where this condition is asked, on the way");
                return Err(raise(Detail::NotSupported, message)
                    .at(condition.span)
                    .hint("ask it in the WHERE after the pattern"));
            }
            let own = pattern.links[at].fills();
            reads.retain(|slot| !later.contains(slot) && !own.contains(slot));
            reads.sort_unstable();
            reads.dedup();
            pattern.links[at].reads = reads;
        }
        Ok(())
    }
}

/// Properties that are a parameter where they must be known.
pub(super) fn parameter_use(properties: &Expression) -> Fault {
    raise(
        Detail::InvalidParameterUse,
        "a parameter cannot stand for all properties here",
    )
    .at(properties.span)
    .hint("name the properties: `{key: $parameter.key}`")
}

/// Labels taken apart where all of several are needed, so that each can be used on its own.
pub(super) fn push_labels(into: &mut Vec<Expr>, of: &Expr, labels: Labels, span: Span) {
    match labels {
        Labels::And(parts) => {
            for part in parts {
                push_labels(into, of, part, span);
            }
        }
        labels => {
            let of = Box::new(of.clone());
            into.push(boolean(ExprKind::HasLabels { of, labels }, span));
        }
    }
}

/// All of these, as one expression.
pub(super) fn all_of(mut parts: Vec<Expr>, span: Span) -> Expr {
    match parts.len() {
        0 => constant(Value::Bool(true), span),
        1 => parts.remove(0),
        _ => boolean(ExprKind::And(parts), span),
    }
}
