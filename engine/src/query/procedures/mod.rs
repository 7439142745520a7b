//! Procedures: what can be called with `CALL`, the engine's own and the host's.
//!
//! Next: `exec/`, which calls them.

use super::types::Types;
use crate::value::Value;
use std::fmt;
use std::sync::Arc;

/// What a procedure does: from its arguments to rows of its columns.
type Run = dyn Fn(&[Value]) -> Result<Vec<Vec<Value>>, String> + Send + Sync;

/// A procedure.
#[derive(Clone)]
pub struct Procedure {
    pub(crate) name: Arc<str>,
    pub(crate) takes: Vec<ProcedureField>,
    pub(crate) gives: Vec<ProcedureField>,
    pub(crate) about: Arc<str>,
    pub(crate) run: Arc<Run>,
}

/// An argument or a column of a procedure.
#[derive(Clone, Debug)]
pub struct ProcedureField {
    pub(crate) name: Arc<str>,
    pub(crate) types: Types,
    /// For arguments: what it is if it is not given.
    pub(crate) default: Option<Value>,
}

impl fmt::Debug for Procedure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
