//! Going through expressions: their parts, the slots that they read, and what they do to the graph.
//!
//! Next: `same.rs`.

use super::{Body, Expr, ExprKind, FunctionOf, Labels, PathStep, Projected, Slot, SubqueryKind};
use crate::query::functions::Lasts;
use crate::query::types::Types;
use std::sync::Arc;

/// Calls `$each` with every part of an expression, by reference or by mutable reference.
macro_rules! parts {
    ($kind:expr, $each:expr, $iter:ident, $deref:ident) => {
        match $kind {
            ExprKind::Constant(_)
            | ExprKind::Slot(_)
            | ExprKind::Parameter(_)
            | ExprKind::Path { .. } => {}
            ExprKind::List(parts)
            | ExprKind::Or(parts)
            | ExprKind::Xor(parts)
            | ExprKind::And(parts) => {
                parts.$iter().for_each(&mut *$each);
            }
            ExprKind::Map(entries) => entries.$iter().for_each(|(_, part)| $each(part)),
            ExprKind::Not(of) | ExprKind::Negate(of) | ExprKind::Plus(of) => $each(of),
            ExprKind::Comparison { first, rest } => {
                $each(first);
                rest.$iter().for_each(|(_, part)| $each(part));
            }
            ExprKind::Arithmetic { first, rest } => {
                $each(first);
                rest.$iter().for_each(|(_, part)| $each(part));
            }
            ExprKind::Predicate { left, right, .. } => {
                $each(left);
                $each(right);
            }
            ExprKind::IsNull { of, .. } | ExprKind::Property { of, .. } => $each(of),
            ExprKind::HasLabels { of, labels } => {
                $each(of);
                labels.$deref(&mut *$each);
            }
            ExprKind::Index { of, index } => {
                $each(of);
                $each(index);
            }
            ExprKind::Slice { of, from, to } => {
                $each(of);
                from.$iter().for_each(|part| $each(part));
                to.$iter().for_each(|part| $each(part));
            }
            ExprKind::Call { arguments, .. } => arguments.$iter().for_each(&mut *$each),
            ExprKind::Case {
                subject,
                arms,
                otherwise,
            } => {
                subject.$iter().for_each(|part| $each(part));
                for (conditions, result) in arms {
                    conditions.$iter().for_each(&mut *$each);
                    $each(result);
                }
                otherwise.$iter().for_each(|part| $each(part));
            }
            ExprKind::ListComprehension {
                list,
                filter,
                result,
                ..
            } => {
                $each(list);
                filter.$iter().for_each(|part| $each(part));
                result.$iter().for_each(|part| $each(part));
            }
            ExprKind::Quantified {
                list, predicate, ..
            } => {
                $each(list);
                $each(predicate);
            }
            ExprKind::Reduce {
                initial,
                list,
                result,
                ..
            } => {
                $each(initial);
                $each(list);
                $each(result);
            }
            ExprKind::MapProjection { of, items } => {
                $each(of);
                for item in items {
                    if let Projected::Entry(_, part) = item {
                        $each(part);
                    }
                }
            }
            ExprKind::Subquery { kind, .. } => {
                if let SubqueryKind::Collect(part) = kind {
                    $each(part);
                }
            }
        }
    };
}

impl Expr {
    /// Its parts, the inside of subqueries left out.
    pub(crate) fn each_part(&self, each: &mut dyn FnMut(&Self)) {
        parts!(&self.kind, each, iter, each_part);
    }

    /// Its parts, to change them.
    pub(crate) fn each_part_mut(&mut self, each: &mut dyn FnMut(&mut Self)) {
        parts!(&mut self.kind, each, iter_mut, each_part_mut);
    }

    /// Every slot that it reads. A subquery may read all that it sees.
    pub(crate) fn each_slot(&self, each: &mut dyn FnMut(Slot)) {
        match &self.kind {
            ExprKind::Slot(slot) => each(*slot),
            ExprKind::Path { start, steps } => {
                each(*start);
                for step in steps {
                    match step {
                        PathStep::One(slot) | PathStep::Many(slot) => each(*slot),
                        PathStep::Rounds(slots) => slots.iter().for_each(|slot| each(*slot)),
                    }
                }
            }
            ExprKind::Subquery {
                body: Body::Bound(bound),
                ..
            } => bound.sees.iter().for_each(|slot| each(*slot)),
            _ => {}
        }
        self.each_part(&mut |part| part.each_slot(each));
    }

