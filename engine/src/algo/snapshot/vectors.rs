//! The vectors of a property in one matrix.

use crate::algo::ProjectionOptions;
use crate::catalog::NameId;
use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::graph::keys::{Entity, VectorKey};
use crate::graph::properties::decode_vector_into;
use crate::graph::{Read, view};
use crate::keys::KeyRead;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::value::NodeId;
use roaring::RoaringTreemap;
use std::sync::Arc;
use stratigraph_vector::Rows;

/// Rows that a table has room for at first.
const FIRST_ROWS: usize = 64;

/// Reading so many vectors that nobody asked for costs about as much as looking for the next one.
const READ_OVER: u64 = 8;

/// The vectors that nodes have as one property, row by row in the order of the nodes' ids.
#[derive(Clone, Debug)]
pub struct VectorTable {
    property: Arc<str>,
    nodes: Vec<NodeId>,
    rows: Vec<f32>,
    dimension: usize,
}

impl VectorTable {
    /// Reads them all; only those of `nodes`, if they are given. A property that holds no vector, or
    /// was never used, gives an empty table.
    ///
    /// It takes up to 4 GiB, as projections do; [`read_within`](Self::read_within) takes a limit.
    ///
    /// # Errors
    /// [`Error::MixedDimensions`] if they are not all of one dimension, and
    /// [`Error::VectorsTooLarge`]; see also [`Read`].
    pub fn read(read: &impl Read, property: &str, nodes: Option<&RoaringTreemap>) -> Result<Self> {
        let max_bytes = ProjectionOptions::default().max_bytes;
        Self::read_within(read, property, nodes, max_bytes)
    }

    /// As [`read`](Self::read), within so many bytes of memory.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn read_within(
        read: &impl Read,
        property: &str,
        nodes: Option<&RoaringTreemap>,
        max_bytes: u64,
    ) -> Result<Self> {
        let mut table = Self {
            property: property.into(),
            nodes: Vec::new(),
            rows: Vec::new(),
            dimension: 0,
        };
        let view = view::of(read);
        let Some(id) = view.catalog().properties.id(property) else {
            return Ok(table);
        };
        let range = KeyRange::prefix(&[&id.number().to_be_bytes()[..], &[0]].concat());
        let damaged = |error: CodecError| Error::record(Family::Vectors.name(), error);
        let mut scan = view.keys.scan(Family::Vectors, &range)?;
        let mut components = Vec::new();
        while let Some(entry) = scan.next()? {
            let key = VectorKey::decode(entry.key).map_err(damaged)?;
            let Entity::Node(node) = key.entity else {
                continue;
            };
            if nodes.is_some_and(|nodes| !nodes.contains(node.get())) {
                continue;
            }
            components.clear();
            let dimension = decode_vector_into(entry.value, &mut components).map_err(damaged)?;
            if table.nodes.is_empty() {
                table.dimension = dimension;
            } else if table.dimension != dimension {
                return Err(Error::MixedDimensions {
                    property: table.property,
                    node,
                    expected: table.dimension as u64,
                    found: dimension as u64,
                });
            }
            table.make_room(max_bytes)?;
            table.rows.extend_from_slice(&components);
            table.nodes.push(node);
        }
        Ok(table)
    }

    /// Reads those of these nodes, which ascend, that have a vector of this dimension.
    pub(crate) fn of_nodes(
        read: &impl Read,
        property: &str,
        nodes: &[NodeId],
        dimension: usize,
    ) -> Result<Self> {
        let mut table = Self {
            property: property.into(),
            nodes: Vec::new(),
            rows: Vec::new(),
            dimension,
        };
        let view = view::of(read);
        let id = view.catalog().properties.id(property);
        let (Some(property), Some(first), Some(last)) = (id, nodes.first(), nodes.last()) else {
            return Ok(table);
        };
        let key = |node: NodeId| {
            let entity = Entity::Node(node);
            VectorKey { property, entity }.encode()
        };
        let damaged = |error: CodecError| Error::record(Family::Vectors.name(), error);
        table.nodes.reserve_exact(nodes.len());
        // Children of one node mostly lie together, and far from those of the next one.
        let is_run = |left: &NodeId, right: &NodeId| right.get() - left.get() <= READ_OVER;
        if nodes.chunk_by(is_run).count() * 2 > nodes.len() {
            for node in nodes {
                let before = table.rows.len();
                let decode = |bytes: &[u8]| decode_vector_into(bytes, &mut table.rows);
                let found = view.keys.get_with(Family::Vectors, &key(*node), decode)?;
                if let Some(found) = found.transpose().map_err(damaged)? {
                    table.keep_if(found == dimension, *node, before);
                }
            }
            return Ok(table);
        }
        let end = [&key(*last)[..], &[0]].concat();
        let mut scan = view
            .keys
            .scan(Family::Vectors, &KeyRange::between(key(*first), end))?;
        for run in nodes.chunk_by(is_run) {
            let (Some(begin), Some(end)) = (run.first(), run.last()) else {
                continue;
            };
            if begin != first {
                scan.seek(&key(*begin));
            }
            let mut wanted = run.iter().peekable();
            while let Some(entry) = scan.next()? {
                let found = VectorKey::decode(entry.key).map_err(damaged)?.entity;
                let Entity::Node(node) = found else { continue };
                while wanted.next_if(|wanted| **wanted < node).is_some() {}
                if wanted.next_if(|wanted| **wanted == node).is_some() {
                    let before = table.rows.len();
                    let found = decode_vector_into(entry.value, &mut table.rows);
                    let found = found.map_err(damaged)?;
                    table.keep_if(found == dimension, node, before);
                }
                if node >= *end {
                    break;
                }
            }
        }
        Ok(table)
    }

    /// Keeps the row that was read last, which begins there, or takes it away again.
    fn keep_if(&mut self, fits: bool, node: NodeId, begins: usize) {
        if fits {
            self.nodes.push(node);
        } else {
            self.rows.truncate(begins);
        }
    }

    /// Room for one more row. It doubles as a `Vec` would, but never beyond the limit: that is on
    /// what is held, not on what is used.
    fn make_room(&mut self, max_bytes: u64) -> Result<()> {
        if self.nodes.len() < self.nodes.capacity() {
            return Ok(());
        }
        let row_bytes = size_of::<NodeId>() + self.dimension * size_of::<f32>();
        let most = usize::try_from(max_bytes / row_bytes as u64).unwrap_or(usize::MAX);
        let held = self.nodes.len();
        if held >= most {
            return Err(Error::VectorsTooLarge {
                property: Arc::clone(&self.property),
                limit_bytes: max_bytes,
            });
        }
        let more = held.max(FIRST_ROWS).min(most - held);
        self.rows.reserve_exact(more * self.dimension);
        self.nodes.reserve_exact(more);
        Ok(())
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
    /// [`Error::NoVectors`] if there is none.
    pub fn rows(&self) -> Result<Rows<'_>> {
        if self.nodes.is_empty() {
            let property = Arc::clone(&self.property);
            return Err(Error::NoVectors { property });
        }
        Ok(Rows::new(&self.rows, self.dimension)?)
    }

    /// How many components a row has; 0 if there is none.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }
}
