//! Patterns that are matched.
//!
//! First every variable gets its slot, then the conditions are bound, which may name any of them.
//!
//! Next: `link.rs`.

use super::chosen::within_chosen;
use super::expr::{boolean, typed};
use super::scope::{Scope, Variable};
use super::{Binder, already_bound, conflict};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind, PathStep, Slot};
use crate::query::plan::{BoundMatch, Link, LinkKind, Pattern};
use crate::query::types::Types;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    ComparisonOperator, Element, GraphPattern, GroupPattern, Identifier, NodePattern, PathPattern,
    RelationshipPattern, SelectorKind,
};

/// The most relationships of a pattern. Each knows all that were walked before it, so a pattern takes memory and time by
/// the square of them.
const MAX_LINKS: usize = 1000;

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
            chosen: Vec::new(),
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
            reads: Vec::new(),
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
        // Before anything is made of it. Half of the elements are nodes.
        if matching.pattern.links.len() + path.elements.len() / 2 > MAX_LINKS {
            return Err(raise(
                Detail::QueryTooLong,
                format!("a pattern has at most {MAX_LINKS} relationships"),
            )
            .hint("divide it into several MATCH clauses, or say how often a part repeats: `-[:R]->{1,9}`")
            .at(path.span));
        }
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
