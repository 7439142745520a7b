//! What lies between two nodes of a pattern: a relationship, several, or rounds of a pattern.
//!
//! Next: `conditions.rs`.

use super::Binder;
use super::pattern::Matching;
use super::scope::{Scope, Variable};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{PathStep, Slot};
use crate::query::plan::{Link, LinkKind};
use crate::query::types::Types;
use stratigraph_query_lang::ast::{Arrow, Element, GroupPattern, Quantifier, RelationshipPattern};

impl Binder<'_> {
    /// A link from a node to the next, and how a path goes over it.
    pub(super) fn link<'p>(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'p>,
        element: &'p Element,
        from: Slot,
        to: Slot,
    ) -> Result<PathStep, Fault> {
        match element {
            Element::Relationship(relationship) => {
                self.relationship(scope, matching, relationship, (from, to))
            }
            Element::Group(group) => self.rounds(scope, matching, group, from, to),
            Element::Node(node) => {
                Err(raise(Detail::UnexpectedSyntax, "a relationship is missing").at(node.span))
            }
        }
    }

    fn relationship<'p>(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'p>,
        from: &'p RelationshipPattern,
        ends: (Slot, Slot),
    ) -> Result<PathStep, Fault> {
        let lengths = lengths(from);
        let many = lengths.is_some();
        let (slot, bound) = match &from.variable {
            Some(name) => self.named_relationship(scope, matching, name, many)?,
            None => {
                let slot = self.slot();
                matching.fills.push(slot);
                (slot, false)
            }
        };
        let (min, max) = lengths.unwrap_or((1, Some(1)));
        let kind = match many {
            false => LinkKind::One {
                relationship: slot,
                bound,
                types: None,
            },
            true => LinkKind::Many {
                relationships: slot,
                bound,
                types: None,
                min,
                max,
                each: None,
            },
        };
        matching.link(from, ends, kind, slot);
        Ok(match many {
            true => PathStep::Many(slot),
            false => PathStep::One(slot),
        })
    }

    /// `((a)-[r]->(b) WHERE ...){1,3}`.
    fn rounds(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'_>,
        group: &GroupPattern,
        from: Slot,
        to: Slot,
    ) -> Result<PathStep, Fault> {
        let quantifier = group.quantifier.unwrap_or(Quantifier {
            min: 1,
            max: Some(1),
            span: group.span,
        });
        check_quantifier(&quantifier)?;
        check_group(group)?;
        let mut inner = Matching::new(scope.len());
        let mut within = scope.clone();
        let (round_from, round_to) = self.path(&mut within, &mut inner, &group.path)?;
        if let Some(given) = inner.pattern.given.first() {
            let visible = scope.visible();
            let name = visible.iter().find(|variable| variable.slot == *given);
            let name = name.map_or("", |variable| &variable.name);
            let message = format!("variable `{name}` is already bound");
            return Err(raise(Detail::VariableAlreadyBound, message)
                .at(group.span)
                .hint("what is repeated needs variables of its own"));
        }
        inner.groups.push(group);
        self.conditions(&mut within, &mut inner)?;
        // The first node of a round is given by the round before.
        inner.pattern.given.push(round_from);

        let mut lists = Vec::new();
        let own: Vec<Variable> = within.variables_from(scope.len());
        for variable in own {
            if scope.find(&variable.name).is_some() {
                let name = group.path.span;
                let message = format!("variable `{}` is already bound", variable.name);
                return Err(raise(Detail::VariableAlreadyBound, message).at(name));
            }
            let mut list = self.variable(&variable.name, Types::LIST);
            list.elements = variable.types;
            matching.fills.push(list.slot);
            lists.push((variable.slot, list.slot));
            scope.push(list);
        }
        let walked: Vec<Slot> = inner
            .pattern
            .links
            .iter()
            .flat_map(|link| link.relationships.clone())
            .collect();
        let mut relationships = Vec::with_capacity(walked.len());
        for slot in &walked {
            let known = lists.iter().find(|(round, _)| round == slot);
            let list = match known {
                Some((_, list)) => *list,
                None => {
                    let list = self.slot();
                    matching.fills.push(list);
                    lists.push((*slot, list));
                    list
                }
            };
            relationships.push(list);
        }
        let kind = LinkKind::Rounds {
            pattern: inner.pattern,
            round_from,
            round_to,
            min: quantifier.min,
            max: quantifier.max,
            lists,
            relationships: walked,
        };
        matching.pattern.links.push(Link {
            from,
            to,
            arrow: Arrow::Right,
            kind,
            relationships: relationships.clone(),
            reads: Vec::new(),
        });
        Ok(PathStep::Rounds(relationships))
    }
}

/// How many relationships a pattern stands for; `None` if for exactly one that is no list.
pub(super) fn lengths(from: &RelationshipPattern) -> Option<(u64, Option<u64>)> {
    match (from.length, from.quantifier) {
        (Some(length), _) => Some((length.min.unwrap_or(1), length.max)),
        (None, Some(quantifier)) => Some((quantifier.min, quantifier.max)),
        (None, None) => None,
    }
}

fn check_quantifier(quantifier: &Quantifier) -> Result<(), Fault> {
    match quantifier.max {
        Some(max) if max < quantifier.min || max == 0 => Err(raise(
            Detail::NumberOutOfRange,
            "the upper bound of a quantifier is at least 1 and no lower than the lower bound",
        )
        .of_type(crate::query::error::ErrorType::SyntaxError)
        .at(quantifier.span)),
        _ => Ok(()),
    }
}

/// What can be repeated.
fn check_group(group: &GroupPattern) -> Result<(), Fault> {
    let not_supported = |message: &str| {
        Err(raise(Detail::NotSupported, message)
            .at(group.span)
            .hint("repeat a plain chain of nodes and relationships"))
    };
    if group.path.selector.is_some() {
        return not_supported("the shortest of a part that is repeated cannot be found");
    }
    let elements = &group.path.elements;
    if elements
        .iter()
        .any(|element| matches!(element, Element::Group(_)))
    {
        return not_supported("a part that is repeated cannot contain another one yet");
    }
    if group.path.variable.is_some() {
        return not_supported("a path within a part that is repeated cannot have a name yet");
    }
    if elements.len() < 3 {
        return not_supported("a part that is repeated needs a relationship");
    }
    Ok(())
}
