//! What can be wrong with a date, a time or a duration: as numbers, and as text.
//!
//! Next: `text.rs`, which finds the place in the text.

use thiserror::Error;

/// Why some numbers are no date, time or duration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TemporalError {
    /// A component lies outside its range.
    #[error("the {component} must be between {min} and {max}, it is {found}")]
    OutOfRange {
        /// What the number counts, such as "month".
        component: &'static str,
        /// The number that was given.
        found: i64,
        /// The smallest number that would do.
        min: i64,
        /// The largest number that would do.
        max: i64,
    },
    /// The month does not have that many days.
    #[error("month {month} of the year {year} has {days} days, not {found}")]
    NoSuchDay {
        /// The year, which decides on leap days.
        year: i64,
        /// The month.
        month: u32,
        /// How many days it has.
        days: u32,
        /// The day that was given.
        found: u32,
    },
    /// A time zone's name is empty, too long or has characters that no zone's name has.
    #[error("`{}` is not the name of a time zone", found.escape_debug())]
    BadZoneName {
        /// The name that was given.
        found: String,
    },
    /// The average length of a duration does not fit into 64 bits of seconds.
    #[error("the duration is longer than 2^63 seconds")]
    DurationTooLong,
}

/// Why a text is no date, time or duration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not a {what}: {}", self.reason())]
pub struct TemporalTextError {
    /// What was being read, such as "local time".
    pub what: &'static str,
    /// The byte of the text where the trouble starts.
    pub at: usize,
    /// The trouble.
    pub problem: TextProblem,
}

impl TemporalTextError {
    /// The trouble and its place, without what was being read.
    pub(in crate::value) fn reason(&self) -> String {
        match &self.problem {
            // That is about the whole text.
            problem @ TextProblem::NotCanonical { .. } => problem.to_string(),
            problem => format!("{problem} at byte {}", self.at),
        }
    }
}

/// What is wrong at one place of a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextProblem {
    /// Something else should stand here.
    #[error("{0} expected")]
    Expected(&'static str),
    /// The text is readable, and we would write the same value differently.
    #[error("write it as {accepted}")]
    NotCanonical {
        /// How we write it.
        accepted: String,
    },
    /// The shape is right and the numbers are not.
    #[error("{0}")]
    Invalid(TemporalError),
}

/// `found` itself where it lies in `min..=max`.
pub(super) fn within(
    component: &'static str,
    found: i64,
    min: i64,
    max: i64,
) -> Result<i64, TemporalError> {
    if (min..=max).contains(&found) {
        return Ok(found);
    }
    Err(TemporalError::OutOfRange {
        component,
        found,
        min,
        max,
    })
}
