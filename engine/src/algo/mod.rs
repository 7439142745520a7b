//! Graph algorithms over in-memory projections.

pub mod dbscan;
pub mod leiden;
