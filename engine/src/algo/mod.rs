//! Graph algorithms over in-memory projections.
//!
//! A [`Projection`] is a copy of part of the graph in flat arrays, with nodes numbered 0, 1, 2, ...
//! in ascending order of ids. Algorithms take one by reference, report progress to a
//! [`Watch`](crate::storage::cancel::Watch), which may cancel them, and give the same result bit for
//! bit on any number of threads. Ties are broken by node id, then by relationship id. Nothing here
//! may read storage, the clock or a random source; [`snapshot`] alone reads the graph.
//!
//! Next: `projection/` for the arrays, then any algorithm; each is a file of its own.

mod components;
mod degree;
mod error;
mod levels;
mod pace;
mod pagerank;
mod parallel;
mod projection;
#[cfg(test)]
mod random_graph;
pub mod snapshot;
mod top;
pub mod traverse;

pub use components::{Components, strong_components, weak_components};
pub use degree::{degrees, weighted_degrees};
pub use error::AlgoError;
pub use levels::{Levels, LevelsOptions, UNREACHED, levels};
pub use pagerank::{PageRank, PageRankOptions, pagerank, personalised_pagerank};
pub use projection::{
    Adjacency, Direction, MOST_ENTRIES, MOST_NODES, Projection, ProjectionBuilder,
    ProjectionOptions, ProjectionPart,
};
pub use top::top_k;
