//! The right answers, found by looking at everything: no side is believed.

use super::data::{DIMENSIONS, Data, K, LEVELS};
use anyhow::Result;
use std::collections::HashSet;
use stratigraph_vector::{Kernels, Rows};

/// The cosine of every vector with a query: all have length one.
pub(super) fn scores(vectors: &[f32], query: &[f32]) -> Result<Vec<f32>> {
    let rows = Rows::new(vectors, DIMENSIONS)?;
    let mut scores = vec![0.0; vectors.len() / DIMENSIONS];
    Kernels::best().dot_rows(query, rows, &mut scores)?;
    Ok(scores)
}

/// The nearest of each query among those that may be found.
pub(super) fn nearest(
    data: &Data,
    vectors: &[f32],
    may: impl Fn(usize) -> bool,
) -> Result<Vec<Vec<u32>>> {
    let allowed: Vec<u32> = (0..vectors.len() / DIMENSIONS)
        .filter(|node| may(*node))
        .map(|node| node as u32)
        .collect();
    (0..data.query_count())
        .map(|query| {
            let scores = scores(vectors, data.query(query))?;
            let mut best = allowed.clone();
            let better = |a: &u32, b: &u32| scores[*b as usize].total_cmp(&scores[*a as usize]);
            if best.len() > K {
                best.select_nth_unstable_by(K, better);
                best.truncate(K);
            }
            best.sort_unstable_by(better);
            Ok(best)
        })
        .collect()
}

/// Which share of the right rows was found.
pub(super) fn recall(found: &[Vec<u32>], truth: &[Vec<u32>]) -> f64 {
    let all: usize = truth.iter().map(Vec::len).sum();
    let right: usize = found
        .iter()
        .zip(truth)
        .map(|(found, truth)| {
            // A row that is given twice is found once.
            let found: HashSet<&u32> = found.iter().collect();
            truth.iter().filter(|row| found.contains(row)).count()
        })
        .sum();
    right as f64 / all.max(1) as f64
}

/// How many relationships the tree of so many nodes has: each but the root lies under another.
pub(super) fn tree_edges(nodes: usize) -> usize {
    nodes.saturating_sub(1)
}

/// Where every node's relationships begin, and where they lead.
pub(super) struct Neighbours {
    starts: Vec<usize>,
    ends: Vec<u32>,
}

impl Neighbours {
    pub(super) fn of(data: &Data) -> Self {
        let mut starts = vec![0; data.nodes() + 1];
        let pairs = || data.edges.as_chunks::<2>().0.iter();
        pairs().for_each(|[from, _]| starts[*from as usize + 1] += 1);
        for node in 0..data.nodes() {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut ends = vec![0; data.edges.len() / 2];
        for [from, to] in pairs() {
            ends[next[*from as usize]] = *to;
            next[*from as usize] += 1;
        }
        Self { starts, ends }
    }

    /// What is two steps from any of them.
    pub(super) fn two_steps(&self, from: &[u32]) -> HashSet<u32> {
        let next =
            |node: &u32| &self.ends[self.starts[*node as usize]..self.starts[*node as usize + 1]];
        from.iter().flat_map(next).flat_map(next).copied().collect()
    }
}

/// How many sections each way down keeps on each level below the root.
pub(super) fn descents(data: &Data) -> Result<Vec<Vec<u64>>> {
    data.descents
        .iter()
        .map(|way| {
            let scores = scores(&data.vectors, data.query(way.query))?;
            let mut kept = vec![false; data.nodes()];
            let mut level = vec![0_usize; data.nodes()];
            let mut counts = vec![0; LEVELS - 1];
            kept[0] = true;
            // A section stands behind the one above it.
            for node in 1..data.nodes() {
                let above = data.parents[node] as usize;
                level[node] = level[above] + 1;
                kept[node] = kept[above] && scores[node] > way.tau;
                if kept[node] {
                    counts[level[node] - 1] += 1;
                }
            }
            Ok(counts)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_given_twice_counts_once() {
        let truth = vec![vec![1, 2], vec![3, 4]];
        assert!((recall(&[vec![1, 1], vec![4, 3]], &truth) - 0.75).abs() < 1e-9);
        assert!(recall(&[vec![], vec![]], &truth).abs() < 1e-9);
    }

    #[test]
    fn truths_are_what_a_plain_loop_finds() {
        let folder = tempfile::tempdir().unwrap();
        let data = Data::make(folder.path(), 1_000, 5).unwrap();
        let truth = nearest(&data, &data.vectors, |node| data.buckets[node] < 100).unwrap();
        let scores = scores(&data.vectors, data.query(9)).unwrap();
        let worst = truth[9].iter().map(|row| scores[*row as usize]);
        let worst = worst.fold(f32::INFINITY, f32::min);
        let better =
            (0..data.nodes()).filter(|row| data.buckets[*row] < 100 && scores[*row] > worst);
        assert_eq!(better.count(), K - 1);
        let pairs = data.edges.as_chunks::<2>().0;
        let from: Vec<u32> = truth[9].clone();
        let first: HashSet<u32> = pairs
            .iter()
            .filter(|p| from.contains(&p[0]))
            .map(|p| p[1])
            .collect();
        let second: HashSet<u32> = pairs
            .iter()
            .filter(|p| first.contains(&p[0]))
            .map(|p| p[1])
            .collect();
        assert_eq!(Neighbours::of(&data).two_steps(&from), second);
    }
}
