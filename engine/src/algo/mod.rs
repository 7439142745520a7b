//! Graph algorithms over in-memory projections.
