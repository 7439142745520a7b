//! Whether two expressions say the same, wherever they stand: how a group is found again.
//!
//! Subqueries are never the same, as each fills slots of its own, and neither is what gives another value
//! each time.

use super::{Expr, ExprKind, FunctionOf, Labels, Projected};
use crate::query::functions::Lasts;
use std::sync::Arc;

impl Expr {
    /// Whether both say the same.
    pub(crate) fn same(&self, other: &Self) -> bool {
        use ExprKind as Kind;
        match (&self.kind, &other.kind) {
            (Kind::Constant(left), Kind::Constant(right)) => {
                left.kind() == right.kind() && left.equivalent(right)
            }
            (Kind::Slot(left), Kind::Slot(right)) => left == right,
            (Kind::Parameter(left), Kind::Parameter(right)) => left == right,
            (Kind::List(left), Kind::List(right))
            | (Kind::Or(left), Kind::Or(right))
            | (Kind::Xor(left), Kind::Xor(right))
            | (Kind::And(left), Kind::And(right)) => all_same(left, right),
            (Kind::Map(left), Kind::Map(right)) => {
                let pairs = left.iter().zip(right);
                left.len() == right.len() && { pairs }
                    .all(|((key, one), (name, two))| key == name && one.same(two))
            }
            (Kind::Not(left), Kind::Not(right))
            | (Kind::Negate(left), Kind::Negate(right))
            | (Kind::Plus(left), Kind::Plus(right)) => left.same(right),
            (
                Kind::Comparison { first, rest },
                Kind::Comparison {
                    first: other_first,
                    rest: other_rest,
                },
            ) => first.same(other_first) && same_chain(rest, other_rest),
            (
                Kind::Arithmetic { first, rest },
                Kind::Arithmetic {
                    first: other_first,
                    rest: other_rest,
                },
            ) => first.same(other_first) && same_chain(rest, other_rest),
            (
                Kind::Predicate {
                    left,
                    operator,
                    right,
                },
                Kind::Predicate {
                    left: other_left,
                    operator: other_operator,
                    right: other_right,
                },
            ) => operator == other_operator && left.same(other_left) && right.same(other_right),
            (
                Kind::IsNull { of, negated },
                Kind::IsNull {
                    of: other,
                    negated: other_negated,
                },
            ) => negated == other_negated && of.same(other),
            (
                Kind::HasLabels { of, labels },
                Kind::HasLabels {
                    of: other,
                    labels: other_labels,
                },
            ) => of.same(other) && same_labels(labels, other_labels),
            (
                Kind::Property { of, key },
                Kind::Property {
                    of: other,
                    key: other_key,
                },
            ) => key == other_key && of.same(other),
            (
                Kind::Index { of, index },
                Kind::Index {
                    of: other,
                    index: other_index,
                },
            ) => of.same(other) && index.same(other_index),
            (
                Kind::Slice { of, from, to },
                Kind::Slice {
                    of: other,
                    from: other_from,
                    to: other_to,
                },
            ) => of.same(other) && maybe_same(from, other_from) && maybe_same(to, other_to),
            (
                Kind::Call {
                    function,
                    arguments,
                },
                Kind::Call {
                    function: other,
                    arguments: other_arguments,
                },
            ) => same_function(function, other) && all_same(arguments, other_arguments),
            (
                Kind::Case {
                    subject,
                    arms,
                    otherwise,
                },
                Kind::Case {
                    subject: other_subject,
                    arms: other_arms,
                    otherwise: other_otherwise,
                },
            ) => {
                let pairs = arms.iter().zip(other_arms);
                arms.len() == other_arms.len()
                    && maybe_same(subject, other_subject)
                    && maybe_same(otherwise, other_otherwise)
                    && { pairs }.all(|((one, then), (two, other_then))| {
                        all_same(one, two) && then.same(other_then)
                    })
            }
            (
                Kind::MapProjection { of, items },
                Kind::MapProjection {
                    of: other,
                    items: other_items,
                },
            ) => {
                let pairs = items.iter().zip(other_items);
                of.same(other) && items.len() == other_items.len() && { pairs }
                    .all(|(one, two)| same_item(one, two))
            }
            // Variables of their own have slots of their own, so that these are never found to be the same.
            _ => false,
        }
    }
}

/// Whether both are one function, which gives the same for the same arguments.
fn same_function(one: &FunctionOf, other: &FunctionOf) -> bool {
    match (one, other) {
        (FunctionOf::Engine(one), FunctionOf::Engine(other)) => {
            std::ptr::eq(*one, *other) && one.lasts != Lasts::Never
        }
        (FunctionOf::Host(one), FunctionOf::Host(other)) => {
            Arc::ptr_eq(one, other) && !one.is_volatile()
        }
        _ => false,
    }
}

fn all_same(left: &[Expr], right: &[Expr]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(one, two)| one.same(two))
}

fn same_chain<O: PartialEq>(left: &[(O, Expr)], right: &[(O, Expr)]) -> bool {
    let mut pairs = left.iter().zip(right);
    left.len() == right.len()
        && pairs.all(|((one, left), (two, right))| one == two && left.same(right))
}

fn maybe_same(left: &Option<Box<Expr>>, right: &Option<Box<Expr>>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => left.same(right),
        _ => false,
    }
}

fn same_item(left: &Projected, right: &Projected) -> bool {
    match (left, right) {
        (Projected::All, Projected::All) => true,
        (Projected::Property(one), Projected::Property(two)) => one == two,
        (Projected::Entry(key, one), Projected::Entry(name, two)) => key == name && one.same(two),
        _ => false,
    }
}

fn same_labels(left: &Labels, right: &Labels) -> bool {
    match (left, right) {
        (Labels::Any, Labels::Any) => true,
        (Labels::Name(one), Labels::Name(two)) => one == two,
        (Labels::Dynamic(one), Labels::Dynamic(two)) => one.same(two),
        (Labels::Not(one), Labels::Not(two)) => same_labels(one, two),
        (Labels::And(one), Labels::And(two)) | (Labels::Or(one), Labels::Or(two)) => {
            let mut pairs = one.iter().zip(two);
            one.len() == two.len() && pairs.all(|(one, two)| same_labels(one, two))
        }
        _ => false,
    }
}
