//! Asking a vector index, at the commit of a transaction and with its own changes on top.

use super::asked::Asked;
use super::best::Best;
use super::bound::{Live, State};
use super::registry::VectorIndexes;
use super::request::{Allowed, ServedBy, VectorAnswer, VectorHit, VectorSearch};
use super::truth::{Truth, each};
use crate::catalog::{Readiness, VectorIndexDef};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::sets::SetId;
use crate::graph::view::View;
use crate::index::property::Lookup;
use crate::keys::KeyRead;
use roaring::{RoaringBitmap, RoaringTreemap};
use std::collections::BTreeSet;
use std::sync::Arc;
use stratigraph_vector::{How, IndexError, Measure, Query, Strategy};

/// With fewer ids than this allowed, their vectors are read one by one where there is no index.
const FEW_IDS: u64 = 4096;

/// What a search is limited to.
enum Limit {
    Nothing,
    /// These ids.
    Ids(RoaringTreemap),
    /// What others may have asked for at the same commit.
    Asked(Asked),
}

impl Limit {
    fn ids(&self) -> Option<&RoaringTreemap> {
        match self {
            Self::Ids(ids) => Some(ids),
            Self::Nothing | Self::Asked(_) => None,
        }
    }
}

/// What a search is made in.
pub(crate) struct Place<'a, K> {
    pub(crate) view: View<'a, K>,
    pub(crate) indexes: &'a Arc<VectorIndexes>,
    /// The ids that this transaction has changed itself for an index.
    pub(crate) touched: BTreeSet<u64>,
}

