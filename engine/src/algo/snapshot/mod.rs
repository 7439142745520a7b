//! What algorithms read from the graph: projections, vectors, and steps taken in a transaction.
//!
//! The algorithms themselves know no storage. [`Selection`] says which part of a snapshot a
//! projection is made of, [`GraphSteps`] lets a traversal step through a transaction without one,
//! and [`VectorTable`] holds the vectors of a property for scoring and clustering.

mod cache;
mod column;
mod fill;
mod members;
mod project;
mod steps;
mod vectors;

#[cfg(test)]
mod tests;

pub(crate) use cache::ProjectionCache;
pub(crate) use column::{Column, ColumnOf};
pub use members::HierarchyMembers;
pub use project::Selection;
pub use steps::{GraphSteps, ProjectionSteps};
pub use vectors::VectorTable;
