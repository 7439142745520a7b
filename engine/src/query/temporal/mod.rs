//! The six temporal types as a query sees them: made from text and from maps, taken apart, added, compared
//! over time zones.
//!
//! What the values are is known in `value/temporal/`; here is what the language does with them. Nothing here
//! reads a clock or the machine's own time zone: "now" comes with the query, and the zones' rules come with
//! the program.
//!
//! | what | where |
//! |---|---|
//! | weeks, quarters, ordinal days; adding months | `calendar.rs` |
//! | offsets of named zones | `zones.rs` |
//! | ISO 8601 in its many forms | `text/` |
//! | the parts of a value, whichever type it is | `parts.rs` |
//! | values from maps of components | `fields.rs`, `build.rs` |
//! | `.year`, `.offsetSeconds` | `component.rs` |
//! | fractions of durations, which carry into smaller units | `amount.rs` |
//! | `+ - * /` | `arithmetic.rs` |
//! | cutting off at a unit | `truncate.rs` |
//! | the distance between two values | `between.rs` |
//!
//! Next: `calendar.rs`.

use super::error::{Detail, ErrorType, Fault, raise};
use crate::value::TemporalError;

pub(crate) mod amount;
pub(crate) mod arithmetic;
pub(crate) mod between;
pub(crate) mod build;
pub(crate) mod calendar;
pub(crate) mod component;
pub(crate) mod fields;
pub(crate) mod parts;
pub(crate) mod text;
pub(crate) mod truncate;
pub(crate) mod zones;

/// Seconds of a day in the calendar.
pub(crate) const DAY_SECONDS: i64 = 86_400;
/// Nanoseconds of a second.
pub(crate) const SECOND_NANOS: i64 = 1_000_000_000;

/// The error of a result that the calendar or a duration cannot hold.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is given to map_err, which has errors by value"
)]
pub(crate) fn beyond(error: TemporalError) -> Fault {
    raise(Detail::NumberOutOfRange, error.to_string())
}

/// The error of a duration that is too long to be told.
pub(crate) fn too_long() -> Fault {
    beyond(TemporalError::DurationTooLong)
}

/// The error of an argument that has the right type and means nothing.
pub(crate) fn meaningless(message: impl Into<String>) -> Fault {
    raise(Detail::InvalidArgumentValue, message).of_type(ErrorType::ArgumentError)
}
