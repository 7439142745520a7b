//! How well vector indexes find what they should: now and then a search is made once more, exactly, and compared.
//!
//! It happens beside the answer, one at a time and for a limited time, so that it costs a known share of the machine
//! whatever clients do. What it finds is in the metrics alone.

use crate::databases::OpenDatabase;
use crate::shared::Shared;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Effort, Read as _, Value, Vector, VectorSearch};
use tokio::sync::Semaphore;

/// How long an exact search may take.
const TIME: Duration = Duration::from_secs(10);

/// Which searches are made once more.
pub(crate) struct RecallSampler {
    every: u64,
    seen: AtomicU64,
    place: Arc<Semaphore>,
}

/// A search, and how well what was found scores.
pub(crate) struct Sample {
    pub(crate) index: String,
    pub(crate) vector: Vector,
    pub(crate) k: usize,
    pub(crate) threshold: Option<f32>,
    pub(crate) label: String,
    pub(crate) equal: Vec<(String, Value)>,
    pub(crate) scores: Vec<f32>,
}

impl RecallSampler {
    /// One that takes each search of that number; none if it is 0.
    pub(crate) fn new(every: u64) -> Self {
        Self {
            every,
            seen: AtomicU64::new(0),
            place: Arc::new(Semaphore::new(1)),
        }
    }

    /// Whether the search that was just made is one of those.
    pub(crate) fn wants(&self) -> bool {
        self.every > 0
            && self
                .seen
                .fetch_add(1, Ordering::Relaxed)
                .is_multiple_of(self.every)
    }

    /// Makes a search once more, if no other one is made. Must be called within the runtime.
    pub(crate) fn take(&self, shared: &Arc<Shared>, database: &Arc<OpenDatabase>, sample: Sample) {
        let Ok(place) = Arc::clone(&self.place).try_acquire_owned() else {
            return;
        };
        let (shared, database) = (Arc::clone(shared), Arc::clone(database));
        let cancel = CancelToken::new();
        let timer = tokio::spawn({
            let cancel = cancel.clone();
            async move {
                tokio::time::sleep(TIME).await;
                cancel.cancel();
            }
        });
        let under_way = shared.ending.under_way(&cancel);
        tokio::task::spawn_blocking(move || {
            let _held = (place, under_way);
            match sample.exact_scores(&database, &cancel) {
                Ok(exact) => {
                    if let Some(recall) = recall(&sample.scores, &exact) {
                        shared
                            .metrics
                            .recalled(&database.name, &sample.index, recall);
                    }
                }
                Err(error) => tracing::debug!(%error, "no sample of recall"),
            }
            timer.abort();
        });
    }
}

impl Sample {
    fn exact_scores(
        &self,
        database: &OpenDatabase,
        cancel: &CancelToken,
    ) -> stratigraph::Result<Vec<f32>> {
        let read = database.engine.read()?.with_cancel(cancel.clone());
        let mut search = VectorSearch::new(self.vector.as_slice(), self.k).effort(Effort::Exact);
        if let Some(threshold) = self.threshold {
            search = search.threshold(threshold);
        }
        if !self.label.is_empty() {
            search = search.labelled(&self.label);
        }
        for (property, value) in &self.equal {
            search = search.where_equal(property, value.clone());
        }
        let answer = read.search_vectors(&self.index, &search)?;
        Ok(answer.hits.iter().map(|hit| hit.score).collect())
    }
}

/// Which share of what there is was found; by scores, so that it does not matter which of two equals it was.
fn recall(found: &[f32], exact: &[f32]) -> Option<f64> {
    let worst = exact.iter().copied().reduce(f32::min)?;
    let good = found.iter().filter(|score| **score >= worst).count();
    Some(good.min(exact.len()) as f64 / exact.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_so_many_are_taken_and_none_if_nobody_wants_them() {
        let taken = |every| {
            let sampler = RecallSampler::new(every);
            (0..10).filter(|_| sampler.wants()).count()
        };
        assert_eq!((taken(0), taken(1), taken(5), taken(100)), (0, 10, 2, 1));
    }

    #[test]
    fn recall_is_the_share_of_what_there_is() {
        assert_eq!(recall(&[0.9, 0.8], &[0.9, 0.8]), Some(1.0));
        assert_eq!(recall(&[0.9, 0.7], &[0.9, 0.8]), Some(0.5));
        assert_eq!(recall(&[], &[0.9, 0.8]), Some(0.0));
        assert_eq!(recall(&[0.9, 0.8, 0.8], &[0.9, 0.8]), Some(1.0));
        assert_eq!(recall(&[0.9], &[]), None);
    }
}
