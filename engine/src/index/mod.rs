//! Indexes over the graph: which entities have which property values, and which texts have which words.

pub mod property;
pub mod text;
