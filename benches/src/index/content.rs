//! Vectors in a database and in an index of their own.

use crate::measure::Setup;
use crate::vector::generate::{Recipe, generate, latent};
use anyhow::Result;
use std::path::Path;
use std::sync::Arc;
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, Metric, Value, Vector, VectorIndex};
use stratigraph_vector::{Index, Rerank, Settings};

pub(super) const DIMENSIONS: usize = 384;
/// Rows of one commit.
pub(super) const COMMIT: usize = 1000;
/// The threads that link, on both sides.
pub(super) const THREADS: usize = 2;
pub(super) const INDEX: &str = "chunks";

/// Rows that are as hard to search as sentences.
pub(super) fn rows(setup: &Setup, count: usize) -> Result<Vec<f32>> {
    generate(Recipe {
        rows: count,
        dims: DIMENSIONS,
        latent: latent(count),
        seed: setup.seed,
    })
}

pub(super) fn create(path: &Path) -> Result<Database> {
    let builder = Database::builder().create_if_missing(true);
    let db = builder.vector_threads(THREADS).open(path)?;
    db.create_vector_index(VectorIndex::on_nodes("Chunk", "v", DIMENSIONS).named(INDEX))?;
    Ok(db)
}

/// Writes rows through durable transactions. Every tenth has a second label.
pub(super) fn write(db: &Database, rows: &[f32]) -> Result<()> {
    for (commit, rows) in rows.chunks(COMMIT * DIMENSIONS).enumerate() {
        let mut txn = db.write()?;
        for (place, row) in rows.chunks_exact(DIMENSIONS).enumerate() {
            let tenth = (commit * COMMIT + place).is_multiple_of(10);
            let labels: &[&str] = if tenth {
                &["Chunk", "Tenth"]
            } else {
                &["Chunk"]
            };
            txn.create_node(labels, [("v", Value::Vector(Vector::new(row.to_vec())?))])?;
        }
        txn.commit()?;
    }
    Ok(())
}

/// An index alone, with the same settings.
pub(super) fn alone(rows_file: &Path) -> Result<Arc<Index>> {
    let settings = Settings::new(DIMENSIONS, Metric::Cosine);
    let settings = settings.rerank(Rerank::File(rows_file.to_owned()));
    Ok(Arc::new(settings.threads(THREADS).build()?))
}

/// Waits until every row of a database's index is linked.
pub(super) fn wait(db: &Database) -> Result<()> {
    db.tend_vector_index(INDEX)?;
    Ok(())
}

/// Waits until an index answers.
pub(super) fn wait_until_ready(db: &Database) -> Result<()> {
    let watch = &mut Watch::quiet();
    Ok(db.wait_for_vector_index(INDEX, watch)?)
}
