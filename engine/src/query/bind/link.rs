//! What lies between two nodes of a pattern: a relationship, several, or rounds of a pattern.
//!
//! Next: `create.rs`.

use super::Binder;
use super::expr::typed;
use super::labels::type_names;
use super::pattern::{Matching, all_of, push_labels};
use super::scope::{Scope, Variable};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind, PathStep, Slot};
use crate::query::plan::{Link, LinkKind, Pattern};
use crate::query::types::Types;
use std::collections::HashSet;
use stratigraph_query_lang::ast::{Element, GroupPattern, Quantifier, RelationshipPattern};

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
        (left, right): (Slot, Slot),
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
        let mut link = Link::new(left, right, kind, vec![slot]);
        link.arrow = from.arrow;
        matching
            .links
            .push((matching.pattern.links.len(), slot, from));
        matching.pattern.links.push(link);
        Ok(match many {
            true => PathStep::Many(slot),
            false => PathStep::One(slot),
        })
    }

    /// Types, properties and `WHERE` of a relationship. Of one they are conditions as any other; of several
    /// each must fulfil them while it is walked.
    pub(super) fn link_conditions(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'_>,
        (at, slot): (usize, Slot),
        from: &RelationshipPattern,
        filters: &mut Vec<Expr>,
    ) -> Result<(), Fault> {
        let labels = match &from.types {
            Some(types) => Some(self.labels(scope, types)?),
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
                    name: std::sync::Arc::clone(&name.name),
                    slot: single,
                    types: Types::RELATIONSHIP,
                    elements: Types::ANY,
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
        let mut inner = Matching::new(scope);
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
        let link = Link::new(from, to, kind, relationships.clone());
        matching.pattern.links.push(link);
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
