//! Searches in vector and text indexes, with what the query's own transaction has changed.
//!
//! Next: `face.rs`.

use super::{Graph, Txn, over};
use crate::catalog::Counter;
use crate::codec::CommitSeq;
use crate::error::Result;
use crate::graph::{Read, ReadTxn, WriteTxn};
use crate::index::text::{TextAnswer, TextSearch};
use crate::index::vector::{VectorAnswer, VectorSearch};

impl Graph<'_> {
    /// What is nearest to a vector.
    pub(crate) fn search_vectors(
        &self,
        index: &str,
        search: &VectorSearch<'_>,
    ) -> Result<VectorAnswer> {
        with_txn!(self, txn => txn.search_vectors(index, search))
    }

    /// What matches a text best.
    pub(crate) fn search_text(&self, index: &str, search: &TextSearch<'_>) -> Result<TextAnswer> {
        with_txn!(self, txn => txn.search_text(index, search))
    }

    /// Anything that is counted.
    pub(crate) fn count(&self, counter: Counter) -> Result<u64> {
        with_txn!(self, txn => txn.count(counter))
    }

    /// The commit that is read.
    pub(crate) fn sequence(&self) -> Result<CommitSeq> {
        with_txn!(self, txn => Ok(txn.commit_seq()))
    }
}
