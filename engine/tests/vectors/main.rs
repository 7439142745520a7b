//! Vector indexes in the database: what a transaction sees, what a commit brings, what an open finds again.

mod basics;
mod beside;
mod churn;
mod damage;
mod declare;
mod filters;
mod keeping;
mod lifetimes;
mod loads;
mod model;
mod readers;
mod reopen;

#[path = "../folder/mod.rs"]
mod folder;

use fastrand::Rng;
use roaring::RoaringTreemap;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::{
    Database, Entity, Metric, NodeId, Read, Value, Vector, VectorAnswer, VectorIndex, VectorSearch,
};

/// A value that is a vector.
fn value(numbers: impl Into<Vec<f32>>) -> Value {
    Value::Vector(Vector::new(numbers.into()).unwrap())
}

/// A vector that looks random.
fn random(rng: &mut Rng, dimensions: usize) -> Vec<f32> {
    (0..dimensions).map(|_| rng.f32() * 2.0 - 1.0).collect()
}

/// Waits for every index.
fn wait(db: &Database) {
    for index in db.vector_indexes().unwrap() {
        let watch = &mut Watch::quiet();
        db.wait_for_vector_index(&index.definition.name, watch)
            .unwrap();
    }
}

fn entities(answer: &VectorAnswer) -> Vec<Entity> {
    answer.hits.iter().map(|hit| hit.entity).collect()
}

/// The names of the property indexes, in the order in which they were declared.
fn index_names(db: &Database) -> Vec<String> {
    let read = db.read().unwrap();
    let indexes = read.catalog().indexes();
    indexes.map(|index| index.name.to_string()).collect()
}

/// The nearest of some vectors, the slow way: by their scores and then their ids.
fn nearest(
    metric: Metric,
    query: &[f32],
    k: usize,
    vectors: impl Iterator<Item = (u64, Vec<f32>)>,
) -> Vec<u64> {
    let dot = |left: &[f32], right: &[f32]| -> f64 {
        let pairs = left.iter().zip(right);
        pairs.map(|(l, r)| f64::from(*l) * f64::from(*r)).sum()
    };
    let mut all: Vec<(f64, u64)> = vectors
        .map(|(id, row)| {
            let far = match metric {
                Metric::Dot => -dot(query, &row),
                Metric::Cosine => -dot(query, &row) / (dot(query, query) * dot(&row, &row)).sqrt(),
                Metric::Euclidean => query
                    .iter()
                    .zip(&row)
                    .map(|(l, r)| (f64::from(*l) - f64::from(*r)).powi(2))
                    .sum(),
            };
            (far, id)
        })
        .collect();
    all.sort_unstable_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
    all.into_iter().take(k).map(|(_, id)| id).collect()
}
