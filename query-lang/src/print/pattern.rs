//! Prints patterns and label expressions.
//!
//! Next: `clause.rs`.

use super::{filter, name, variable};
use crate::ast::{
    Arrow, Element, Expression, GroupPattern, Identifier, LabelExpression, LabelExpressionKind,
    Length, NodePattern, PathPattern, Quantifier, RelationshipPattern, SelectorKind,
};
use std::fmt::{Formatter, Result};

/// `[variable =] [selector] elements`.
pub(super) fn path(f: &mut Formatter<'_>, path: &PathPattern) -> Result {
    if let Some(variable) = &path.variable {
        name(f, variable)?;
        f.write_str(" = ")?;
    }
    if let Some(selector) = path.selector {
        match selector.kind {
            SelectorKind::All => f.write_str("ALL ")?,
            SelectorKind::Any(count) => write!(f, "ANY {count} ")?,
            SelectorKind::Shortest(count) => write!(f, "SHORTEST {count} ")?,
            SelectorKind::AllShortest => f.write_str("ALL SHORTEST ")?,
            SelectorKind::ShortestGroups(count) => write!(f, "SHORTEST {count} GROUPS ")?,
        }
    }
    elements(f, &path.elements)
}

/// `shortestPath(elements)`, `allShortestPaths(elements)`.
pub(super) fn shortest_path(f: &mut Formatter<'_>, path: &PathPattern) -> Result {
    let all = path
        .selector
        .is_some_and(|selector| selector.kind == SelectorKind::AllShortest);
    f.write_str(if all {
        "allShortestPaths("
    } else {
        "shortestPath("
    })?;
    elements(f, &path.elements)?;
    f.write_str(")")
}

fn elements(f: &mut Formatter<'_>, elements: &[Element]) -> Result {
    let mut after_relationship = true;
    for element in elements {
        let relationship = matches!(element, Element::Relationship(_));
        if !relationship && !after_relationship {
            f.write_str(" ")?;
        }
        after_relationship = relationship;
        match element {
            Element::Node(element) => node(f, element)?,
            Element::Relationship(element) => self::relationship(f, element)?,
            Element::Group(element) => group(f, element)?,
        }
    }
    Ok(())
}

fn group(f: &mut Formatter<'_>, group: &GroupPattern) -> Result {
    f.write_str("(")?;
    path(f, &group.path)?;
    filter(f, group.filter.as_ref())?;
    f.write_str(")")?;
    quantifier(f, group.quantifier.as_ref())
}

pub(super) fn node(f: &mut Formatter<'_>, node: &NodePattern) -> Result {
    f.write_str("(")?;
    body(
        f,
        node.variable.as_ref(),
        node.labels.as_ref(),
        None,
        node.properties.as_ref(),
    )?;
    filter(f, node.filter.as_ref())?;
    f.write_str(")")
}

fn relationship(f: &mut Formatter<'_>, relationship: &RelationshipPattern) -> Result {
    let (before, after) = match relationship.arrow {
        Arrow::Right => ("-", "->"),
        Arrow::Left => ("<-", "-"),
        // In an expression `--+(b)` would be signs before `b`.
        Arrow::Either if relationship.quantifier.is_some() => ("<-", "->"),
        Arrow::Either => ("-", "-"),
    };
    f.write_str(before)?;
    let empty = relationship.variable.is_none()
        && relationship.types.is_none()
        && relationship.length.is_none()
        && relationship.properties.is_none()
        && relationship.filter.is_none();
    if !empty {
        f.write_str("[")?;
        body(
            f,
            relationship.variable.as_ref(),
            relationship.types.as_ref(),
            relationship.length.as_ref(),
            relationship.properties.as_ref(),
        )?;
        filter(f, relationship.filter.as_ref())?;
        f.write_str("]")?;
    }
    f.write_str(after)?;
    quantifier(f, relationship.quantifier.as_ref())
}

/// `variable:Label*1..3 {key: value}`.
fn body(
    f: &mut Formatter<'_>,
    of: Option<&Identifier>,
    labels: Option<&LabelExpression>,
    length: Option<&Length>,
    properties: Option<&Expression>,
) -> Result {
    if let Some(of) = of {
        variable(f, &of.name)?;
    }
    if let Some(labels) = labels {
        write!(f, ":{labels}")?;
    }
    if let Some(length) = length {
        f.write_str("*")?;
        match (length.min, length.max) {
            (None, None) => {}
            (Some(min), Some(max)) if min == max => write!(f, "{min}")?,
            (min, max) => {
                if let Some(min) = min {
                    write!(f, "{min}")?;
                }
                f.write_str("..")?;
                if let Some(max) = max {
                    write!(f, "{max}")?;
                }
            }
        }
    }
    let spaced = of.is_some() || labels.is_some() || length.is_some();
    super::optional(f, if spaced { " " } else { "" }, properties)
}

fn quantifier(f: &mut Formatter<'_>, quantifier: Option<&Quantifier>) -> Result {
    let Some(quantifier) = quantifier else {
        return Ok(());
    };
    match (quantifier.min, quantifier.max) {
        (0, None) => f.write_str("*"),
        (1, None) => f.write_str("+"),
        (min, None) => write!(f, "{{{min},}}"),
        (min, Some(max)) if min == max => write!(f, "{{{min}}}"),
        (min, Some(max)) => write!(f, "{{{min},{max}}}"),
    }
}

/// What a place among labels holds without parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Labels {
    Or,
    And,
    One,
}

pub(super) fn labels(f: &mut Formatter<'_>, labels: &LabelExpression, least: Labels) -> Result {
    let level = match labels.kind {
        LabelExpressionKind::Or(_) => Labels::Or,
        LabelExpressionKind::And(_) => Labels::And,
        _ => Labels::One,
    };
    if level >= least {
        return bare_labels(f, labels);
    }
    f.write_str("(")?;
    bare_labels(f, labels)?;
    f.write_str(")")
}

fn bare_labels(f: &mut Formatter<'_>, whole: &LabelExpression) -> Result {
    match &whole.kind {
        LabelExpressionKind::Name(label) => name(f, label),
        LabelExpressionKind::Dynamic(expression) => write!(f, "$({expression})"),
        LabelExpressionKind::Any => f.write_str("%"),
        LabelExpressionKind::Not(negated) => {
            f.write_str("!")?;
            labels(f, negated, Labels::One)
        }
        LabelExpressionKind::And(all) => {
            super::separated(f, all, "&", |f, one| labels(f, one, Labels::One))
        }
        LabelExpressionKind::Or(choices) => {
            super::separated(f, choices, "|", |f, one| labels(f, one, Labels::And))
        }
    }
}
