//! Indexes over the graph: which entities have which property values, and whose vectors are near.

pub mod property;
pub mod vector;
