//! What algorithms work on: parts of the graph in flat arrays, and vectors in a matrix.
//!
//! Next: `searches.rs`.

use super::{Graph, Txn, over};
use crate::algo::snapshot::{Selection, VectorTable};
use crate::algo::{AlgoError, Projection};
use crate::error::Result;
use crate::graph::{Read, ReadTxn, WriteTxn};
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
