//! Patterns that are matched.
//!
//! First every variable gets its slot, then the conditions are bound, which may name any of them.
//!
//! Next: `link.rs`.

use super::chosen::within_chosen;
use super::expr::{boolean, constant, typed};
use super::scope::{Scope, Variable};
use super::{Binder, already_bound, conflict};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind, Labels, PathStep, Slot};
use crate::query::plan::{BoundMatch, Link, LinkKind, Pattern};
use crate::query::types::Types;
use crate::value::Value;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    ComparisonOperator, Element, Expression, ExpressionKind, GraphPattern, GroupPattern,
    Identifier, NodePattern, PathPattern, RelationshipPattern, SelectorKind,
};

/// A pattern on its way.
pub(super) struct Matching<'p> {
    pub(super) pattern: Pattern,
    pub(super) fills: Vec<Slot>,
    /// Variables from this place on belong to the pattern.
    pub(super) own_from: usize,
    /// Nodes and relationships whose conditions are still to be bound.
    pub(super) nodes: Vec<(Slot, &'p NodePattern)>,
    pub(super) links: Vec<(usize, Slot, &'p RelationshipPattern)>,
    pub(super) groups: Vec<&'p GroupPattern>,
    /// Paths of which some are chosen, each with the number of its link.
    pub(super) chosen: Vec<(usize, Matching<'p>)>,
}

impl Matching<'_> {
    /// A pattern of which nothing is known, in a scope.
    pub(super) fn new(scope: &Scope) -> Self {
        Self {
            pattern: Pattern::default(),
            fills: Vec::new(),
            own_from: scope.len(),
            nodes: Vec::new(),
            links: Vec::new(),
            groups: Vec::new(),
            chosen: Vec::new(),
        }
    }
}

impl Binder<'_> {
    /// A pattern; its variables are in `scope` then.
    pub(super) fn pattern(
        &mut self,
        scope: &mut Scope,
        from: &GraphPattern,
    ) -> Result<BoundMatch, Fault> {
        let mut matching = Matching::new(scope);
        for path in &from.paths {
            self.path(scope, &mut matching, path)?;
        }
        self.conditions(scope, &mut matching)?;
        Ok(BoundMatch {
            optional: false,
            pattern: matching.pattern,
            fills: matching.fills,
        })
    }

    /// One path: its nodes and links, and the path itself if it has a name.
    pub(super) fn path<'p>(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'p>,
        path: &'p PathPattern,
    ) -> Result<(Slot, Slot), Fault> {
        let (first, last, steps) = match path.selector.map(|selector| (selector.kind, selector)) {
            None | Some((SelectorKind::All, _)) => self.links_of(scope, matching, path)?,
            Some((_, selector)) => self.chosen_chain(scope, matching, path, selector)?,
        };
        if let Some(name) = &path.variable {
            if scope.find(&name.name).is_some() {
                return Err(already_bound(name));
            }
            let variable = self.variable(&name.name, Types::PATH);
            matching.fills.push(variable.slot);
            let start = first;
            let made = typed(ExprKind::Path { start, steps }, path.span, Types::PATH);
            matching.pattern.paths.push((variable.slot, made));
            scope.push(variable);
        }
        Ok((first, last))
    }

    /// The nodes and links of a path: the first node, the last, and how the path goes over the links.
    pub(super) fn links_of<'p>(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'p>,
        path: &'p PathPattern,
    ) -> Result<(Slot, Slot, Vec<PathStep>), Fault> {
        let elements = flattened(matching, path)?;
        let mut steps = Vec::new();
        let mut first: Option<Slot> = None;
        let mut left: Option<Slot> = None;
        let mut waiting: Option<&'p Element> = None;
        for element in elements {
            match element {
                Element::Node(node) => {
                    let slot = match left.filter(|_| waiting.is_none()) {
                        // Where parentheses open or close between two nodes, both are the same one.
                        Some(same) => self.same_node(scope, matching, same, node)?,
                        None => self.node(scope, matching, node)?,
                    };
                    first.get_or_insert(slot);
                    if let (Some(link), Some(left)) = (waiting.take(), left) {
                        steps.push(self.link(scope, matching, link, left, slot)?);
                    }
                    left = Some(slot);
                }
                link => {
                    // Between two links, and before a group that begins a path, is a node without a name.
                    if let (Some(before), Some(from)) = (waiting.take(), left) {
                        let between = self.nameless(matching);
                        steps.push(self.link(scope, matching, before, from, between)?);
                        left = Some(between);
                    }
                    if left.is_none() {
                        let begin = self.nameless(matching);
                        first.get_or_insert(begin);
                        left = Some(begin);
                    }
                    waiting = Some(link);
                }
            }
        }
        if let (Some(link), Some(from)) = (waiting.take(), left) {
            let end = self.nameless(matching);
            steps.push(self.link(scope, matching, link, from, end)?);
            left = Some(end);
        }
        let (Some(first), Some(last)) = (first, left) else {
            return Err(raise(Detail::UnexpectedSyntax, "a pattern needs a node").at(path.span));
        };
        Ok((first, last, steps))
    }

    /// The path over the only link of a match that did not name it.
    pub(super) fn path_of_last(&mut self, matched: &BoundMatch, span: Span) -> Result<Expr, Fault> {
        let Some(link) = matched.pattern.links.last() else {
            return Err(raise(Detail::UnexpectedSyntax, "a path needs a relationship").at(span));
        };
        let step = match &link.kind {
            LinkKind::One { relationship, .. } => PathStep::One(*relationship),
            LinkKind::Many { relationships, .. } => PathStep::Many(*relationships),
            LinkKind::Chosen(chosen) => {
                match (chosen.links.as_slice(), link.relationships.as_slice()) {
                    ([one], [only]) if one.single => PathStep::One(*only),
                    (_, many) => PathStep::Rounds(many.to_vec()),
                }
            }
            LinkKind::Rounds { .. } => PathStep::Rounds(link.relationships.clone()),
        };
        let kind = ExprKind::Path {
            start: link.from,
            steps: vec![step],
        };
        Ok(typed(kind, span, Types::PATH))
    }

    fn nameless(&mut self, matching: &mut Matching<'_>) -> Slot {
        let slot = self.slot();
        matching.pattern.nodes.push(slot);
        matching.fills.push(slot);
        slot
    }

    fn node<'p>(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'p>,
        node: &'p NodePattern,
    ) -> Result<Slot, Fault> {
        let slot = match &node.variable {
            None => self.nameless(matching),
            Some(name) => self.named_node(scope, matching, name)?,
        };
        matching.nodes.push((slot, node));
        Ok(slot)
    }

    /// Another pattern for a node that has one already, perhaps under another name.
    fn same_node<'p>(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'p>,
        slot: Slot,
        node: &'p NodePattern,
    ) -> Result<Slot, Fault> {
        matching.nodes.push((slot, node));
        let Some(name) = &node.variable else {
            return Ok(slot);
        };
        if scope.find(&name.name).is_none() {
            let mut variable = self.variable(&name.name, Types::NODE);
            variable.slot = slot;
            scope.push(variable);
            return Ok(slot);
        }
        let other = self.named_node(scope, matching, name)?;
        if other != slot {
            let node = |slot| typed(ExprKind::Slot(slot), name.span, Types::NODE);
            let first = Box::new(node(slot));
            let rest = vec![(ComparisonOperator::Equal, node(other))];
            let same = boolean(ExprKind::Comparison { first, rest }, name.span);
            matching.pattern.filters.push(same);
        }
        Ok(slot)
    }

    fn named_node(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'_>,
        name: &Identifier,
    ) -> Result<Slot, Fault> {
        if let Some(known) = scope.find(&name.name) {
            if !known.types.may_be(Types::NODE) {
                return Err(conflict(name, known.types, "a node"));
            }
            let slot = known.slot;
            if !matching.pattern.nodes.contains(&slot) {
                if scope.place(&name.name) >= Some(matching.own_from) {
                    return Err(within_chosen(name));
                }
                matching.pattern.nodes.push(slot);
                matching.pattern.given.push(slot);
            }
            return Ok(slot);
        }
        let variable = self.variable(&name.name, Types::NODE);
        let slot = variable.slot;
        matching.pattern.nodes.push(slot);
        matching.fills.push(slot);
        scope.push(variable);
        Ok(slot)
    }

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

    /// A variable of the pattern for one relationship: a new one, or one that is known from before.
    pub(super) fn named_relationship(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'_>,
        name: &Identifier,
        many: bool,
    ) -> Result<(Slot, bool), Fault> {
        let wanted = if many {
            Types::LIST
        } else {
            Types::RELATIONSHIP
        };
        let Some(place) = scope.place(&name.name) else {
            let mut variable = self.variable(&name.name, wanted);
            if many {
                variable.elements = Types::RELATIONSHIP;
            }
            let slot = variable.slot;
            matching.fills.push(slot);
            scope.push(variable);
            return Ok((slot, false));
        };
        let known = scope.find(&name.name).cloned();
        let Some(Variable {
            slot,
            types,
            elements,
            ..
        }) = known
        else {
            return Err(super::undefined(scope, &name.name, name.span));
        };
        if !types.may_be(wanted) || (many && !elements.may_be(Types::RELATIONSHIP)) {
            let called = if many {
                "a list of relationships"
            } else {
                "a relationship"
            };
            return Err(conflict(name, types, called));
        }
        if place >= matching.own_from {
            let message = format!("relationship `{}` is twice in one pattern", name.name);
            return Err(raise(Detail::RelationshipUniquenessViolation, message)
                .at(name.span)
                .hint("no relationship is matched twice: use another name"));
        }
        Ok((slot, true))
    }
}

/// The elements of a path, parentheses without a quantifier taken away. Their conditions are those of the pattern.
fn flattened<'p>(
    matching: &mut Matching<'p>,
    path: &'p PathPattern,
) -> Result<Vec<&'p Element>, Fault> {
    let mut elements = Vec::new();
    for element in &path.elements {
        match element {
            Element::Group(group) if group.quantifier.is_none() => {
                if group.path.variable.is_some() || group.path.selector.is_some() {
                    let message = "a path within parentheses has neither a name nor a selector";
                    return Err(raise(Detail::NotSupported, message)
                        .at(group.span)
                        .hint("write it before the parentheses around the whole path"));
                }
                matching.groups.push(group);
                elements.extend(flattened(matching, &group.path)?);
            }
            element => elements.push(element),
        }
    }
    Ok(elements)
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

impl Link {
    /// A link that is not known to share no relationship with another.
    pub(super) fn new(from: Slot, to: Slot, kind: LinkKind, relationships: Vec<Slot>) -> Self {
        Self {
            from,
            to,
            arrow: stratigraph_query_lang::ast::Arrow::Right,
            kind,
            relationships,
            reads: Vec::new(),
        }
    }
}
