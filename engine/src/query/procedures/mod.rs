//! Procedures: what can be called with `CALL`, the engine's own and the host's.
//!
//! | what | where |
//! |---|---|
//! | types of arguments and columns, as they are written | `types.rs` |
//! | a procedure, described and checked | `procedure.rs` |
//! | what the host's are given, and how they fail | `host.rs` |
//! | all procedures of a database, by name | `registry.rs` |
//! | calling one | `call.rs` |
//! | the engine's own | `builtin.rs`, `traverse/mod.rs` |
//! | maps of settings | `settings.rs` |
//! | searches in vector and text indexes | `search.rs` |
//! | vectors as properties | `writing.rs` |
//! | which properties are found on what | `shapes.rs` |
//! | how much there is, and what bounds a query | `statistics.rs` |
//! | algorithms over the graph | `graph/` |

mod builtin;
mod call;
mod graph;
mod host;
mod procedure;
mod registry;
mod search;
mod settings;
mod shapes;
mod statistics;
mod traverse;
mod types;
mod writing;

pub(crate) use call::call;
pub use host::{HostCall, HostFailure};
pub use procedure::{Procedure, ProcedureField};
pub(crate) use procedure::{check_signature, listed, required};
pub use registry::Registry;
pub use types::{BadProcedureType, ProcedureType};
