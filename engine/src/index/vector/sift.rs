//! The scores of those among some nodes that score as much as is wanted, by the codes of an index.

use super::bound::State;
use super::search::Place;
use crate::catalog::{PropertyId, Scope, VectorIndexDef};
use crate::error::{Error, Result};
use crate::graph::view::View;
use crate::keys::KeyRead;
use std::sync::Arc;
use stratigraph_vector::{IndexError, Metric, Sifted, Sifting};

/// What some nodes are compared by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compared<'a> {
    pub(crate) property: &'a str,
    pub(crate) metric: Metric,
    pub(crate) vector: &'a [f32],
    /// What all of the nodes are labelled, if that is known.
    pub(crate) label: Option<&'a str>,
}

/// The indexes whose codes tell of these nodes, the most promising first.
pub(crate) fn fitting<K: KeyRead>(
    view: &View<'_, K>,
    compared: Compared<'_>,
) -> Vec<Arc<VectorIndexDef>> {
    let catalog = view.catalog();
    let Some(property): Option<PropertyId> = catalog.properties.id(compared.property) else {
        return Vec::new();
    };
    let label = compared.label.and_then(|label| catalog.labels.id(label));
    // An index on another label may have none of them; without a label any may have some.
    let rank = |scope: Scope| match scope {
        Scope::Label(of) if Some(of) == label => Some(0),
        Scope::AnyNode => Some(1),
        Scope::Label(_) if compared.label.is_none() => Some(2),
        _ => None,
    };
    let fits = |def: &&Arc<VectorIndexDef>| {
        def.property == property
            && def.metric == compared.metric
            && def.dimensions as usize == compared.vector.len()
    };
    let mut found: Vec<_> = catalog
        .vector_indexes()
        .filter(fits)
        .filter_map(|def| Some((rank(def.scope)?, Arc::clone(def))))
        .collect();
    found.sort_by_key(|(rank, def)| (*rank, def.id));
    found.into_iter().map(|(_, def)| def).collect()
}

impl<K: KeyRead> Place<'_, K> {
    /// The scores of those who may be wanted, at the commit of the transaction. Nothing if the index does not
    /// answer who reads there, or if the transaction has changed what the index is of: then the stored vectors
    /// tell.
    pub(crate) fn sift(
        &self,
        def: &VectorIndexDef,
        ids: &[u64],
        vector: &[f32],
        (at_least, top): (Option<f64>, Option<usize>),
    ) -> Result<Option<Sifted>> {
        let Some(bound) = self.indexes.get(def.id) else {
            return Ok(None);
        };
        let State::Ready(live) = bound.state() else {
            return Ok(None);
        };
        let commit = self.view.keys.commit_seq();
        if commit < live.from || !self.touched.is_empty() {
            return Ok(None);
        }
        let token = self.view.keys.cancel_token();
        let stops = || token.is_cancelled();
        let mut wanted = Sifting::new(vector, commit.get()).stop_when(&stops);
        if let Some(at_least) = at_least {
            wanted = wanted.at_least(at_least);
        }
        if let Some(top) = top {
            wanted = wanted.top(top);
        }
        match live.index.sift(ids, wanted) {
            Ok(sifted) => Ok(sifted),
            Err(IndexError::Stopped) => Err(Error::Cancelled),
            Err(error @ (IndexError::RowLost { .. } | IndexError::Original { .. })) => {
                tracing::warn!(index = &*def.name, %error, "a vector index is mended");
                self.indexes.mend(&bound, &live);
                Ok(None)
            }
            // What cannot be compared is told by whoever compares it.
            Err(_) => Ok(None),
        }
    }
}
