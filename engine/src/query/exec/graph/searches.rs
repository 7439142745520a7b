//! Searches in vector and text indexes, with what the query's own transaction has changed.
//!
//! Next: `face.rs`.

use super::{Graph, Txn, over};
use crate::algo::traverse::Wanted;
use crate::catalog::{Counter, SchemaId, VectorIndexDef};
use crate::codec::CommitSeq;
use crate::error::Result;
use crate::graph::{Read, ReadTxn, WriteTxn};
use crate::index::text::{TextAnswer, TextSearch};
use crate::index::vector::{Compared, Place, VectorAnswer, VectorSearch, fitting};
use std::sync::Arc;
use stratigraph_vector::Sifted;

impl Graph<'_> {
    /// What is nearest to a vector.
    pub(crate) fn search_vectors(
        &self,
        index: &str,
        search: &VectorSearch<'_>,
    ) -> Result<VectorAnswer> {
        with_txn!(self, txn => txn.search_vectors(index, search))
    }

    /// The scores of those of some nodes that may be wanted, and the name of the index whose codes have told;
    /// nothing if none can.
    pub(crate) fn sift_vectors(
        &self,
        compared: Compared<'_>,
        ids: &[u64],
        wanted: Wanted,
    ) -> Result<Option<(Arc<str>, Sifted)>> {
        fn sift<T: Read>(
            txn: &T,
            compared: Compared<'_>,
            ids: &[u64],
            wanted: Wanted,
        ) -> Result<Option<(Arc<str>, Sifted)>> {
            for def in fitting(&txn.view(), compared) {
                let wanted = (wanted.at_least, wanted.top);
                let place = place(txn, def.id)?;
                if let Some(sifted) = place.sift(&def, ids, compared.vector, wanted)? {
                    return Ok(Some((Arc::clone(&def.name), sifted)));
                }
            }
            Ok(None)
        }
        with_txn!(self, txn => sift(txn, compared, ids, wanted))
    }

    /// How many vectors an index has, with what the query's own transaction has changed; none while it is made.
    pub(crate) fn count_vectors(&self, def: &VectorIndexDef) -> Result<u64> {
        with_txn!(self, txn => place(txn, def.id)?.count(def))
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

/// Where a vector index is asked: in a transaction, with what that has changed itself.
fn place<T: Read>(txn: &T, index: SchemaId) -> Result<Place<'_, T::Keys>> {
    Ok(Place {
        view: txn.view(),
        indexes: txn.vectors(),
        touched: txn.touched_vectors(index)?,
    })
}