    /// Whether it is this variable.
    pub(crate) fn is_slot(&self, slot: Slot) -> bool {
        matches!(self.kind, ExprKind::Slot(own) if own == slot)
    }

    /// The name of the property that it is of this variable.
    pub(crate) fn property_of(&self, slot: Slot) -> Option<&Arc<str>> {
        match &self.kind {
            ExprKind::Property { of, key } if of.is_slot(slot) => Some(key),
            _ => None,
        }
    }

    /// The name and the arguments of the engine's function that it calls.
    pub(crate) fn engine_call(&self) -> Option<(&'static str, &[Self])> {
        match &self.kind {
            ExprKind::Call {
                function: FunctionOf::Engine(function),
                arguments,
            } => Some((function.name, arguments)),
            _ => None,
        }
    }

    /// Whether it reads a slot.
    pub(crate) fn reads(&self, slot: Slot) -> bool {
        let mut found = false;
        self.each_slot(&mut |read| found |= read == slot);
        found
    }

    /// Whether it names a slot, the inside of subqueries left out.
    pub(crate) fn names(&self, slot: Slot) -> bool {
        let mut found = matches!(self.kind, ExprKind::Slot(own) if own == slot);
        self.each_part(&mut |part| found |= part.names(slot));
        found
    }

    /// Whether computing it may fail on some row, as far as can be told.
    pub(crate) fn may_fail(&self) -> bool {
        let itself = match &self.kind {
            ExprKind::Constant(_)
            | ExprKind::Slot(_)
            | ExprKind::Parameter(_)
            | ExprKind::Comparison { .. }
            | ExprKind::IsNull { .. } => false,
            ExprKind::HasLabels { of, labels } => {
                // Names that are computed may be none.
                !matches!(labels, Labels::Name(_)) || !of.types.is_within(Types::ENTITY)
            }
            ExprKind::Property { of, .. } => !of.types.is_within(Types::ENTITY),
            // Of what is no boolean nothing can be said.
            ExprKind::And(parts) | ExprKind::Or(parts) => {
                !parts.iter().all(|part| part.types == Types::BOOLEAN)
            }
            ExprKind::Not(of) => of.types != Types::BOOLEAN,
            _ => true,
        };
        let mut found = itself;
        if !found {
            self.each_part(&mut |part| found |= part.may_fail());
        }
        found
    }

    /// Whether it gives the same for a row as often as it is asked. What is inside of a subquery is not looked at.
    pub(crate) fn is_steady(&self) -> bool {
        let mut steady = match &self.kind {
            ExprKind::Subquery { .. } => false,
            ExprKind::Call { function, .. } => match function {
                FunctionOf::Engine(function) => function.lasts != Lasts::Never,
                FunctionOf::Host(function) => !function.is_volatile(),
            },
            _ => true,
        };
        self.each_part(&mut |part| steady = steady && part.is_steady());
        steady
    }

    /// Whether its value may depend on what is stored.
    pub(crate) fn reads_graph(&self) -> bool {
        let itself = match &self.kind {
            ExprKind::Subquery { .. } | ExprKind::HasLabels { .. } | ExprKind::Path { .. } => true,
            ExprKind::Property { of, .. } | ExprKind::Index { of, .. } => {
                of.types.may_be(Types::ENTITY) && of.types != Types::NULL
            }
            ExprKind::MapProjection { .. } => true,
            ExprKind::Call { function, .. } => match function {
                FunctionOf::Engine(function) => function.lasts == Lasts::Query,
                // It sees the labels and properties of what it is given.
                FunctionOf::Host(_) => true,
            },
            _ => false,
        };
        let mut found = itself;
        if !found {
            self.each_part(&mut |part| found |= part.reads_graph());
        }
        found
    }
}

impl Labels {
    fn each_part(&self, each: &mut dyn FnMut(&Expr)) {
        match self {
            Self::Name(_) | Self::Any => {}
            Self::Dynamic(of) => each(of),
            Self::Not(of) => of.each_part(each),
            Self::And(parts) | Self::Or(parts) => {
                parts.iter().for_each(|part| part.each_part(each));
            }
        }
    }

    fn each_part_mut(&mut self, each: &mut dyn FnMut(&mut Expr)) {
        match self {
            Self::Name(_) | Self::Any => {}
            Self::Dynamic(of) => each(of),
            Self::Not(of) => of.each_part_mut(each),
            Self::And(parts) | Self::Or(parts) => {
                parts.iter_mut().for_each(|part| part.each_part_mut(each));
            }
        }
    }
}
