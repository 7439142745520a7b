//! The graph: nodes and relationships, and what is kept in step with them.
//! Next: [`hierarchy`] for relationship types that form one.

pub mod hierarchy;
