//! Declared queries: statements with names, typed parameters and a JSON Schema, which a model calls as tools, a program
//! calls by name, and a question is routed to ([0027](../../../docs/adr/0027-declared-queries-are-data.md)).
//!
//! ```text
//! a question ──> what it names, quotes, counts ──> arguments of each query ──> the best that can be called ──> rows
//!            └─> a model, by calling one ────────> looked at like any call ──┘                                └> items
//! ```
//! | what | where |
//! |---|---|
//! | what somebody declares | `declared.rs` |
//! | where it is kept | `store.rs` |
//! | arguments: JSON from outside to parameters | `arguments.rs` |
//! | a call: rows, and what of the graph stands in them | `call.rs`, `plain.rs` |
//! | types of a graph, and what a question names of them | `types.rs`, `names.rs` |
//! | texts in quotes, numbers, days | `facts.rs` |
//! | which query a question is for: by rule, by a model, both | `choose.rs`, `model.rs`, `choice.rs` |
//! | what is offered where nothing is declared | `defaults.rs` |
//! | the queries of an audit of qualifications | `audit.rs` |
//!
//! What is declared only reads; arguments are bound beside the text of the statement and never become a part of it.

mod arguments;
mod audit;
mod call;
mod choice;
mod choose;
mod declared;
mod defaults;
mod error;
mod facts;
mod model;
mod names;
mod plain;
mod store;
mod types;

pub use audit::{AUDIT_MAPPING, AUDIT_QUERIES, audit};
pub use call::{CallLimits, Called, Statements};
pub use choice::{By, NamedInQuestion, Routing};
pub use choose::Candidate;
pub use declared::{Declared, Kind, Parameter, PropertyOf};
pub use error::RouteError;
pub use model::AskedModel;
pub use store::MOST_DECLARED;

pub(crate) use call::run;
pub(crate) use choice::{Choice, offered};
pub(crate) use plain::plain;
pub(crate) use store::{DECLARED_QUERY, declare, kept, undeclare};

#[cfg(test)]
mod tests;
