//! What algorithms work on: parts of the graph in flat arrays, and vectors in a matrix.
//!
//! Next: `searches.rs`.

use super::{Graph, Txn, over};
use crate::algo::snapshot::{Column, ColumnOf, Selection, VectorTable};
use crate::algo::{AlgoError, Projection};
use crate::error::Result;
use crate::graph::{Read, ReadTxn, WriteTxn};
use crate::query::exec::Kind;
use crate::query::plan::TypeNames;
use crate::storage::cancel::Watch;
use roaring::RoaringTreemap;
use std::sync::Arc;

impl Graph<'_> {
    /// A part of the graph. Those of a snapshot are kept for a while; one with the changes of a transaction is of
    /// use to nobody else.
    pub(crate) fn project(
        &self,
        selection: &Selection,
        watch: &mut Watch<'_>,
    ) -> Result<Arc<Projection>, AlgoError> {
        match &self.txn {
            Txn::Read(txn) => txn.project_watched(selection, watch),
            Txn::OwnRead(txn) => txn.project_watched(selection, watch),
            Txn::Write(txn) => selection.build(&**txn, watch).map(Arc::new),
            Txn::OwnWrite(txn) => selection.build(&**txn, watch).map(Arc::new),
            Txn::Over => Err(over().into()),
        }
    }

    /// The snapshot, if it is one: what a transaction has not committed yet is of no use to anybody else.
    fn snapshot(&self) -> Option<&ReadTxn> {
        match &self.txn {
            Txn::Read(read) => Some(*read),
            Txn::OwnRead(read) => Some(&**read),
            Txn::Write(_) | Txn::OwnWrite(_) | Txn::Over => None,
        }
    }

    /// Whether nothing of what is read can change.
    pub(crate) fn is_snapshot(&self) -> bool {
        self.snapshot().is_some()
    }

    /// How many bytes of projections are kept at most; none where they are not kept at all.
    pub(crate) fn projection_bytes(&self) -> u64 {
        let snapshot = self.snapshot();
        snapshot.map_or(0, |read| read.projections().limit_bytes())
    }

    /// A part of the graph, if it is kept.
    pub(crate) fn kept_projection(&self, selection: &Selection) -> Option<Arc<Projection>> {
        self.snapshot()?.kept_projection(selection)
    }

    /// Notes that so many entries were read without it, and says how many these are by now.
    pub(crate) fn read_beside_projection(&self, selection: &Selection, entries: u64) -> u64 {
        let snapshot = self.snapshot();
        snapshot.map_or(0, |read| read.read_beside_projection(selection, entries))
    }

    /// A property of all nodes, or of all relationships of some types; none if it takes too many bytes, if nothing has
    /// it, or if what is read may still change.
    pub(crate) fn column(
        &self,
        kind: Kind,
        types: &TypeNames,
        property: &str,
        most_bytes: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Arc<Column>>> {
        let Some(read) = self.snapshot() else {
            return Ok(None);
        };
        let Some(id) = read.catalog().properties.id(property) else {
            return Ok(None);
        };
        let of = match kind {
            Kind::Nodes => ColumnOf::Nodes,
            Kind::Relationships => ColumnOf::Relationships(self.type_ids(types)?),
        };
        self.count_seek(0);
        read.column(&of, id, most_bytes, watch)
    }

    /// The vectors that nodes have as a property; only those of `nodes`, if they are given.
    pub(crate) fn vector_table(
        &self,
        property: &str,
        nodes: Option<&RoaringTreemap>,
        max_bytes: u64,
    ) -> Result<VectorTable> {
        with_txn!(self, txn => VectorTable::read_within(txn, property, nodes, max_bytes))
    }

    /// The relationships of a type.
    pub(crate) fn relationships_of_type(&self, of: &str) -> Result<RoaringTreemap> {
        with_txn!(self, txn => txn.relationships_of_type(of))
    }

    /// The nodes with any of these labels.
    pub(crate) fn nodes_with_labels(&self, labels: &[String]) -> Result<RoaringTreemap> {
        let mut found = RoaringTreemap::new();
        for label in labels {
            found |= with_txn!(self, txn => txn.nodes_with_label(label))?;
        }
        Ok(found)
    }
}