impl<K: KeyRead> Place<'_, K> {
    pub(crate) fn search(
        &self,
        def: &VectorIndexDef,
        search: &VectorSearch<'_>,
    ) -> Result<VectorAnswer> {
        let refused = |source| def.refused(source);
        let checked = def.metric.check(def.dimensions as usize, search.vector);
        checked.map_err(refused)?;
        let measure = &Measure::to(def.metric, search.vector).map_err(refused)?;
        let limit = self.limit(def, search)?;
        let Some(bound) = self.indexes.get(def.id) else {
            return self.compare_all(def, search, measure, &limit, ServedBy::VectorsWhileBuilding);
        };
        let live = match bound.state() {
            State::Ready(live) => live,
            State::Building { .. } => {
                let served_by = ServedBy::VectorsWhileBuilding;
                return self.compare_all(def, search, measure, &limit, served_by);
            }
            // There was no room for it: what is stored is no worse for that.
            State::Failed(error) if error.kind() == ErrorKind::Unavailable => {
                let served_by = ServedBy::VectorsWhileBuilding;
                return self.compare_all(def, search, measure, &limit, served_by);
            }
            State::Failed(error) => {
                return Err(Error::VectorIndexFailed {
                    index: Arc::clone(&def.name),
                    cause: error.to_string().into(),
                });
            }
        };
        if self.view.keys.commit_seq() < live.from {
            let served_by = ServedBy::VectorsOfEarlierCommit;
            return self.compare_all(def, search, measure, &limit, served_by);
        }
        match self.ask(def, search, measure, &limit, &live) {
            Ok(answer) => answer,
            Err(error @ (IndexError::RowLost { .. } | IndexError::Original { .. })) => {
                tracing::warn!(index = &*def.name, %error, "a vector index is mended");
                self.indexes.mend(&bound, &live);
                self.compare_all(def, search, measure, &limit, ServedBy::VectorsWhileMending)
            }
            Err(IndexError::Stopped) => Err(Error::Cancelled),
            Err(error) => Err(refused(error)),
        }
    }

    /// How many vectors an index has as of the last commit, with what this transaction has changed itself; none while it
    /// does not answer.
    pub(crate) fn count(&self, def: &VectorIndexDef) -> Result<u64> {
        let Some(live) = self.indexes.get(def.id).and_then(|bound| bound.live()) else {
            return Ok(0);
        };
        let (mut gone, mut new) = (0, 0);
        let truth = Truth::new(&self.view, def, self.touched.len())?;
        for id in &self.touched {
            // Not every id is looked up, which would ask.
            self.view.keys.may_go_on()?;
            let was_there = live.index.slot(*id).is_some();
            match (was_there, truth.is_there(*id)?) {
                (true, false) => gone += 1,
                (false, true) => new += 1,
                _ => {}
            }
        }
        Ok((live.index.len() as u64 + new).saturating_sub(gone))
    }

    /// Asks the index, and compares what this transaction has changed itself.
    fn ask(
        &self,
        def: &VectorIndexDef,
        search: &VectorSearch<'_>,
        measure: &Measure<'_>,
        limit: &Limit,
        live: &Live,
    ) -> Result<Result<VectorAnswer>, IndexError> {
        let commit = self.view.keys.commit_seq();
        let within = match limit {
            Limit::Nothing => None,
            Limit::Ids(ids) => Some(Arc::new(live.index.slots_of(ids))),
            Limit::Asked(asked) => {
                match live.slots_of(asked, commit, || self.ids(def, search, asked.set)) {
                    Ok(slots) => Some(slots),
                    Err(error) => return Ok(Err(error)),
                }
            }
        };
        let token = self.view.keys.cancel_token();
        let stops = || token.is_cancelled();
        let mut query = Query::new(search.vector, search.k)
            .effort(search.effort)
            .at(commit.get())
            .stop_when(&stops);
        if let Some(within) = &within {
            query = query.within(within);
        }
        if let Some(threshold) = search.threshold {
            query = query.threshold(threshold);
        }
        let mut except = RoaringBitmap::new();
        if !self.touched.is_empty() {
            except = live.index.slots_of(&self.touched.iter().copied().collect());
        }
        if !except.is_empty() {
            query = query.except(&except);
        }
        let answer = live.index.search(&query)?;
        let hits = answer.hits.iter().map(|hit| VectorHit {
            entity: def.scope.entity(hit.id),
            score: hit.score,
        });
        let mut best = Best::new(def, search, measure, hits.collect());
        let mut compared = answer.compared;
        let truth = match Truth::new(&self.view, def, self.touched.len()) {
            Ok(truth) => truth,
            Err(error) => return Ok(Err(error)),
        };
        for id in &self.touched {
            // With changes of its own, a transaction has the ids.
            if limit.ids().is_some_and(|ids| !ids.contains(*id)) {
                continue;
            }
            match truth.vector_of(*id) {
                Ok(Some(vector)) => best.offer(*id, &vector)?,
                Ok(None) => continue,
                Err(error) => return Ok(Err(error)),
            }
            compared += 1;
        }
        Ok(Ok(VectorAnswer {
            hits: best.finish(),
            how: answer.how,
            served_by: ServedBy::Index,
            strategy: answer.strategy,
            compared,
            estimated_recall: answer.estimated_recall,
        }))
    }

    /// Compares the stored vectors, without any index.
    fn compare_all(
        &self,
        def: &VectorIndexDef,
        search: &VectorSearch<'_>,
        measure: &Measure<'_>,
        limit: &Limit,
        served_by: ServedBy,
    ) -> Result<VectorAnswer> {
        let refused = |source| def.refused(source);
        let mut best = Best::new(def, search, measure, Vec::new());
        let mut compared = 0;
        let mut offer = |id, vector: &[f32]| {
            compared += 1;
            best.offer(id, vector).map_err(refused)
        };
        let set;
        let ids = match limit {
            Limit::Nothing => None,
            Limit::Ids(ids) => Some(ids),
            Limit::Asked(asked) => {
                set = self.ids(def, search, asked.set)?;
                Some(&set)
            }
        };
        match ids {
            Some(ids) if ids.len() < FEW_IDS => {
                let count = usize::try_from(ids.len()).unwrap_or(usize::MAX);
                let truth = Truth::new(&self.view, def, count)?;
                for id in ids {
                    if let Some(vector) = truth.vector_of(id)? {
                        offer(id, &vector)?;
                    }
                }
            }
            ids => each(&self.view, def, |id, vector| {
                if ids.is_none_or(|ids| ids.contains(id)) {
                    offer(id, vector)?;
                }
                Ok(())
            })?,
        }
        Ok(VectorAnswer {
            hits: best.finish(),
            how: How::Exact,
            served_by,
            strategy: Strategy::Exact,
            compared,
            estimated_recall: Some(1.0),
        })
    }

    /// What a search is limited to.
    fn limit(&self, def: &VectorIndexDef, search: &VectorSearch<'_>) -> Result<Limit> {
        let set = search
            .label
            .map(|label| self.view.set_named(def.scope, label));
        let set = match set {
            Some(None) => return Ok(Limit::Ids(RoaringTreemap::new())),
            Some(set) => set,
            None if search.among.is_none() && search.filters.is_empty() => {
                return Ok(Limit::Nothing);
            }
            None => None,
        };
        // What others have asked for is of use, unless this transaction has changes of its own.
        if search.among.is_none()
            && self.view.pending.is_none()
            && let Some(asked) = Asked::new(set, &search.filters)
        {
            return Ok(Limit::Asked(asked));
        }
        self.ids(def, search, set).map(Limit::Ids)
    }

    /// The ids that a search is limited to, as it is limited somehow.
    fn ids(
        &self,
        def: &VectorIndexDef,
        search: &VectorSearch<'_>,
        set: Option<SetId>,
    ) -> Result<RoaringTreemap> {
        let mut allowed = search.among.cloned();
        let mut narrow = |ids: RoaringTreemap| match &mut allowed {
            Some(allowed) => *allowed &= ids,
            None => allowed = Some(ids),
        };
        if let Some(set) = set {
            narrow(self.view.set(set)?);
        }
        for (property, allowed) in &search.filters {
            narrow(self.matching(def, property, allowed)?);
        }
        Ok(allowed.unwrap_or_default())
    }

    /// What has a property as it may be.
    fn matching(
        &self,
        def: &VectorIndexDef,
        property: &str,
        allowed: &Allowed,
    ) -> Result<RoaringTreemap> {
        let catalog = self.view.catalog();
        let id = catalog.properties.id(property);
        let id = id.filter(|id| def.filters.contains(id));
        // One may be ready while another is being built, for a constraint or for another vector index.
        let index = id.and_then(|id| {
            let indexes = catalog.indexes_on(def.scope, id);
            indexes.min_by_key(|index| index.readiness != Readiness::Ready)
        });
        let index = index.ok_or_else(|| Error::NotFilterable {
            index: Arc::clone(&def.name),
            property: property.into(),
        })?;
        let lookup = Lookup::new(self.view, &index.name)?;
        let found = match allowed {
            Allowed::Equal(value) => lookup.equal(std::slice::from_ref(value))?,
            Allowed::Range(start, end) => lookup.range((start.clone(), end.clone()))?,
        };
        let mut ids = RoaringTreemap::new();
        for entity in found {
            ids.insert(entity?.number());
        }
        Ok(ids)
    }
}
