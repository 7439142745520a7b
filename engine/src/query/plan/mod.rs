//! From bound clauses to operators.
//!
//! Next: `ops.rs`, the operators, and `bound.rs`, what the binder makes.

mod bound;
mod ops;

pub(crate) use bound::*;
pub(crate) use ops::*;
