//! Dates, times and durations.
//!
//! | type | holds | text |
//! |---|---|---|
//! | [`Date`] | days since 1970-01-01 | `1984-10-11` |
//! | [`LocalTime`] | nanoseconds since midnight | `12:31:14.645` |
//! | [`Time`] | a local time and its [`UtcOffset`] | `12:31:14+01:00` |
//! | [`LocalDateTime`] | a date and a local time | `1984-10-11T12:31:14` |
//! | [`DateTime`] | a local date-time, its offset, perhaps a zone | `1984-10-11T12:31:14+01:00[Europe/Stockholm]` |
//! | [`Duration`] | months, days, seconds, nanoseconds | `P12Y5M14DT16H12M` |
//!
//! Every type has checked constructors, so a value in hand is always one that exists; an exact
//! `Display`; and a `FromStr` that reads back just what `Display` writes. Their derived or written
//! `Ord` is the order that sorts and indexes use, and is `Equal` exactly when `==` holds.
//!
//! Nothing here reads a clock or a table of time zones: a [`DateTime`] is given its offset, and
//! the zone is a name that rides along. The many other ISO forms, arithmetic and the resolving of
//! zones belong to the query language's functions; they end in the constructors here.
//!
//! Next: `text.rs`, the scanner all `FromStr` share; `error.rs` for what can be wrong.

mod date;
mod date_time;
mod duration;
mod error;
mod local_date_time;
mod local_time;
mod offset;
mod text;
mod time;
mod zone;

#[cfg(test)]
mod tests;

pub use date::Date;
pub use date_time::DateTime;
pub use duration::{Duration, SECONDS_PER_AVERAGE_MONTH};
pub use error::{TemporalError, TemporalTextError, TextProblem};
pub use local_date_time::LocalDateTime;
pub use local_time::LocalTime;
pub use offset::UtcOffset;
pub use time::Time;
pub use zone::ZoneName;

const SECONDS_PER_DAY: i64 = 86_400;
const NANOS_PER_SECOND: u32 = 1_000_000_000;
