//! Vectors: what is null, what is refused, and that a function says what an index and a traversal say, bit for bit.

use super::{call, called, function};
use crate::algo::traverse::{Candidates, Measure, NodeVectors, Scorer, VectorScorer};
use crate::query::functions::Random;
use crate::query::similarity;
use crate::value::{NodeId, Value, Vector};
use stratigraph_vector::{Measure as OfIndex, Metric, Rows, VectorError};

fn list(numbers: &[f64]) -> Value {
    Value::from(numbers.to_vec())
}

#[test]
fn what_is_missing_is_near_to_nothing() {
    let one = list(&[1.0, 2.0]);
    for name in [
        "vector.cosine",
        "vector.dot",
        "vector.l2",
        "vector.similarity.cosine",
        "vector.similarity.euclidean",
    ] {
        assert_eq!(called(name, &[one.clone(), Value::Null]), "null", "{name}");
        let holed = Value::from(vec![Some(1.0), None]);
        assert_eq!(called(name, &[holed, one.clone()]), "null", "{name}");
        let other = list(&[1.0, 2.0, 3.0]);
        let mismatch = called(name, &[one.clone(), other]);
        assert_eq!(mismatch, "VectorDimensionMismatch", "{name}");
        let text = Value::from(vec!["1", "2"]);
        let refused = called(name, &[one.clone(), text]);
        assert_eq!(refused, "InvalidArgumentType", "{name}");
        let huge = called(name, &[one.clone(), list(&[1e39, 0.0])]);
        assert_eq!(huge, "InvalidArgumentValue", "{name}");
    }
    let zero = list(&[0.0, 0.0]);
    assert_eq!(
        called("vector.cosine", &[one.clone(), zero.clone()]),
        "null"
    );
    let scaled = called("vector.similarity.cosine", &[zero.clone(), one.clone()]);
    assert_eq!(scaled, "null");
    assert_eq!(called("vector.dot", &[one, zero]), "0.0");
    // Infinity minus infinity is no number, and so null.
    let (up, both) = (list(&[3e38, 3e38]), list(&[3e38, -3e38]));
    assert_eq!(called("vector.dot", &[up, both]), "null");
}

#[test]
fn vectors_are_made_of_what_fits() {
    for (arguments, expected) in [
        (vec![list(&[1.0])], "vector([1.0])"),
        (vec![list(&[])], "InvalidArgumentValue"),
        (vec![list(&[1.0]), 2.into()], "VectorDimensionMismatch"),
        (vec![list(&[1.0]), (-1).into()], "NumberOutOfRange"),
        (
            vec![list(&[1.0]), 1.into(), "float".into()],
            "vector([1.0])",
        ),
        (
            vec![list(&[1.0]), 1.into(), "INT8".into()],
            "InvalidArgumentValue",
        ),
        (vec![Value::from(vec![Some(1), None])], "null"),
    ] {
        assert_eq!(called("vector", &arguments), expected, "{arguments:?}");
    }
}

/// The float that a function gives of two vectors, as bits.
fn bits(name: &str, left: &[f32], right: &[f32]) -> Option<u64> {
    let vector = |numbers: &[f32]| Value::from(Vector::new(numbers).unwrap());
    let value = call(function(name).unwrap(), &[vector(left), vector(right)]).unwrap();
    value.as_float().map(f64::to_bits)
}

#[test]
fn functions_indexes_and_traversals_say_the_same() {
    let mut random = Random::new(Some(7));
    // Also so short and so long that 32 bits do not hold their squares.
    for scale in [1.0, 1e-3, 3e-17, 1e-25, 4e18, 3e19] {
        for dimension in [1, 2, 15, 16, 17, 100, 384, 1000] {
            let mut vector = || -> Vec<f32> {
                let unit = |bits: u64| (bits >> 40) as f32 / (1 << 23) as f32 - 1.0;
                (0..dimension)
                    .map(|_| unit(random.bits().unwrap()) * scale)
                    .collect()
            };
            let query = vector();
            let rows: Vec<f32> = (0..20).flat_map(|_| vector()).collect();
            let matrix = Rows::new(&rows, dimension).unwrap();
            let vectors = NodeVectors::consecutive(NodeId::new(0), matrix);
            let nodes: Vec<NodeId> = (0..20).map(NodeId::new).collect();
            let scores = |measure| {
                let mut scorer = VectorScorer::new(&vectors, &query, measure).unwrap();
                let mut scores = vec![f64::NAN; nodes.len()];
                let candidates = Candidates::of(&nodes);
                let scored: Result<(), VectorError> = scorer.score(0, candidates, &mut scores);
                scored.unwrap();
                scores
            };
            let (cosines, dots) = (scores(Measure::Cosine), scores(Measure::Dot));
            let distances = scores(Measure::NegativeL2);
            for at in 0..20 {
                let row = matrix.row(at).unwrap();
                let said = |score: f64| (!score.is_nan()).then(|| score.to_bits());
                let what = format!("{scale} {dimension} {at}");
                assert_eq!(
                    bits("vector.cosine", &query, row),
                    said(cosines[at]),
                    "{what}"
                );
                assert_eq!(bits("vector.dot", row, &query), said(dots[at]), "{what}");
                assert_eq!(
                    bits("vector.l2", &query, row),
                    said(-distances[at]),
                    "{what}"
                );
                for (metric, name) in [
                    (Metric::Cosine, "vector.similarity.cosine"),
                    (Metric::Euclidean, "vector.similarity.euclidean"),
                ] {
                    let Ok(measure) = OfIndex::to(metric, &query) else {
                        continue;
                    };
                    let score = measure.score(row).unwrap();
                    let scaled = similarity::scaled(metric, score).to_bits();
                    assert_eq!(bits(name, row, &query), Some(scaled), "{what}");
                }
            }
        }
    }
}
