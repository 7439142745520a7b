//! How sure it is that what was retrieved answers the question.

use crate::retrieve::Retrieved;

/// How sure it is that what was retrieved answers the question: more is surer. Nothing was found, nothing is said.
#[must_use]
pub fn confidence_of(retrieved: &Retrieved) -> Option<f64> {
    (!retrieved.found.is_empty()).then(|| f64::from(retrieved.confidence.value))
}
