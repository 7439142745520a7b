//! Indexes over the graph: which entities have which property values, which texts have which words, and whose
//! vectors are near.

pub mod property;
pub mod text;
pub mod vector;
