//! The bare scan as a peer: the code of every allowed row is compared, and that is all. What a filtered
//! search that looks at a whole set cannot beat.

use super::filters::Group;
use super::in_process::Index;
use super::set::VectorSet;
use super::truth::K;
use anyhow::Result;
use stratigraph_vector::halves::{HalfKernels, pack, packed_bytes, padded};

/// Where cells of a unit vector's components end, in deviations.
const CELL: f32 = 0.36;

pub(super) struct Scan {
    codes: Vec<u8>,
    dims: usize,
    everything: Vec<u32>,
    query: Vec<i8>,
    dots: Vec<i32>,
}

impl Index for Scan {
    fn build(set: &VectorSet, _threads: usize) -> Result<Self> {
        let mut codes = vec![0; set.len() * packed_bytes(set.dims)];
        let rows = set.base.chunks_exact(set.dims);
        let cells = (set.dims as f32).sqrt() / CELL;
        for (code, row) in codes.chunks_exact_mut(packed_bytes(set.dims)).zip(rows) {
            let nibble = |component: &f32| (component * cells + 7.5).round().clamp(0.0, 15.0) as u8;
            pack(row.iter().map(nibble), code);
        }
        Ok(Self {
            codes,
            dims: set.dims,
            everything: (0..set.len() as u32).collect(),
            query: Vec::new(),
            dots: Vec::new(),
        })
    }

    fn search(&mut self, query: &[f32], _breadth: usize, found: &mut Vec<u32>) -> Result<()> {
        let everything = std::mem::take(&mut self.everything);
        let scanned = self.scan(query, &everything, found);
        self.everything = everything;
        scanned
    }

    fn search_among(
        &mut self,
        query: &[f32],
        _breadth: usize,
        group: &Group,
        found: &mut Vec<u32>,
    ) -> Result<()> {
        self.scan(query, &group.allowed, found)
    }
}

impl Scan {
    fn scan(&mut self, query: &[f32], allowed: &[u32], found: &mut Vec<u32>) -> Result<()> {
        let largest = query
            .iter()
            .fold(f32::MIN_POSITIVE, |most, one| most.max(one.abs()));
        self.query.clear();
        let numbers = query.iter().map(|one| (one / largest * 127.0) as i8);
        self.query.extend(numbers);
        self.query.resize(padded(self.dims), 0);
        self.dots.resize(allowed.len(), 0);
        let kernels = HalfKernels::best();
        kernels.dot_gathered(
            &self.query,
            &self.codes,
            packed_bytes(self.dims),
            allowed,
            &mut self.dots,
        )?;
        // A short sorted list: hardly any row gets into it.
        let mut best: Vec<(i32, u32)> = Vec::with_capacity(K + 1);
        for (dot, row) in self.dots.iter().zip(allowed) {
            if best.len() < K || best.last().is_some_and(|worst| *dot > worst.0) {
                let place = best.partition_point(|better| better.0 >= *dot);
                best.insert(place, (*dot, *row));
                best.truncate(K);
            }
        }
        found.extend(best.iter().map(|(_, row)| *row));
        Ok(())
    }
}
