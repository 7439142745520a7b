//! What the database refuses to declare or drop, as an error of the query.
//!
//! Next: `shown/`.

use crate::error::Error;
use crate::query::error::{Detail, Fault, raise};

/// The query's own error, if it is to blame; what goes wrong below goes through as it is.
pub(super) fn refused(error: Error) -> Fault {
    let detail = match &error {
        Error::AlreadyDeclared { .. } | Error::PropertiesIndexed { .. } => Detail::AlreadyDeclared,
        Error::UnknownName { .. } => Detail::NotDeclared,
        Error::BadDeclaration { .. }
        | Error::BadName { .. }
        | Error::TooMany { .. }
        | Error::IndexOfConstraint { .. }
        | Error::IndexOfVectorIndex { .. }
        | Error::NeededForFilter { .. }
        | Error::VectorIndex { .. }
        | Error::IndexedValueTooLong { .. } => Detail::InvalidDeclaration,
        Error::ConstraintViolation(_)
        | Error::HierarchyCycle { .. }
        | Error::HierarchyParent { .. }
        | Error::VectorRefused { .. }
        | Error::NotAVector { .. } => Detail::ConstraintBroken,
        _ => return error.into(),
    };
    let fault = raise(detail, error.to_string());
    match error {
        Error::AlreadyDeclared { .. } => {
            fault.hint("say IF NOT EXISTS to leave it as it is, or drop it first")
        }
        Error::UnknownName { what, .. } => {
            let list = match what {
                "constraint" => "SHOW CONSTRAINTS",
                "hierarchy" => "SHOW HIERARCHIES",
                _ => "SHOW INDEXES",
            };
            fault.hint(format!(
                "{list} lists what there is, and IF EXISTS lets it be missing"
            ))
        }
        Error::ConstraintViolation(_) => {
            fault.hint("put the data right first; the constraint was not created")
        }
        Error::HierarchyCycle { .. } | Error::HierarchyParent { .. } => {
            fault.hint("put the data right first; the hierarchy was not created")
        }
        Error::VectorRefused { .. } | Error::NotAVector { .. } => {
            fault.hint("put the data right first; the index was not created")
        }
        _ => fault,
    }
}
