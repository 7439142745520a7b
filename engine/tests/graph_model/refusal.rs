//! Why something is refused, as far as the documentation says it: the kind of the error and what it
//! names.

use crate::plain::Plain;
use stratigraph::Error;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refusal {
    NodeNotFound(u64),
    RelationshipNotFound(u64),
    HasRelationships(u64),
    NotStorable,
    Constraint(String),
    TooLongForIndex(String),
    Cycle(String),
    SecondParent(String),
    UnknownName(String),
    AlreadyDeclared,
    IndexOfConstraint(String),
    UnknownSavepoint,
}

impl Refusal {
    /// # Panics
    /// At an error that no operation of the model may give.
    pub(crate) fn of(error: &Error) -> Self {
        match error {
            Error::NodeNotFound { node } => Self::NodeNotFound(node.get()),
            Error::RelationshipNotFound { relationship } => {
                Self::RelationshipNotFound(relationship.get())
            }
            Error::HasRelationships { relationships, .. } => Self::HasRelationships(*relationships),
            Error::NotStorable { .. } => Self::NotStorable,
            Error::ConstraintViolation(of) => Self::Constraint(of.constraint.to_string()),
            Error::IndexedValueTooLong { index, .. } => Self::TooLongForIndex(index.to_string()),
            Error::HierarchyCycle { hierarchy, .. } => Self::Cycle(hierarchy.to_string()),
            Error::HierarchyParent { hierarchy, .. } => Self::SecondParent(hierarchy.to_string()),
            Error::UnknownName { name, .. } => Self::UnknownName(name.to_string()),
            Error::AlreadyDeclared { .. } | Error::PropertiesIndexed { .. } => {
                Self::AlreadyDeclared
            }
            Error::IndexOfConstraint { index, .. } => Self::IndexOfConstraint(index.to_string()),
            Error::UnknownSavepoint => Self::UnknownSavepoint,
            other => panic!("an error that nothing here may give: {other:?}"),
        }
    }
}

/// What an error says beside its kind has to be true of the graph, and of the relationship that was
/// refused.
pub(crate) fn is_true(error: &Error, plain: &Plain, refused: Option<(u64, u64)>) {
    let leads = |of: &str, from: u64, to: u64| {
        let mut all = plain.relationships.values();
        refused == Some((from, to))
            || all.any(|each| each.of == of && each.source == from && each.target == to)
    };
    match error {
        Error::HierarchyCycle { hierarchy, cycle } => {
            let Some(hierarchy) = plain.hierarchies.get(&**hierarchy) else {
                // It could not be declared.
                return;
            };
            let nodes: Vec<u64> = cycle.nodes().iter().map(|node| node.get()).collect();
            let next = nodes.iter().cycle().skip(1);
            for (parent, child) in nodes.iter().zip(next) {
                assert!(leads(hierarchy.of, *parent, *child), "{error}");
            }
            assert!(!nodes.is_empty(), "{error}");
        }
        Error::HierarchyParent {
            hierarchy,
            child,
            parent,
            refused: other,
        } => {
            assert_ne!(parent, other, "{error}");
            if let Some(hierarchy) = plain.hierarchies.get(&**hierarchy) {
                assert!(leads(hierarchy.of, parent.get(), child.get()), "{error}");
                assert_eq!(refused, Some((other.get(), child.get())), "{error}");
            }
        }
        _ => {}
    }
}
