//! The vectors of a property in one matrix.

use crate::catalog::NameId;
use crate::codec::CodecError;
use crate::database::keys::KeyRead;
use crate::error::{Error, Result};
use crate::graph::keys::{Entity, VectorKey};
use crate::graph::properties::decode_vector_into;
use crate::graph::{Read, view};
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::value::NodeId;
use roaring::RoaringTreemap;
use stratigraph_vector::Rows;

/// The vectors that nodes have as one property, row by row in the order of the nodes' ids.
#[derive(Clone, Debug, Default)]
pub struct VectorTable {
    nodes: Vec<NodeId>,
    rows: Vec<f32>,
    dimension: usize,
}

impl VectorTable {
    /// Reads them all; only those of `nodes`, if they are given. A property that holds no vector, or
    /// was never used, gives an empty table.
    ///
    /// # Errors
    /// [`Error::MixedDimensions`] if they are not all of one dimension; see also [`Read`].
    pub fn read(read: &impl Read, property: &str, nodes: Option<&RoaringTreemap>) -> Result<Self> {
        let mut table = Self::default();
        let view = view::of(read);
        let Some(id) = view.catalog().properties.id(property) else {
            return Ok(table);
        };
        let range = KeyRange::prefix(&[&id.number().to_be_bytes()[..], &[0]].concat());
        let damaged = |error: CodecError| Error::record(Family::Vectors.name(), error);
        let mut scan = view.keys.scan(Family::Vectors, &range)?;
        while let Some(entry) = scan.next()? {
            let key = VectorKey::decode(entry.key).map_err(damaged)?;
            let Entity::Node(node) = key.entity else {
                continue;
            };
            if nodes.is_some_and(|nodes| !nodes.contains(node.get())) {
                continue;
            }
            let dimension = decode_vector_into(entry.value, &mut table.rows).map_err(damaged)?;
            if table.nodes.is_empty() {
                table.dimension = dimension;
            } else if table.dimension != dimension {
                return Err(Error::MixedDimensions {
                    property: property.into(),
                    node,
                    expected: table.dimension as u64,
                    found: dimension as u64,
                });
            }
            table.nodes.push(node);
        }
        Ok(table)
    }

    /// Whose vectors they are, ascending.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// All components, row after row.
    #[must_use]
    pub fn components(&self) -> &[f32] {
        &self.rows
    }

    /// The rows, as the kernels take them.
    ///
    /// # Errors
    /// [`Error::Vector`] if there is none.
    pub fn rows(&self) -> Result<Rows<'_>> {
        Ok(Rows::new(&self.rows, self.dimension)?)
    }

    /// How many components a row has; 0 if there is none.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }
}
