//! Short ways to write values down.

use crate::v1::{Null, Value, value::Kind};

impl From<Kind> for Value {
    fn from(kind: Kind) -> Self {
        Self { kind: Some(kind) }
    }
}

impl Value {
    /// Null.
    #[must_use]
    pub fn null() -> Self {
        Kind::NullValue(Null {}).into()
    }
}
