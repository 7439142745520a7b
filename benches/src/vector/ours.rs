//! Our index as a peer: the graph over codes, the best forty ranked again by their `f32` rows.
//!
//! Until the index has its public face this is the bare graph with its rows beside it, and a filter is
//! an exact scan of the allowed rows. Nothing else in the benchmark knows the index.

use super::filters::Group;
use super::in_process::Index;
use super::scan::exact;
use super::set::VectorSet;
use super::truth::K;
use anyhow::Result;
use stratigraph_vector::{Building, Graph, Kernels, Metric, Room, Rows};

const RANKED_AGAIN: usize = 40;

pub(super) struct Ours {
    graph: Graph,
    /// Its own, as the others have theirs: they count as memory.
    rows: Vec<f32>,
    dims: usize,
    room: Room,
    near: Vec<u32>,
    scores: Vec<f32>,
}

impl Index for Ours {
    fn build(set: &VectorSet, threads: usize) -> Result<Self> {
        let how = Building {
            links: 31,
            first_links: 16,
            breadth: 128,
            slack: 1.0,
            threads,
            seed: 1,
        };
        Ok(Self {
            graph: Graph::build(&set.base, set.dims, Metric::Cosine, how)?,
            rows: set.base.clone(),
            dims: set.dims,
            room: Room::default(),
            near: Vec::new(),
            scores: Vec::new(),
        })
    }

    fn search(&mut self, query: &[f32], breadth: usize, found: &mut Vec<u32>) -> Result<()> {
        self.graph
            .near(query, breadth, &mut self.room, &mut self.near)?;
        self.near.truncate(RANKED_AGAIN);
        self.scores.resize(self.near.len(), 0.0);
        let rows = Rows::new(&self.rows, self.dims)?;
        Kernels::best().dot_gathered(query, rows, &self.near, &mut self.scores)?;
        let mut order: Vec<(f32, u32)> = self
            .scores
            .iter()
            .copied()
            .zip(self.near.iter().copied())
            .collect();
        order.sort_unstable_by(|left, right| right.0.total_cmp(&left.0));
        found.extend(order.iter().take(K).map(|(_, row)| *row));
        Ok(())
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
