//! Asking a vector index, at the commit of a transaction and with its own changes on top.

use super::bound::{Live, State};
use super::registry::VectorIndexes;
use super::truth::{each, vector_of};
use crate::catalog::VectorIndexDef;
use crate::database::keys::KeyRead;
use crate::error::{Error, Result};
use crate::graph::Entity;
use crate::graph::sets::SetId;
use crate::graph::view::View;
use crate::index::property::Lookup;
use crate::value::Value;
use roaring::{RoaringBitmap, RoaringTreemap};
use std::collections::BTreeSet;
use std::ops::Bound as End;
use std::sync::Arc;
use stratigraph_vector::{Effort, How, IndexError, Measure, Query, Strategy};

/// With fewer ids than this allowed, their vectors are read one by one where there is no index.
const FEW_IDS: u64 = 4096;

/// What is looked for in a vector index.
///
/// ```
/// use stratigraph::{Database, Read, Value, Vector, VectorIndex, VectorSearch};
///
/// let db = Database::in_memory()?;
/// db.create_vector_index(VectorIndex::on_nodes("Chunk", "embedding", 2).named("chunks"))?;
/// let mut txn = db.write()?;
/// for embedding in [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]] {
///     let embedding = Value::Vector(Vector::new(embedding)?);
///     txn.create_node(["Chunk"], [("embedding", embedding)])?;
/// }
/// txn.commit()?;
/// let answer = db.read()?.search_vectors("chunks", &VectorSearch::new(&[1.0, 0.1], 2))?;
/// assert_eq!(answer.hits.len(), 2);
/// assert!(answer.hits[0].score > answer.hits[1].score);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a search is only described until a transaction makes it"]
pub struct VectorSearch<'a> {
    vector: &'a [f32],
    k: usize,
    effort: Effort,
    threshold: Option<f32>,
    among: Option<&'a RoaringTreemap>,
    label: Option<&'a str>,
    filters: Vec<(&'a str, Allowed)>,
}

/// What a property may be.
#[derive(Clone, Debug)]
enum Allowed {
    Equal(Value),
    Range(End<Value>, End<Value>),
}

impl<'a> VectorSearch<'a> {
    /// The `k` nearest to a vector.
    pub fn new(vector: &'a [f32], k: usize) -> Self {
        Self {
            vector,
            k,
            effort: Effort::Breadth(DEFAULT_BREADTH),
            threshold: None,
            among: None,
            label: None,
            filters: Vec::new(),
        }
    }

    /// How hard to look: so many candidates (known as `ef`; 64 if nothing is said), a share of the true
    /// nearest, or all of them.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Only what scores as well: at least so much, or at most, if the metric is a distance.
    pub fn threshold(mut self, score: f32) -> Self {
        self.threshold = Some(score);
        self
    }

    /// Only among nodes, or relationships, with these ids.
    pub fn among(mut self, ids: &'a RoaringTreemap) -> Self {
        self.among = Some(ids);
        self
    }

    /// Only nodes with this label, or relationships of this type.
    pub fn labelled(mut self, label: &'a str) -> Self {
        self.label = Some(label);
        self
    }

    /// Only where a property that the index was declared to be filtered by equals a value.
    pub fn where_equal(mut self, property: &'a str, value: impl Into<Value>) -> Self {
        self.filters.push((property, Allowed::Equal(value.into())));
        self
    }

    /// Only where such a property lies within bounds.
    pub fn where_range(
        mut self,
        property: &'a str,
        bounds: impl std::ops::RangeBounds<Value>,
    ) -> Self {
        let range = Allowed::Range(bounds.start_bound().cloned(), bounds.end_bound().cloned());
        self.filters.push((property, range));
        self
    }
}

/// How many candidates are kept if nothing else is said.
const DEFAULT_BREADTH: usize = 64;

/// One that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorHit {
    /// Whose vector it is.
    pub entity: Entity,
    /// The cosine, the dot product, or the square of the distance.
    pub score: f32,
}

