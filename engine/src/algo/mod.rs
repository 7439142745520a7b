//! Graph algorithms over in-memory projections.

pub mod traverse;
