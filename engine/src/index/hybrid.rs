//! One ranking of two: what is near by meaning, and what has the words.

use crate::error::{Error, Result};
use crate::graph::Entity;
use crate::index::text::TextHit;
use crate::index::vector::VectorHit;
use std::collections::HashMap;
use stratigraph_vector::Metric;

/// What vectors count at most, beside words' one.
const MAX_WEIGHT: f32 = 1e6;
/// With a greater constant all ranks count nearly the same.
const MAX_CONSTANT: f32 = 1e6;

/// How two rankings become one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fusion {
    /// Each ranking gives one divided by the rank and `constant` together, times its weight. Scores do not count,
    /// so it does not matter that they are of different kinds. 60 is the usual constant.
    ReciprocalRank {
        /// How little the first ranks stand out.
        constant: f32,
        /// What the nearness of vectors counts, beside words' one.
        vector_weight: f32,
    },
    /// Each ranking gives its scores, brought to 0 for the last and 1 for the first, times its weight.
    NormalisedScore {
        /// What the nearness of vectors counts, beside words' one.
        vector_weight: f32,
    },
}

impl Fusion {
    /// Whether its numbers are such that scores are numbers, and better ranks count more.
    pub(crate) fn check(self) -> Result<()> {
        let refused = |reason| {
            Err(Error::BadDeclaration {
                what: "fusion",
                reason,
            })
        };
        let (Self::ReciprocalRank { vector_weight, .. } | Self::NormalisedScore { vector_weight }) =
            self;
        if !(0.0..=MAX_WEIGHT).contains(&vector_weight) {
            return refused("the weight of vectors is a number from 0 to 1,000,000");
        }
        match self {
            Self::ReciprocalRank { constant, .. } if !(0.0..=MAX_CONSTANT).contains(&constant) => {
                refused("the constant of ranks is a number from 0 to 1,000,000")
            }
            _ => Ok(()),
        }
    }
}

impl Default for Fusion {
    fn default() -> Self {
        Self::ReciprocalRank {
            constant: 60.0,
            vector_weight: 1.0,
        }
    }
}

/// One that was found by either.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HybridHit {
    /// Who it is.
    pub entity: Entity,
    /// What both rankings have given.
    pub score: f32,
    /// The score by vectors, if it was among those.
    pub vector_score: Option<f32>,
    /// The score by words, if it was among those.
    pub text_score: Option<f32>,
}

/// The best `k` of both.
pub(crate) fn fuse(
    fusion: Fusion,
    metric: Metric,
    vectors: &[VectorHit],
    texts: &[TextHit],
    k: usize,
) -> Vec<HybridHit> {
    let near = |score: f32| match metric {
        Metric::Cosine | Metric::Dot => score,
        Metric::Euclidean => -score,
    };
    let vector_scores: Vec<f32> = vectors.iter().map(|hit| near(hit.score)).collect();
    let text_scores: Vec<f32> = texts.iter().map(|hit| hit.score).collect();
    let (vector_weight, text_weight) = match fusion {
        Fusion::ReciprocalRank { vector_weight, .. }
        | Fusion::NormalisedScore { vector_weight } => (vector_weight, 1.0),
    };
    let mut all: HashMap<Entity, HybridHit> = HashMap::new();
    for (place, hit) in vectors.iter().enumerate() {
        let given = vector_weight * share(fusion, &vector_scores, place);
        let one = all.entry(hit.entity).or_insert_with(|| nothing(hit.entity));
        one.score += given;
        one.vector_score = Some(hit.score);
    }
    for (place, hit) in texts.iter().enumerate() {
        let given = text_weight * share(fusion, &text_scores, place);
        let one = all.entry(hit.entity).or_insert_with(|| nothing(hit.entity));
        one.score += given;
        one.text_score = Some(hit.score);
    }
    let mut hits: Vec<HybridHit> = all.into_values().collect();
    hits.sort_unstable_by(|left, right| {
        let by_score = right.score.total_cmp(&left.score);
        let by_number = left.entity.number().cmp(&right.entity.number());
        // A node and a relationship may have the same number.
        by_score
            .then(by_number)
            .then(left.entity.cmp(&right.entity))
    });
    hits.truncate(k);
    hits
}

fn nothing(entity: Entity) -> HybridHit {
    HybridHit {
        entity,
        score: 0.0,
        vector_score: None,
        text_score: None,
    }
}

/// What a ranking gives to the one at a place. Scores fall.
fn share(fusion: Fusion, scores: &[f32], place: usize) -> f32 {
    match fusion {
        Fusion::ReciprocalRank { constant, .. } => 1.0 / (constant + 1.0 + place as f32),
        Fusion::NormalisedScore { .. } => {
            let (first, last) = (scores[0], scores[scores.len() - 1]);
            if first > last {
                (scores[place] - last) / (first - last)
            } else {
                1.0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::NodeId;

    fn node(id: u64) -> Entity {
        Entity::Node(NodeId::new(id))
    }

    fn fused(fusion: Fusion, metric: Metric, vectors: &[(u64, f32)], k: usize) -> Vec<(u64, f32)> {
        let vectors: Vec<VectorHit> = vectors
            .iter()
            .map(|(id, score)| VectorHit {
                entity: node(*id),
                score: *score,
            })
            .collect();
        let texts = [(3, 12.0), (1, 6.0), (4, 2.0)].map(|(id, score)| TextHit {
            entity: node(id),
            score,
        });
        let hits = fuse(fusion, metric, &vectors, &texts, k);
        hits.iter()
            .map(|hit| (hit.entity.number(), hit.score))
            .collect()
    }

    #[test]
    fn ranks_are_added_up() {
        let fusion = Fusion::ReciprocalRank {
            constant: 1.0,
            vector_weight: 2.0,
        };
        let found = fused(fusion, Metric::Cosine, &[(1, 0.9), (2, 0.8)], 9);
        let wanted = [
            (1, 2.0 / 2.0 + 1.0 / 3.0),
            (2, 2.0 / 3.0),
            (3, 0.5),
            (4, 0.25),
        ];
        assert_eq!(found, wanted);
        assert_eq!(fused(fusion, Metric::Cosine, &[], 1), [(3, 0.5)]);
    }

    #[test]
    fn what_makes_no_ranking_is_refused() {
        for wrong in [-1.0, f32::NAN, f32::INFINITY] {
            let by_rank = |constant, vector_weight| Fusion::ReciprocalRank {
                constant,
                vector_weight,
            };
            let by_score = Fusion::NormalisedScore {
                vector_weight: wrong,
            };
            for fusion in [by_rank(wrong, 1.0), by_rank(60.0, wrong), by_score] {
                assert!(fusion.check().is_err(), "{fusion:?}");
            }
        }
        assert!(Fusion::default().check().is_ok());
    }

    #[test]
    fn scores_are_brought_to_one_measure() {
        let fusion = Fusion::NormalisedScore { vector_weight: 0.5 };
        // The nearest has the smallest distance.
        let found = fused(
            fusion,
            Metric::Euclidean,
            &[(1, 1.0), (2, 2.0), (5, 5.0)],
            9,
        );
        let wanted = [(3, 1.0), (1, 0.5 + 0.4), (2, 0.375), (4, 0.0), (5, 0.0)];
        assert_eq!(found, wanted);
        assert_eq!(fused(fusion, Metric::Dot, &[(3, 7.0)], 1), [(3, 1.5)]);
    }
}
