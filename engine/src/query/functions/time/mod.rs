//! The functions that make and measure dates, times and durations.
//!
//! What they do is in `query/temporal/`; here is how they are called. No function here reads a clock: the
//! moments of the transaction and of the statement come with the query.
//!
//! | what | where |
//! |---|---|
//! | `date`, `time`, `localtime`, `localdatetime`, `datetime`, `duration` | `construct.rs` |
//! | `date.statement` and its kin | `now.rs` |
//! | `date.truncate` and its kin | `truncate.rs` |
//! | `duration.between` and its kin | `between.rs` |
//!
//! Next: `construct.rs`.

use super::{Argument, Function, Lasts};
use crate::query::types::Types;

mod between;
mod construct;
mod now;
mod truncate;

/// All of them, a table each.
pub(crate) static FUNCTIONS: &[&[Function]] = &[
    construct::FUNCTIONS,
    now::FUNCTIONS,
    truncate::FUNCTIONS,
    between::FUNCTIONS,
];

const fn argument(name: &'static str, types: Types) -> Argument {
    Argument { name, types }
}
