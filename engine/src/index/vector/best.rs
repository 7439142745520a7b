//! The best of vectors that are compared one by one.

use super::request::{VectorHit, VectorSearch};
use crate::catalog::VectorIndexDef;
use stratigraph_vector::{IndexError, Measure};

/// The best so far.
pub(super) struct Best<'a> {
    def: &'a VectorIndexDef,
    measure: &'a Measure<'a>,
    k: usize,
    threshold: Option<f32>,
    hits: Vec<VectorHit>,
}

impl<'a> Best<'a> {
    pub(super) fn new(
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

    pub(super) fn offer(&mut self, id: u64, vector: &[f32]) -> Result<(), IndexError> {
        let score = self.measure.score(vector)?;
        let metric = self.def.metric;
        if self
            .threshold
            .is_none_or(|limit| metric.reaches(score, limit))
        {
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

    pub(super) fn finish(mut self) -> Vec<VectorHit> {
        self.shrink();
        self.hits
    }
}
