//! What instances take in, layer by layer: `BAG-RAG`'s fourth equation. It knows no database.
//!
//! ```text
//! context(f, 0) = { f }
//! context(f, k) = context(f, k-1) + context(g, k-1) of all neighbours g in f's community of layer k
//! v(f, k)       = the sum of the directions of context(f, k)
//! ```
//! Were each instance compared by its own vector in every layer, all layers would say the same, and it would be a
//! filter without any communities.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;
use stratigraph::Kernels;

use crate::cosine::cosine;

/// The contexts of instances in a layer.
pub(super) struct Aggregate {
    related: Vec<BTreeMap<u32, f32>>,
    /// The vectors of instances themselves, each of length 1.
    own: Vec<Vec<f32>>,
    contexts: Vec<RoaringBitmap>,
    sums: Vec<Vec<f32>>,
}

impl Aggregate {
    /// Below the finest layer each has only itself.
    pub(super) fn new(vectors: Vec<&[f32]>, related: Vec<BTreeMap<u32, f32>>) -> Self {
        let own: Vec<Vec<f32>> = vectors.into_iter().map(direction).collect();
        Self {
            related,
            contexts: (0..own.len() as u32).map(|place| [place].into()).collect(),
            sums: own.clone(),
            own,
        }
    }

    /// Goes up to a layer, which says to which community each belongs.
    pub(super) fn rise(&mut self, community: &[u32]) {
        let mut risen = Vec::with_capacity(self.contexts.len());
        for (place, row) in self.related.iter().enumerate() {
            let mut context = self.contexts[place].clone();
            for other in row.keys().map(|other| *other as usize) {
                if community[other] == community[place] {
                    context |= &self.contexts[other];
                }
            }
            let new = &context - &self.contexts[place];
            for other in new {
                let own = &self.own[other as usize];
                let sum = self.sums[place].iter_mut();
                sum.zip(own).for_each(|(sum, own)| *sum += own);
            }
            risen.push(context);
        }
        self.contexts = risen;
    }

    /// How near what an instance has taken in is to a vector.
    pub(super) fn cosine(&self, place: usize, to: &[f32]) -> f32 {
        cosine(&self.sums[place], to).unwrap_or(0.0)
    }
}

/// A vector of length 1; nothing but zeros if it has none.
fn direction(vector: &[f32]) -> Vec<f32> {
    let length = Kernels::best().norm(vector);
    let over = if length > 0.0 { 1.0 / length } else { 0.0 };
    vector.iter().map(|number| number * over).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Undirected rows of some pairs.
    fn rows(nodes: usize, pairs: &[(u32, u32)]) -> Vec<BTreeMap<u32, f32>> {
        let mut rows = vec![BTreeMap::new(); nodes];
        for (one, other) in pairs {
            rows[*one as usize].insert(*other, 1.0);
            rows[*other as usize].insert(*one, 1.0);
        }
        rows
    }

    fn contexts(aggregate: &Aggregate) -> Vec<Vec<u32>> {
        let contexts = aggregate.contexts.iter();
        contexts.map(|context| context.iter().collect()).collect()
    }

    #[test]
    fn contexts_grow_from_layer_to_layer_within_communities() {
        // 0 - 1 - 2 - 3, then 4 alone. Pairs are the finest communities, and all four the next.
        let (near, far) = ([2.0, 0.0], [0.0, 1.0]);
        let vectors = vec![&near[..], &far, &far, &far, &near];
        let mut aggregate = Aggregate::new(vectors, rows(5, &[(0, 1), (1, 2), (2, 3)]));
        let cosines = |aggregate: &Aggregate| {
            let cosine = |place| aggregate.cosine(place, &[3.0, 0.0]);
            (0..5).map(cosine).collect::<Vec<f32>>()
        };
        let alike = |found: Vec<f32>, wanted: [f32; 5]| {
            let pairs = found.iter().zip(wanted);
            assert!(
                pairs.clone().all(|(one, other)| (one - other).abs() < 1e-6),
                "{found:?}"
            );
        };
        alike(cosines(&aggregate), [1.0, 0.0, 0.0, 0.0, 1.0]);
        aggregate.rise(&[0, 0, 1, 1, 2]);
        assert_eq!(
            contexts(&aggregate),
            [vec![0, 1], vec![0, 1], vec![2, 3], vec![2, 3], vec![4]]
        );
        // One near and one far: (1, 1), however long they are.
        let half = 0.5_f32.sqrt();
        alike(cosines(&aggregate), [half, half, 0.0, 0.0, 1.0]);
        aggregate.rise(&[0, 0, 0, 0, 1]);
        // 0 takes in what 1 has, which is nothing new; 1 what 2 has taken in below, 3 with it.
        assert_eq!(
            contexts(&aggregate),
            [
                vec![0, 1],
                vec![0, 1, 2, 3],
                vec![0, 1, 2, 3],
                vec![2, 3],
                vec![4]
            ]
        );
        let tenth = 0.1_f32.sqrt();
        alike(cosines(&aggregate), [half, tenth, tenth, 0.0, 1.0]);
    }

    #[test]
    fn what_has_no_direction_is_far_from_everything() {
        let aggregate = Aggregate::new(vec![&[0.0, 0.0]], rows(1, &[]));
        assert_eq!(aggregate.cosine(0, &[1.0, 0.0]), 0.0);
    }
}
