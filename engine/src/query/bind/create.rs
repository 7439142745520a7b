//! Patterns that are created: `CREATE`, and `MERGE`, which looks for them first.
//!
//! Next: `write.rs`.

use super::conditions::parameter_use;
use super::expr::typed;
use super::pattern::Matching;
use super::scope::Scope;
use super::{Binder, already_bound, conflict};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind, PathStep, Slot};
use crate::query::plan::{BoundClause, BoundMerge, CreateItem, LabelOf, LinkKind, Pattern};
use crate::query::types::Types;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    Arrow, Create, Element, Expression, ExpressionKind, LabelExpression, LabelExpressionKind,
    Merge, NodePattern, PathPattern, RelationshipPattern,
};

/// What is created, on its way.
#[derive(Default)]
struct Creating {
    items: Vec<CreateItem>,
    paths: Vec<(Slot, Expr)>,
    /// The nodes and relationships of the paths, in the order of the text: also those that were there.
    nodes: Vec<Slot>,
    relationships: Vec<Slot>,
    /// Relationships for which `MERGE` takes either direction.
    either: bool,
}

impl Binder<'_> {
    /// `CREATE`.
    pub(super) fn create(
        &mut self,
        scope: &mut Scope,
        from: &Create,
        into: &mut Vec<BoundClause>,
    ) -> Result<(), Fault> {
        self.check_writable(from.span)?;
        let mut creating = Creating::default();
        for path in &from.pattern.paths {
            self.create_path(scope, &mut creating, path)?;
        }
        let Creating { items, paths, .. } = creating;
        into.push(BoundClause::Create { items, paths });
        Ok(())
    }

    /// `MERGE`.
    pub(super) fn merge(
        &mut self,
        scope: &mut Scope,
        from: &Merge,
        into: &mut Vec<BoundClause>,
    ) -> Result<(), Fault> {
        self.check_writable(from.span)?;
        check_merged(&from.path)?;
        // What is created first, which gives every variable its slot; what is looked for has the same ones.
        let known = scope.len();
        let mut creating = Creating {
            either: true,
            ..Creating::default()
        };
        self.create_path(scope, &mut creating, &from.path)?;
        let pattern = self.merged_pattern(scope, &from.path, &creating, known)?;
        let (mut on_create, mut on_match) = (Vec::new(), Vec::new());
        for action in &from.actions {
            let items = self.set_items(scope, &action.items)?;
            match action.on_create {
                true => on_create.extend(items),
                false => on_match.extend(items),
            }
        }
        into.push(BoundClause::Merge(Box::new(BoundMerge {
            pattern,
            create: creating.items,
            on_create,
            on_match,
            paths: creating.paths,
        })));
        Ok(())
    }

    /// What `MERGE` looks for, in the slots of what it would create.
    fn merged_pattern(
        &mut self,
        scope: &mut Scope,
        path: &PathPattern,
        creating: &Creating,
        known: usize,
    ) -> Result<Pattern, Fault> {
        let mut matching = Matching::new(known);
        let new = scope.slots_from(known);
        let created = |slot: &Slot| {
            let mut items = creating.items.iter();
            new.contains(slot)
                || items.any(|item| matches!(item, CreateItem::Node { into, .. } if into == slot))
        };
        let (mut nodes, mut links) = (Vec::new(), Vec::new());
        for element in &path.elements {
            match element {
                Element::Node(node) => nodes.push(node),
                Element::Relationship(relationship) => links.push(relationship),
                Element::Group(group) => return Err(no_group(group.span)),
            }
        }
        for (slot, node) in creating.nodes.iter().zip(nodes) {
            if !matching.pattern.nodes.contains(slot) {
                matching.pattern.nodes.push(*slot);
                if !created(slot) {
                    matching.pattern.given.push(*slot);
                }
            }
            matching.nodes.push((*slot, node));
        }
        let ends = creating.nodes.windows(2);
        for ((slot, relationship), ends) in creating.relationships.iter().zip(links).zip(ends) {
            if let &[left, right] = ends {
                let kind = LinkKind::One {
                    relationship: *slot,
                    bound: false,
                    types: None,
                };
                matching.link(relationship, (left, right), kind, *slot);
            }
        }
        // What is not there is made, so nobody asks for it.
        let asked = std::mem::take(&mut self.asked);
        let bound = self.conditions(scope, &mut matching);
        self.asked = asked;
        bound?;
        Ok(matching.pattern)
    }

    fn create_path(
        &mut self,
        scope: &mut Scope,
        creating: &mut Creating,
        path: &PathPattern,
    ) -> Result<(), Fault> {
        if let Some(selector) = path.selector {
            let message = "a path that is created is one path";
            return Err(raise(Detail::UnexpectedSyntax, message).at(selector.span));
        }
        // All nodes first: a relationship needs both of its ends.
        let alone = path.elements.len() == 1;
        let mut nodes = Vec::new();
        for element in &path.elements {
            match element {
                Element::Node(node) => nodes.push(self.create_node(scope, creating, node, alone)?),
                Element::Relationship(_) => {}
                Element::Group(group) => return Err(no_group(group.span)),
            }
        }
        let mut steps = Vec::new();
        let relationships = path.elements.iter().filter_map(|element| match element {
            Element::Relationship(relationship) => Some(relationship),
            _ => None,
        });
        for (relationship, ends) in relationships.zip(nodes.windows(2)) {
            let &[left, right] = ends else { continue };
            let slot = self.create_relationship(scope, creating, relationship, (left, right))?;
            steps.push(PathStep::One(slot));
            creating.relationships.push(slot);
        }
        creating.nodes.extend(&nodes);
        if let (Some(name), Some(start)) = (&path.variable, nodes.first()) {
            if scope.find(&name.name).is_some() {
                return Err(already_bound(name));
            }
            let variable = self.variable(&name.name, Types::PATH);
            let start = *start;
            let made = typed(ExprKind::Path { start, steps }, path.span, Types::PATH);
            creating.paths.push((variable.slot, made));
            scope.push(variable);
        }
        Ok(())
    }

    fn create_node(
        &mut self,
        scope: &mut Scope,
        creating: &mut Creating,
        node: &NodePattern,
        alone: bool,
    ) -> Result<Slot, Fault> {
        if let Some(filter) = &node.filter {
            return Err(no_filter(filter));
        }
        if let Some(name) = &node.variable
            && let Some(known) = scope.find(&name.name)
        {
            // A node alone is new whatever its name stood for; only an end may be one that is there.
            if !alone && !known.types.may_be(Types::NODE) {
                return Err(conflict(name, known.types, "a node"));
            }
            if alone || node.labels.is_some() || node.properties.is_some() {
                return Err(already_bound(name).hint(
                    "a node that is there is named without labels and properties; SET adds some",
                ));
            }
            return Ok(known.slot);
        }
        let labels = match &node.labels {
            Some(labels) => self.created_labels(scope, labels)?,
            None => Vec::new(),
        };
        let properties =
            self.created_properties(scope, node.properties.as_ref(), creating.either)?;
        let into = match &node.variable {
            Some(name) => {
                let variable = self.variable(&name.name, Types::NODE);
                let slot = variable.slot;
                scope.push(variable);
                slot
            }
            None => self.slot(),
        };
        creating.items.push(CreateItem::Node {
            into,
            labels,
            properties,
            span: node.span,
        });
        Ok(into)
    }

    fn create_relationship(
        &mut self,
        scope: &mut Scope,
        creating: &mut Creating,
        from: &RelationshipPattern,
        (left, right): (Slot, Slot),
    ) -> Result<Slot, Fault> {
        if let Some(filter) = &from.filter {
            return Err(no_filter(filter));
        }
        if let Some(name) = &from.variable
            && scope.find(&name.name).is_some()
        {
            return Err(already_bound(name));
        }
        if super::link::lengths(from).is_some() {
            let message = "relationships of variable length cannot be created";
            return Err(raise(Detail::CreatingVarLength, message).at(from.span));
        }
        let relationship_type = match &from.types {
            Some(types) => self.created_type(scope, types)?,
            None => return Err(no_type(from.span)),
        };
        let (source, target) = match from.arrow {
            Arrow::Right => (left, right),
            Arrow::Left => (right, left),
            Arrow::Either if creating.either => (left, right),
            Arrow::Either => {
                let message = "a relationship that is created needs a direction";
                return Err(raise(Detail::RequiresDirectedRelationship, message)
                    .at(from.span)
                    .hint("write `-[:TYPE]->` or `<-[:TYPE]-`"));
            }
        };
        let properties =
            self.created_properties(scope, from.properties.as_ref(), creating.either)?;
        let into = match &from.variable {
            Some(name) => {
                let variable = self.variable(&name.name, Types::RELATIONSHIP);
                let slot = variable.slot;
                scope.push(variable);
                slot
            }
            None => self.slot(),
        };
        creating.items.push(CreateItem::Relationship {
            into,
            from: source,
            to: target,
            relationship_type,
            properties,
            span: from.span,
        });
        Ok(into)
    }

    fn created_properties(
        &mut self,
        scope: &mut Scope,
        from: Option<&Expression>,
        merged: bool,
    ) -> Result<Option<Expr>, Fault> {
        let Some(from) = from else {
            return Ok(None);
        };
        if merged && !matches!(from.kind, ExpressionKind::Map(_)) {
            return Err(parameter_use(from));
        }
        self.expr(scope, from).map(Some)
    }

    fn created_labels(
        &mut self,
        scope: &mut Scope,
        from: &LabelExpression,
    ) -> Result<Vec<LabelOf>, Fault> {
        Ok(match &from.kind {
            LabelExpressionKind::Name(name) => vec![LabelOf::Name(Arc::clone(&name.name))],
            LabelExpressionKind::Dynamic(of) => vec![LabelOf::Dynamic(self.expr(scope, of)?)],
            LabelExpressionKind::And(parts) => {
                let mut labels = Vec::with_capacity(parts.len());
                for part in parts {
                    labels.extend(self.created_labels(scope, part)?);
                }
                labels
            }
            _ => {
                let message = "a node that is created has labels by name";
                return Err(raise(Detail::UnexpectedSyntax, message)
                    .at(from.span)
                    .hint("`:A&B` and `:A:B` give it both labels"));
            }
        })
    }

    fn created_type(
        &mut self,
        scope: &mut Scope,
        from: &LabelExpression,
    ) -> Result<LabelOf, Fault> {
        match &from.kind {
            LabelExpressionKind::Name(name) => Ok(LabelOf::Name(Arc::clone(&name.name))),
            LabelExpressionKind::Dynamic(of) => Ok(LabelOf::Dynamic(self.expr(scope, of)?)),
            _ => Err(no_type(from.span)),
        }
    }
}

/// `MERGE` creates what it does not find, so it can look only for what can be created.
fn check_merged(path: &PathPattern) -> Result<(), Fault> {
    for element in &path.elements {
        let properties = match element {
            Element::Node(node) => &node.properties,
            Element::Relationship(relationship) => &relationship.properties,
            Element::Group(group) => return Err(no_group(group.span)),
        };
        if let Some(properties) = properties
            && !matches!(properties.kind, ExpressionKind::Map(_))
        {
            return Err(parameter_use(properties));
        }
    }
    Ok(())
}

fn no_group(span: Span) -> Fault {
    let message = "parts that are repeated cannot be created";
    raise(Detail::CreatingVarLength, message).at(span)
}

fn no_filter(filter: &Expression) -> Fault {
    raise(Detail::UnexpectedSyntax, "what is created has no WHERE").at(filter.span)
}

fn no_type(span: Span) -> Fault {
    let message = "a relationship that is created needs exactly one type";
    raise(Detail::NoSingleRelationshipType, message)
        .at(span)
        .hint("write `-[:TYPE]->`")
}
