//! The stored vectors as the rows of an index, for a database that nobody writes to.

use crate::catalog::VectorIndexDef;
use crate::graph::keys::VectorKey;
use crate::graph::properties::decode_vector_into;
use crate::keys::View;
use crate::storage::family::Family;
use std::fmt;
use std::sync::Arc;
use stratigraph_vector::{IndexError, Originals, Wanted};

/// They are read from the store, one by one.
pub(super) struct StoredRows {
    view: Arc<View>,
    def: VectorIndexDef,
}

impl StoredRows {
    pub(super) fn new(view: &Arc<View>, def: &VectorIndexDef) -> Self {
        Self {
            view: Arc::clone(view),
            def: def.clone(),
        }
    }
}

impl Originals for StoredRows {
    fn put(&self, _wanted: Wanted, _vector: &[f32]) -> Result<(), IndexError> {
        Ok(())
    }

    fn visit(
        &self,
        wanted: &[Wanted],
        see: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), IndexError> {
        let failed = |reason: &dyn fmt::Display| IndexError::Original {
            place: "the stored vectors".to_owned(),
            reason: reason.to_string(),
        };
        let mut row = Vec::new();
        for (place, wanted) in wanted.iter().enumerate() {
            let key = VectorKey {
                property: self.def.property,
                entity: self.def.scope.entity(wanted.id),
            };
            row.clear();
            let mut decoded = Ok(0);
            self.view
                .snapshot
                .get(Family::Vectors, &key.encode(), &mut |bytes| {
                    decoded = decode_vector_into(bytes, &mut row);
                })
                .map_err(|error| failed(&error))?;
            decoded.map_err(|error| failed(&error))?;
            if !row.is_empty() {
                see(place, &row);
            }
        }
        Ok(())
    }

    fn bytes_each(&self) -> usize {
        0
    }
}

impl fmt::Debug for StoredRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredRows")
            .field("commit", &self.view.commit)
            .finish_non_exhaustive()
    }
}
