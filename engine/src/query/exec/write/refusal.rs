//! What the engine refuses, as an error of the query.
//!
//! Also for whoever commits: constraints on what must be there, and vector indexes, are looked at last.
//!
//! Next: `written.rs`.

use crate::error::Error;
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::face::deleted;

/// The query's own error if its change is to blame; everything else goes through as it is.
pub(crate) fn refused(error: Error) -> Fault {
    match error {
        Error::NodeNotFound { node } => deleted(node.into()),
        Error::RelationshipNotFound { relationship } => deleted(relationship.into()),
        Error::NotStorable { property, source } => {
            let reason = source.to_string();
            // The engine says what to do after a semicolon.
            let (reason, hint) = match reason.split_once("; ") {
                Some((reason, hint)) => (reason.to_owned(), Some(hint.to_owned())),
                None => (reason, None),
            };
            let message = format!("the property {property} cannot be stored: {reason}");
            let fault = raise(Detail::InvalidPropertyType, message);
            match hint {
                Some(hint) => fault.hint(hint),
                None => fault,
            }
        }
        Error::HasRelationships {
            node,
            relationships,
        } => {
            let word = if relationships == 1 {
                "relationship"
            } else {
                "relationships"
            };
            let message = format!("node {node} still has {relationships} {word}");
            raise(Detail::DeleteConnectedNode, message)
                .hint("delete its relationships as well, or say DETACH DELETE")
        }
        Error::ConstraintViolation(_)
        | Error::HierarchyCycle { .. }
        | Error::HierarchyParent { .. } => raise(Detail::ConstraintBroken, error.to_string()),
        Error::VectorRefused { .. } => raise(Detail::ConstraintBroken, error.to_string())
            .hint("SHOW VECTOR INDEXES tells what the index holds: embed with the model of its other vectors"),
        Error::NotAVector { .. } => raise(Detail::ConstraintBroken, error.to_string())
            .hint("write vector([...]), or call db.create.setNodeVectorProperty"),
        Error::BadName { .. }
        | Error::TooMany { .. }
        | Error::TooLarge { .. }
        | Error::IndexedValueTooLong { .. } => {
            raise(Detail::InvalidArgumentValue, error.to_string())
        }
        other => other.into(),
    }
}
