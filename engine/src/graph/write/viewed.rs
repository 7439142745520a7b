//! What a write transaction reads: what is stored, with its own changes on top.

use super::WriteTxn;
use crate::catalog::{SchemaId, TextIndexDef};
use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::graph::read::Read;
use crate::graph::view::View;
use crate::graph::viewed::Viewed;
use crate::index::property::ValueSets;
use crate::index::text::{Found, Query, SearchOptions, TextCache};
use crate::index::vector::{JournalKey, VectorIndexes, read_touched};
use crate::keys::{KeyRead as _, KeyWriteTxn};
use crate::storage::family::Family;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Viewed for WriteTxn {
    type Keys = KeyWriteTxn;

    fn vectors(&self) -> &Arc<VectorIndexes> {
        self.keys.database().vectors()
    }

    fn text_cache(&self) -> &TextCache {
        self.keys.database().texts()
    }

    fn value_sets(&self) -> &ValueSets {
        self.keys.database().value_sets()
    }

    fn search_texts(
        &self,
        def: &TextIndexDef,
        query: &Query,
        options: &SearchOptions<'_>,
    ) -> Result<Found> {
        let own = self.pending.texts();
        own.search(&self.keys, &self.state, def, query, options)
    }

    fn touched_vectors(&self, index: SchemaId) -> Result<BTreeSet<u64>> {
        let commit = self.keys.commit_seq().next().unwrap_or(CommitSeq::ZERO);
        let key = JournalKey { index, commit }.encode();
        let mut ids = self
            .pending
            .touched_vectors(index)
            .cloned()
            .unwrap_or_default();
        if let Some(Some(entry)) = self.keys.changed(Family::Journal, &key) {
            read_touched(entry, &mut ids)
                .map_err(|error| Error::record(Family::Journal.name(), error))?;
        }
        Ok(ids)
    }

    fn view(&self) -> View<'_, KeyWriteTxn> {
        View {
            keys: &self.keys,
            state: &self.state,
            pending: Some(&self.pending),
        }
    }
}

impl Read for WriteTxn {}
