//! Indexes over the graph: which entities have which property values.

pub mod property;
