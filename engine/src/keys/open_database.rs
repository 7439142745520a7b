//! An open database as its transactions know it.
//!
//! A transaction keeps its database open, and whoever has a transaction may ask it for what is known of the database
//! further up: caches and indexes, which are only carried here. So this file names layers above its own, and it is
//! the only one of this folder that may; see `ARCHITECTURE.md`, where the layers are.

use super::ground::Ground;
use crate::algo::snapshot::ProjectionCache;
use crate::catalog::TextIndexDef;
use crate::error::Result;
use crate::index::property::ValueSets;
use crate::index::text::TextCache;
use crate::index::vector::VectorIndexes;
use crate::query::{PlanCache, Registry};
use crate::storage::cancel::Watch;
use std::sync::Arc;

/// What keeps a database open, and knows everything that belongs to it. The last one that is dropped closes it.
pub(crate) trait OpenDatabase: Send + Sync {
    /// What its transactions stand on.
    fn ground(&self) -> &Arc<Ground>;

    /// Its vector indexes.
    fn vectors(&self) -> &Arc<VectorIndexes>;

    /// What was read lately of its text indexes.
    fn texts(&self) -> &TextCache;

    /// What has one value, as far as somebody has asked for it.
    fn value_sets(&self) -> &ValueSets;

    /// Its last projections.
    fn projections(&self) -> &ProjectionCache;

    /// What its queries can call now.
    fn registry(&self) -> Arc<Registry>;

    /// Plans of queries that ran before.
    fn plans(&self) -> &PlanCache;

    /// Looks whether text indexes that were written to are worth merging, and has it done.
    fn tend_texts(&self, indexes: &[Arc<TextIndexDef>]);

    /// Fills text indexes that a load has left behind.
    ///
    /// # Errors
    /// What reading and writing refuse; [`Error::Cancelled`](crate::Error::Cancelled).
    fn finish_texts(self: Arc<Self>, watch: &mut Watch<'_>) -> Result<()>;
}
