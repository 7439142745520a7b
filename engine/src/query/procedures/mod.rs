//! Procedures: what can be called with `CALL`, the engine's own and the host's.
//!
//! | what | where |
//! |---|---|
//! | types of arguments and columns, as they are written | `types.rs` |
//! | a procedure, described and checked | `procedure.rs` |
//! | all procedures of a database, by name | `registry.rs` |
//! | calling one | `call.rs` |
//! | the engine's own | `builtin.rs`, `traverse/mod.rs` |

mod builtin;
mod call;
mod procedure;
mod registry;
mod traverse;
mod types;

pub(crate) use call::call;
pub use procedure::{Procedure, ProcedureField};
pub use registry::Registry;
pub use types::{BadProcedureType, ProcedureType};
