//! The bare scan as a peer: the code of every allowed row, a byte per dimension, is compared, and that is
//! all. It tells near from far well enough to be an answer by itself.

use super::filters::Group;
use super::in_process::Index;
use super::set::VectorSet;
use super::truth::K;
use anyhow::Result;
use stratigraph_vector::CodeKernels;

/// The largest number of a code.
const LARGEST: f32 = 127.0;
/// What turns a number from -128 to 127 into one from 0 to 255.
const SIGN: u8 = 1 << 7;

pub(super) struct Scan {
    codes: Vec<u8>,
    dims: usize,
    everything: Vec<u32>,
    query: Vec<i8>,
    dots: Vec<i32>,
}

impl Index for Scan {
    fn build(set: &VectorSet, _threads: usize) -> Result<Self> {
        let mut codes = Vec::with_capacity(set.base.len());
        let mut numbers = Vec::new();
        // One unit for all, so that sums can be compared.
        let largest = largest(&set.base);
        for row in set.base.chunks_exact(set.dims) {
            encode(row, largest, &mut numbers);
            // Kernels take the one side of a product without a sign.
            codes.extend(numbers.iter().map(|number| number.cast_unsigned() ^ SIGN));
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
        encode(query, largest(query), &mut self.query);
        self.dots.resize(allowed.len(), 0);
        let (codes, dots) = (&self.codes, &mut self.dots);
        CodeKernels::best().dot_gathered(&self.query, codes, self.dims, allowed, dots)?;
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

fn encode(row: &[f32], largest: f32, numbers: &mut Vec<i8>) {
    let unit = LARGEST / largest;
    numbers.clear();
    numbers.extend(row.iter().map(|one| (one * unit).round() as i8));
}

fn largest(numbers: &[f32]) -> f32 {
    let larger = |most: f32, one: &f32| most.max(one.abs());
    numbers.iter().fold(f32::MIN_POSITIVE, larger)
}
