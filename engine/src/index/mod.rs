//! Indexes over the graph: which entities have which property values, which texts have which words, and whose
//! vectors are near.

mod hybrid;
mod jobs;
pub mod property;
pub mod text;
pub mod vector;

pub(crate) use hybrid::fuse;
pub use hybrid::{Fusion, HybridHit};
pub(crate) use jobs::Jobs;
