//! Documents that come, change and go, drawn from a seed: what the law of documents is tried on.
//!
//! [`program`] draws what happens, [`stub`] stands in for a model that extracts, and for an embedder; [`hand`] does to
//! a database what the program says, and builds the database that there should be.

pub mod hand;
pub mod program;
pub mod stub;
