//! What a transaction is about to change in vector indexes: read before its commit, applied after it, so that
//! nothing can fail in between.

use super::bound::{Bound, Live};
use super::registry::VectorIndexes;
use super::truth::Truth;
use crate::catalog::SchemaId;
use crate::codec::CommitSeq;
use crate::error::Result;
use crate::graph::view::View;
use crate::keys::KeyWriteTxn;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The changes of a transaction.
#[derive(Default)]
pub(crate) struct Prepared(Vec<Changes>);

/// Those of one index.
struct Changes {
    bound: Arc<Bound>,
    live: Option<Arc<Live>>,
    /// Each id with the vector that it has now.
    vectors: Vec<(u64, Option<Vec<f32>>)>,
    journaled: u64,
}

impl Prepared {
    /// Reads what a transaction has touched, and makes room for it in the indexes.
    ///
    /// # Errors
    /// [`Error::VectorIndex`](crate::Error::VectorIndex) if there is no room.
    pub(crate) fn new(
        indexes: &VectorIndexes,
        view: &View<'_, KeyWriteTxn>,
        touched: impl IntoIterator<Item = (SchemaId, BTreeSet<u64>)>,
    ) -> Result<Self> {
        let mut all = Vec::new();
        for (id, ids) in touched {
            // What was declared in this transaction, or a moment ago, is made of what is stored.
            let Some(bound) = indexes.get(id) else {
                continue;
            };
            let live = bound.live();
            let mut vectors = Vec::new();
            if let Some(live) = &live {
                let truth = Truth::new(view, &bound.def, ids.len())?;
                for id in &ids {
                    vectors.push((*id, truth.vector_of(*id)?));
                }
                let new = vectors
                    .iter()
                    .filter(|(_, vector)| vector.is_some())
                    .count();
                let room = live.index.ensure_room(new);
                room.map_err(|source| bound.def.refused(source))?;
            }
            all.push(Changes {
                bound,
                live,
                vectors,
                journaled: ids.len() as u64,
            });
        }
        Ok(Self(all))
    }

    /// Makes the changes at their commit, before anybody sees it. The writer's place is held.
    pub(crate) fn apply(&self, indexes: &Arc<VectorIndexes>, commit: CommitSeq) {
        for changes in &self.0 {
            let bound = &changes.bound;
            if let Some(live) = &changes.live {
                let _applying = bound.applying.lock();
                for (id, vector) in &changes.vectors {
                    let index = &live.index;
                    let outcome = match vector {
                        Some(vector) => index.insert_unlinked(commit.get(), *id, vector),
                        None => index.remove(commit.get(), *id).map(drop),
                    };
                    if let Err(error) = outcome {
                        // Room was made, so this is a fault; the commit stands, and the index is made anew.
                        tracing::error!(index = &*bound.def.name, %error, "a vector index missed a commit");
                        bound.spoil(index);
                        indexes.rebuild(bound);
                        break;
                    }
                }
            }
            bound
                .journaled
                .fetch_add(changes.journaled, Ordering::Relaxed);
        }
    }

    /// What can be done when others may write again.
    pub(crate) fn finish(self, indexes: &Arc<VectorIndexes>) {
        for changes in self.0 {
            if let Some(live) = changes.live {
                live.index.link_overdue(changes.vectors.len());
            }
            indexes.keep_if_worth(&changes.bound);
        }
    }
}
