//! How sure it is that what was retrieved answers the question.

use crate::retrieve::Retrieved;

/// How sure it is that what was retrieved answers the question: more is surer. Nothing was found, nothing is said.
///
/// This is the one place that decides what refusal is measured by.
#[must_use]
pub fn confidence_of(retrieved: &Retrieved) -> Option<f64> {
    let best = retrieved.found.first()?;
    Some(f64::from(best.receipt.score.value))
}
