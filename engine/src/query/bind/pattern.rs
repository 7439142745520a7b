//! Patterns that are matched.
//!
//! First every variable gets its slot, then the conditions are bound, which may name any of them.
//!
//! Next: `link.rs`.

use super::expr::typed;
use super::scope::{Scope, Variable};
use super::{Binder, already_bound, conflict};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind, PathStep, Slot};
use crate::query::plan::{BoundMatch, Link, LinkKind, Pattern};
use crate::query::types::Types;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    Element, GraphPattern, GroupPattern, Identifier, NodePattern, PathPattern, RelationshipPattern,
    SelectorKind,
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
}

impl<'p> Matching<'p> {
    /// Nothing yet; there are so many variables before it.
    pub(super) fn new(own_from: usize) -> Self {
        Self {
            pattern: Pattern::default(),
            fills: Vec::new(),
            own_from,
            nodes: Vec::new(),
            links: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Adds a link between two nodes; its relationship, or the list of them, is in `slot`.
    pub(super) fn link(
        &mut self,
        from: &'p RelationshipPattern,
        ends: (Slot, Slot),
        kind: LinkKind,
        slot: Slot,
    ) {
        self.links.push((self.pattern.links.len(), slot, from));
        self.pattern.links.push(Link {
            from: ends.0,
            to: ends.1,
            arrow: from.arrow,
            kind,
            relationships: vec![slot],
        });
    }
}

impl Binder<'_> {
    /// A pattern; its variables are in `scope` then.
    pub(super) fn pattern(
        &mut self,
        scope: &mut Scope,
        from: &GraphPattern,
    ) -> Result<BoundMatch, Fault> {
        let mut matching = Matching::new(scope.len());
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
        let elements = flattened(matching, path)?;
        let selector = match path.selector.map(|selector| selector.kind) {
            None | Some(SelectorKind::All) => None,
            Some(kind) => Some(kind),
        };
        if let (Some(kind), Some(selector)) = (selector, path.selector) {
            check_selector(kind, selector.span)?;
            let simple = matches!(
                elements.as_slice(),
                [Element::Node(_), Element::Relationship(_), Element::Node(_)]
            );
            if !simple {
                return Err(raise(
                    Detail::NotSupported,
                    "the shortest of longer patterns cannot be found yet",
                )
                .at(selector.span.to(path.span))
                .hint("use one relationship with a length, as in `(a)-[:T]->+(b)`"));
            }
        }
        let mut steps = Vec::new();
        let mut first: Option<Slot> = None;
        let mut left: Option<Slot> = None;
        let mut waiting: Option<&'p Element> = None;
        for element in elements {
            match element {
                Element::Node(node) => {
                    let slot = self.node(scope, matching, node)?;
                    first.get_or_insert(slot);
                    if let (Some(link), Some(left)) = (waiting.take(), left) {
                        steps.push(self.link(scope, matching, link, left, slot, selector)?);
                    }
                    left = Some(slot);
                }
                link => {
                    // Between two links, and before a group that begins a path, is a node without a name.
                    if let (Some(before), Some(from)) = (waiting.take(), left) {
                        let between = self.nameless(matching);
                        steps.push(self.link(scope, matching, before, from, between, selector)?);
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
            steps.push(self.link(scope, matching, link, from, end, selector)?);
            left = Some(end);
        }
        let (Some(first), Some(last)) = (first, left) else {
            return Err(raise(Detail::UnexpectedSyntax, "a pattern needs a node").at(path.span));
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

    /// The path over the only link of a match that did not name it.
    pub(super) fn path_of_last(&mut self, matched: &BoundMatch, span: Span) -> Result<Expr, Fault> {
        let Some(link) = matched.pattern.links.last() else {
            return Err(raise(Detail::UnexpectedSyntax, "a path needs a relationship").at(span));
        };
        let step = match &link.kind {
            LinkKind::One { relationship, .. } => PathStep::One(*relationship),
            LinkKind::Many { relationships, .. } => PathStep::Many(*relationships),
            LinkKind::Shortest {
                relationships,
                single,
                ..
            } => match single {
                true => PathStep::One(*relationships),
                false => PathStep::Many(*relationships),
            },
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

/// Refuses a choice of no paths, which is a slip: there is nothing to choose then.
fn check_selector(kind: SelectorKind, span: Span) -> Result<(), Fault> {
    use SelectorKind::{Any, Shortest, ShortestGroups};
    match kind {
        Any(0) | Shortest(0) | ShortestGroups(0) => Err(raise(
            Detail::NumberOutOfRange,
            "at least one path, or one group of them, is asked for",
        )
        .of_type(crate::query::error::ErrorType::SyntaxError)
        .at(span)),
        _ => Ok(()),
    }
}

/// The elements of a path, parentheses without a quantifier around all of it taken away.
fn flattened<'p>(
    matching: &mut Matching<'p>,
    path: &'p PathPattern,
) -> Result<Vec<&'p Element>, Fault> {
    if let [Element::Group(group)] = path.elements.as_slice()
        && group.quantifier.is_none()
    {
        matching.groups.push(group);
        return flattened(matching, &group.path);
    }
    let mut elements = path.elements.iter();
    let bare = elements.find_map(|element| match element {
        Element::Group(group) if group.quantifier.is_none() => Some(group),
        _ => None,
    });
    match bare {
        Some(group) => Err(raise(
            Detail::NotSupported,
            "a part of a path in parentheses needs a quantifier",
        )
        .at(group.span)
        .hint("write it without parentheses, and its WHERE after the pattern")),
        None => Ok(path.elements.iter().collect()),
    }
}
