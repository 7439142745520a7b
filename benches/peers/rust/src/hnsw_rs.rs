//! hnsw_rs with SimSIMD's inner product. Its own panics on real vectors of length one (`assertion failed: dot >=
//! 0.`), and its cosine is several times slower.

use crate::Index;
use crate::set::Set;
use anyhow::Result;
use hnsw_rs::prelude::{Distance, Hnsw};
use simsimd::SpatialSimilarity;

#[derive(Default)]
pub struct Dot;

impl Distance<f32> for Dot {
    fn eval(&self, left: &[f32], right: &[f32]) -> f32 {
        (1.0 - f32::dot(left, right).unwrap_or(0.0) as f32).max(0.0)
    }
}

pub struct HnswRs(Hnsw<'static, f32, Dot>);

impl HnswRs {
    pub fn build(set: &Set, threads: usize) -> Result<Self> {
        let hnsw = Hnsw::new(16, set.len(), 16, 128, Dot);
        if threads == 1 {
            (0..set.len()).for_each(|row| hnsw.insert((set.row(row), row)));
        } else {
            let rows: Vec<(&[f32], usize)> =
                (0..set.len()).map(|row| (set.row(row), row)).collect();
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()?;
            pool.install(|| hnsw.parallel_insert_slice(&rows));
        }
        Ok(Self(hnsw))
    }
}

impl Index for HnswRs {
    fn search(&self, query: &[f32], k: usize, breadth: usize, found: &mut Vec<u32>) -> Result<()> {
        let near = self.0.search(query, k, breadth);
        found.extend(near.iter().map(|near| near.d_id as u32));
        Ok(())
    }

    fn search_among(
        &self,
        query: &[f32],
        k: usize,
        breadth: usize,
        allowed: &dyn Fn(u32) -> bool,
        found: &mut Vec<u32>,
    ) -> Result<bool> {
        let filter = |row: &usize| allowed(*row as u32);
        let near = self.0.search_filter(query, k, breadth, Some(&filter));
        found.extend(near.iter().map(|near| near.d_id as u32));
        Ok(true)
    }
}
