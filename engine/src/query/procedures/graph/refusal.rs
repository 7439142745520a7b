//! What algorithms refuse, as errors of the query.
//!
//! Next: `components.rs`.

use crate::algo::AlgoError;
use crate::algo::dbscan::DbscanError;
use crate::algo::leiden::LeidenError;
use crate::error::Error;
use crate::query::error::{Detail, Fault, raise};
use crate::query::similarity;

impl From<AlgoError> for Fault {
    fn from(error: AlgoError) -> Self {
        match error {
            AlgoError::Engine(error) => error.into(),
            AlgoError::BadOption {
                name,
                value,
                reason,
            } => bad_setting(name, value, reason),
            AlgoError::TooManyNodes { .. } | AlgoError::TooManyRelationships { .. } => {
                raise(Detail::MemoryLimit, error.to_string())
            }
            AlgoError::TooLarge { limit_bytes, .. } => {
                let message = format!(
                    "this part of the graph takes more than the {limit_bytes} bytes that the query has left"
                );
                let hint =
                    "name labels, nodes or types, or raise the query's setting `memory_bytes`";
                raise(Detail::MemoryLimit, message).hint(hint)
            }
            AlgoError::NotProjected { node } => {
                let message =
                    format!("node {node} is not in the part of the graph that is looked at");
                let hint = "the first argument says which nodes are; null stands for all";
                raise(Detail::InvalidArgumentValue, message).hint(hint)
            }
            AlgoError::BadWeight { .. } | AlgoError::WeightKind { .. } | AlgoError::NoWeights => {
                raise(Detail::InvalidArgumentValue, error.to_string())
            }
        }
    }
}

impl From<LeidenError> for Fault {
    fn from(error: LeidenError) -> Self {
        match error {
            LeidenError::Stopped(error) => error.into(),
            LeidenError::Option {
                name,
                value,
                reason,
            } => bad_setting(name, value, reason),
            other => raise(Detail::InvalidArgumentValue, other.to_string()),
        }
    }
}

impl From<DbscanError> for Fault {
    fn from(error: DbscanError) -> Self {
        match error {
            DbscanError::Stopped(error) => error.into(),
            DbscanError::Option {
                name,
                value,
                reason,
            } => bad_setting(name, value, reason),
            other => raise(Detail::InvalidArgumentValue, other.to_string()),
        }
    }
}

/// What reading vectors refuses.
pub(super) fn vectors_refused(error: Error) -> Fault {
    match error {
        Error::MixedDimensions {
            property,
            node,
            expected,
            found,
        } => {
            let hint = format!("node {node} is the first whose {property} has other dimensions");
            similarity::mismatch(expected as usize, found as usize).hint(hint)
        }
        Error::VectorsTooLarge { .. } => {
            let hint = "name labels or nodes, or raise the query's setting `memory_bytes`";
            raise(Detail::MemoryLimit, error.to_string()).hint(hint)
        }
        other => other.into(),
    }
}

/// A setting under the name that it has in the language: `max_passes` is `maxPasses` there.
fn bad_setting(name: &str, value: f64, reason: &str) -> Fault {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    let name = words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        name + &initial.to_uppercase() + rest
    });
    raise(
        Detail::InvalidArgumentValue,
        format!("`{name}` = {value}: {reason}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_called_as_they_are_written() {
        let Fault::Raised(raised) = bad_setting("max_community_nodes", 0.0, "too few") else {
            panic!("not raised");
        };
        assert_eq!(raised.message, "`maxCommunityNodes` = 0: too few");
    }
}
