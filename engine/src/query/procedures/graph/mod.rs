//! `graph.*`: algorithms over a part of the graph.
//!
//! The first argument says which nodes: a list of them, `{labels: [...]}`, or null for all; relationships are those
//! between them. The second is a map of settings, of which `types` and `weight` say which relationships count, and
//! how much. Rows come in an order that the algorithm's file names, and are the same each time.
//!
//! All of it is bounded by the query's memory and time, and can be cancelled.
//!
//! | what | where |
//! |---|---|
//! | the part of the graph, and what working on it may take | `part.rs` |
//! | what algorithms refuse, as errors of the query | `refusal.rs` |
//! | what hangs together | `components.rs` |
//! | importance | `pagerank.rs`, `degree.rs` |
//! | groups | `communities.rs`, `dbscan.rs`, `triangles.rs` |
//! | the shortest ways | `shortest.rs` |
//!
//! Next: `part.rs`.

mod communities;
mod components;
mod dbscan;
mod degree;
mod pagerank;
mod part;
mod refusal;
mod shortest;
mod triangles;

use super::procedure::Procedure;
use super::types::ProcedureType;
use crate::value::Value;
use std::sync::Arc;

/// How many threads an algorithm takes at most. Results do not depend on it.
const THREADS: usize = 2;

/// All of them.
pub(super) fn procedures() -> Vec<Procedure> {
    let mut all = vec![
        components::procedure(),
        pagerank::procedure(),
        degree::procedure(),
        communities::procedure(),
        dbscan::procedure(),
        triangles::procedure(),
    ];
    all.extend(shortest::procedures());
    all
}

/// A procedure with the two arguments that all of them have.
fn algorithm(name: &str) -> Procedure {
    let none = Value::Map(Arc::default());
    Procedure::new(name)
        .takes_with_default("nodes", ProcedureType::ANY, Value::Null)
        .takes_with_default("settings", ProcedureType::MAP, none)
}
