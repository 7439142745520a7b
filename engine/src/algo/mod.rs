//! Graph algorithms over in-memory projections.
//!
//! A [`Projection`] is a copy of part of the graph in flat arrays, with nodes numbered 0, 1, 2, ...
//! in ascending order of ids. Algorithms take one by reference, report progress to a
//! [`Watch`](crate::storage::cancel::Watch), which may cancel them, and give the same result bit for
//! bit on any number of threads. Ties are broken by node id, then by relationship id. Nothing here
//! may read storage, the clock or a random source; [`snapshot`] alone reads the graph.
//!
//! Next: `projection/` for the arrays, then any algorithm; each is a file of its own.

mod ancestors;
mod components;
pub mod dbscan;
mod degree;
mod error;
pub mod leiden;
mod levels;
mod pace;
mod pagerank;
mod parallel;
mod projection;
#[cfg(test)]
mod random_graph;
mod shortest_path;
mod simple_paths;
pub mod snapshot;
mod top;
pub mod traverse;
mod triangles;
pub(crate) mod walks;

pub use ancestors::{Ancestor, AncestorsOptions, RootPathsOptions, ancestors, paths_to_roots};
pub use components::{Components, strong_components, weak_components};
pub use degree::{degrees, weighted_degrees};
pub use error::AlgoError;
pub use levels::{Levels, LevelsOptions, UNREACHED, levels};
pub use pagerank::{PageRank, PageRankOptions, pagerank, personalised_pagerank};
pub use projection::{
    Adjacency, MOST_ENTRIES, MOST_NODES, Projection, ProjectionBuilder, ProjectionOptions,
    ProjectionPart,
};
pub use shortest_path::{
    DistanceOptions, ShortestPathOptions, distances, shortest_path, shortest_paths,
};
pub use simple_paths::{Path, Paths};
pub use top::top_k;
pub use triangles::{Triangles, triangles};

pub use crate::graph::Direction;
