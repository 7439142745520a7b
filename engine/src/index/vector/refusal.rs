//! What is told of an index that refuses, or is gone.

use crate::catalog::VectorIndexDef;
use crate::error::Error;
use std::sync::Arc;
use stratigraph_vector::IndexError;

impl VectorIndexDef {
    /// What the index itself refuses.
    pub(super) fn refused(&self, source: IndexError) -> Error {
        Error::VectorIndex {
            index: Arc::clone(&self.name),
            source: Box::new(source),
        }
    }

    /// What whoever works on it, or waits for it, is told when it is gone.
    pub(crate) fn dropped_meanwhile(&self) -> Error {
        Error::DroppedMeanwhile {
            what: "vector index",
            name: Arc::clone(&self.name),
        }
    }
}
