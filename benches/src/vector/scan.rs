//! The exact scan as a peer: every allowed `f32` row is scored. What a filtered search has to beat.

use super::filters::Group;
use super::in_process::Index;
use super::set::VectorSet;
use super::truth::K;
use anyhow::Result;
use stratigraph_vector::{Kernels, Rows};

pub(super) struct Scan {
    rows: Vec<f32>,
    dims: usize,
    everything: Vec<u32>,
    scores: Vec<f32>,
}

impl Index for Scan {
    fn build(set: &VectorSet, _threads: usize) -> Result<Self> {
        Ok(Self {
            rows: set.base.clone(),
            dims: set.dims,
            everything: (0..set.len() as u32).collect(),
            scores: Vec::new(),
        })
    }

    fn search(&mut self, query: &[f32], _breadth: usize, found: &mut Vec<u32>) -> Result<()> {
        let rows = Rows::new(&self.rows, self.dims)?;
        exact(query, rows, &self.everything, &mut self.scores, found)
    }

    fn search_among(
        &mut self,
        query: &[f32],
        _breadth: usize,
        group: &Group,
        found: &mut Vec<u32>,
    ) -> Result<()> {
        let rows = Rows::new(&self.rows, self.dims)?;
        exact(query, rows, &group.allowed, &mut self.scores, found)
    }
}

/// The best [`K`] of the allowed rows.
pub(super) fn exact(
    query: &[f32],
    rows: Rows<'_>,
    allowed: &[u32],
    scores: &mut Vec<f32>,
    found: &mut Vec<u32>,
) -> Result<()> {
    scores.resize(allowed.len(), 0.0);
    Kernels::best().dot_gathered(query, rows, allowed, scores)?;
    // A short sorted list: hardly any row gets into it.
    let mut best: Vec<(f32, u32)> = Vec::with_capacity(K + 1);
    for (score, row) in scores.iter().zip(allowed) {
        if best.len() < K || best.last().is_some_and(|worst| *score > worst.0) {
            let place = best.partition_point(|better| better.0 >= *score);
            best.insert(place, (*score, *row));
            best.truncate(K);
        }
    }
    found.extend(best.iter().map(|(_, row)| *row));
    Ok(())
}
