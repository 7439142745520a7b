//! Running plans: operators in a row, batches of rows through them.
//!
//! ```text
//! Run ── stage ── stage ── stage ──> batches
//!         │ one row in, any number out: flat/
//!         │ all rows in, then rows out: gather/
//!         └ expressions over a row: eval/
//! ```
//! A run is a loop over its stages, never a recursion through them; only what is nested in the text is nested on
//! the stack. No stage holds anything that is borrowed from a transaction, so that stages that write can stand
//! between those that read.
//!
//! | what | where |
//! |---|---|
//! | what a query has while it runs: graph, parameters, limits | `context.rs` |
//! | the graph as it sees it | `graph.rs`, `face.rs`, `kind.rs` |
//! | asking vector and text indexes | `hits.rs` |
//! | the loop | `pipeline.rs`, `stage.rs` |
//! | what each operator has done | `profile.rs` |
//! | matches that are only counted | `walks/` |
//! | values for those outside | `hydrate.rs` |
//!
//! Next: `context.rs`.

mod batch;
mod context;
pub(crate) mod eval;
mod face;
mod flat;
mod gather;
mod graph;
pub(crate) mod hits;
mod hydrate;
mod kind;
mod memory;
mod pipeline;
mod profile;
mod stage;
mod walks;
pub(crate) mod write;

#[cfg(test)]
mod tests;

pub(crate) use batch::Batch;
pub(crate) use context::{Context, Deletions, Limits};
pub(crate) use eval::eval;
pub(crate) use graph::{DeletedRelationship, Graph, Txn};
pub(crate) use hydrate::hydrate;
pub(crate) use kind::Kind;
pub(crate) use memory::bytes_of_all;
pub(crate) use pipeline::Run;
pub(crate) use profile::{Profile, key_of};