/// Who has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServedBy {
    /// The index.
    Index,
    /// All stored vectors were compared, because the index is still being made, or made anew.
    VectorsWhileBuilding,
    /// All stored vectors were compared, because the transaction reads at a commit from before the index.
    VectorsOfEarlierCommit,
    /// All stored vectors were compared, because a part of the index was found to be damaged; it is being
    /// mended.
    VectorsWhileMending,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct VectorAnswer {
    /// The nearest first; of those that score the same, the one with the smaller id.
    pub hits: Vec<VectorHit>,
    /// Whether some may be missing.
    pub how: How,
    /// Who has answered.
    pub served_by: ServedBy,
    /// Which way was taken.
    pub strategy: Strategy,
    /// How many codes or vectors were compared.
    pub compared: u64,
    /// Which share of the true nearest was most likely found, if the index has measured it.
    pub estimated_recall: Option<f32>,
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
        let refused = |source| Error::VectorIndex {
            index: Arc::clone(&def.name),
            source: Box::new(source),
        };
        let checked = def.metric.check(def.dimensions as usize, search.vector);
        checked.map_err(refused)?;
        let measure = &Measure::to(def.metric, search.vector).map_err(refused)?;
        let ids = self.allowed(def, search)?;
        let Some(bound) = self.indexes.get(def.id) else {
            return self.compare_all(def, search, measure, ids.as_ref(), ServedBy::VectorsWhileBuilding);
        };
        let live = match bound.state() {
            State::Ready(live) => live,
            State::Building { .. } => {
                let served_by = ServedBy::VectorsWhileBuilding;
                return self.compare_all(def, search, measure, ids.as_ref(), served_by);
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
            return self.compare_all(def, search, measure, ids.as_ref(), served_by);
        }
        match self.ask(def, search, measure, ids.as_ref(), &live) {
            Ok(answer) => answer,
            Err(error @ (IndexError::RowLost { .. } | IndexError::Original { .. })) => {
                tracing::warn!(index = &*def.name, %error, "a vector index is mended");
                self.indexes.mend(&bound, &live);
                self.compare_all(def, search, measure, ids.as_ref(), ServedBy::VectorsWhileMending)
            }
            Err(error) => Err(refused(error)),
        }
    }

    /// Asks the index, and compares what this transaction has changed itself.
    fn ask(
        &self,
        def: &VectorIndexDef,
        search: &VectorSearch<'_>,
        measure: &Measure<'_>,
        ids: Option<&RoaringTreemap>,
        live: &Live,
    ) -> Result<Result<VectorAnswer>, IndexError> {
        let within = ids.map(|ids| live.index.slots_of(ids));
        let mut query = Query::new(search.vector, search.k)
            .effort(search.effort)
            .at(self.view.keys.commit_seq().get());
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
        for id in &self.touched {
            if ids.is_some_and(|ids| !ids.contains(*id)) {
                continue;
            }
            match vector_of(&self.view, def, *id) {
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
        ids: Option<&RoaringTreemap>,
        served_by: ServedBy,
    ) -> Result<VectorAnswer> {
        let refused = |source| Error::VectorIndex {
            index: Arc::clone(&def.name),
            source: Box::new(source),
        };
        let mut best = Best::new(def, search, measure, Vec::new());
        let mut compared = 0;
        let mut offer = |id, vector: &[f32]| {
            compared += 1;
            best.offer(id, vector).map_err(refused)
        };
        match ids {
            Some(ids) if ids.len() < FEW_IDS => {
                for id in ids {
                    if let Some(vector) = vector_of(&self.view, def, id)? {
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

    /// The ids that a search is limited to, if it is.
    fn allowed(
        &self,
        def: &VectorIndexDef,
        search: &VectorSearch<'_>,
    ) -> Result<Option<RoaringTreemap>> {
        let mut allowed = search.among.cloned();
        let mut narrow = |ids: RoaringTreemap| match &mut allowed {
            Some(allowed) => *allowed &= ids,
            None => allowed = Some(ids),
        };
        if let Some(label) = search.label {
            let catalog = self.view.catalog();
            let set = if def.scope.is_node() {
                catalog.labels.id(label).map(SetId::Label)
            } else {
                catalog.types.id(label).map(SetId::Type)
            };
            narrow(match set {
                Some(set) => self.view.set(set)?,
                None => RoaringTreemap::new(),
            });
        }
        for (property, allowed) in &search.filters {
            narrow(self.matching(def, property, allowed)?);
        }
        Ok(allowed)
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
        let index = id.and_then(|id| catalog.indexes().find(|index| {
            index.scope == def.scope && index.properties == [id]
        }));
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

/// The best so far.
struct Best<'a> {
    def: &'a VectorIndexDef,
    measure: &'a Measure<'a>,
    k: usize,
    threshold: Option<f32>,
    hits: Vec<VectorHit>,
}

impl<'a> Best<'a> {
    fn new(
        def: &'a VectorIndexDef,
        search: &VectorSearch<'_>,
        measure: &'a Measure<'a>,
        hits: Vec<VectorHit>,
    ) -> Self {
        Self {
            def,
            measure,
            k: search.k,
            threshold: search.threshold,
            hits,
        }
    }

    fn offer(&mut self, id: u64, vector: &[f32]) -> Result<(), IndexError> {
        let score = self.measure.score(vector)?;
        let metric = self.def.metric;
        if self.threshold.is_none_or(|limit| metric.reaches(score, limit)) {
            let entity = self.def.scope.entity(id);
            self.hits.push(VectorHit { entity, score });
        }
        // Now and then, so that nothing is sorted for each.
        if self.hits.len() >= self.k.saturating_mul(2).max(1024) {
            self.shrink();
        }
        Ok(())
    }

    fn shrink(&mut self) {
        let metric = self.def.metric;
        self.hits.sort_unstable_by(|left, right| {
            let by_score = metric.order(left.score, right.score);
            by_score.then(left.entity.number().cmp(&right.entity.number()))
        });
        self.hits.truncate(self.k);
    }

    fn finish(mut self) -> Vec<VectorHit> {
        self.shrink();
        self.hits
    }
}
