//! Access to the view behind a transaction; not for use outside.

use super::view::View;
use crate::catalog::{SchemaId, TextIndexDef};
use crate::error::Result;
use crate::index::property::ValueSets;
use crate::index::text::{Found, Query, SearchOptions, TextCache, TextReader};
use crate::index::vector::VectorIndexes;
use crate::keys::KeyRead;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A transaction that has a view.
pub trait Viewed {
    /// Its transaction over keys.
    type Keys: KeyRead;

    /// Its view.
    fn view(&self) -> View<'_, Self::Keys>;

    /// The vector indexes of its database.
    fn vectors(&self) -> &Arc<VectorIndexes>;

    /// What was read lately of text indexes.
    fn text_cache(&self) -> &TextCache;

    /// What has one value, as far as somebody has asked for it.
    fn value_sets(&self) -> &ValueSets;

    /// Searches a text index, with what this transaction has changed itself.
    fn search_texts(
        &self,
        def: &TextIndexDef,
        query: &Query,
        options: &SearchOptions<'_>,
    ) -> Result<Found> {
        let index = def.index();
        let reader = TextReader::open(self.view().keys, &index, self.text_cache())?;
        reader.search(query, options)
    }

    /// The ids that it has changed itself for a vector index.
    fn touched_vectors(&self, _index: SchemaId) -> Result<BTreeSet<u64>> {
        Ok(BTreeSet::new())
    }
}
