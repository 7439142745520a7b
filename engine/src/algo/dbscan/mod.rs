//! Clusters of vectors by density: DBSCAN (Ester, Kriegel, Sander and Xu, 1996).
//!
//! A row is a *core* if the rows within `eps` of it, itself included, are many (or heavy) enough.
//! Cores within `eps` of each other share a cluster. Any other row within `eps` of a core is on the
//! *border* and joins the cluster of the lowest-numbered such core; what is left is noise. Clusters
//! are numbered in the order of their first cores. That leaves nothing to chance: the same rows and
//! options give the same answer, however many threads work and whatever processor they run on.
//!
//! Two ways lead to it. [`dbscan`] compares all pairs exactly, in blocks and on several threads
//! (`exact.rs`); [`dbscan_over`] asks a [`RangeQuery`] once per row (`expand.rs`), so that an index
//! may answer. This module must never know an index, a clock or a source of random numbers.
//!
//! # Cost
//!
//! All pairs once, twice with weights. On one core of a Xeon (Sapphire Rapids) and with `min_points`
//! of 5, 10,000 rows of 384 numbers take 0.55 s and 20,000 of 128 take 0.83 s, by cosine, and half of
//! it on two cores. Beyond some 32,000 rows a part of the pairs is measured again to join the cores.
//!
//! Next: `vectors.rs` for distances, and why "within `eps`" is decided in double precision.

mod exact;
mod expand;
mod sets;
mod spread;
mod tiles;
mod vectors;

use crate::storage::cancel::Watch;
use thiserror::Error;

pub(crate) use tiles::places;
pub use vectors::{Metric, Vectors};

/// What makes a row a core.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Density<'a> {
    /// At least this many rows within `eps`, itself included.
    Rows(u32),
    /// At least this much weight within `eps`, its own included.
    Weight {
        /// The weight of each row.
        weights: &'a [f32],
        /// The least sum; sums are taken in double precision, in the order of the rows.
        least: f64,
    },
}

/// How [`dbscan`] tells clusters from noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DbscanOptions<'a> {
    /// The largest distance between neighbours, inclusive.
    pub eps: f32,
    /// What makes a row a core.
    pub density: Density<'a>,
    /// How many threads may work; 1 for none but the caller's.
    pub threads: usize,
}

impl DbscanOptions<'_> {
    /// Cores have at least `min_points` rows within `eps`, themselves included; two threads.
    #[must_use]
    pub fn new(eps: f32, min_points: u32) -> Self {
        Self {
            eps,
            density: Density::Rows(min_points),
            threads: 2,
        }
    }
}

/// What [`dbscan`] has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clusters {
    /// The cluster of each row; `None` for noise.
    pub cluster: Vec<Option<u32>>,
    /// Whether each row is a core.
    pub core: Vec<bool>,
    /// How many clusters there are.
    pub count: u32,
}

impl Clusters {
    /// Puts border rows into the clusters of their lowest cores.
    ///
    /// `number` is the cluster of each core, `lowest_core` the core of each row that has one near.
    fn new(core: Vec<bool>, number: &[u32], lowest_core: &[u32], count: u32) -> Self {
        let cluster = (0..core.len()).map(|row| match lowest_core[row] {
            _ if core[row] => Some(number[row]),
            NONE => None,
            lowest => Some(number[lowest as usize]),
        });
        Self {
            cluster: cluster.collect(),
            core,
            count,
        }
    }
}

/// Answers which rows are near a row.
pub trait RangeQuery {
    /// How many rows there are.
    fn rows(&self) -> usize;

    /// Adds the rows at most `eps` away from `row` to `out`, each once and in any order; whether
    /// `row` itself is among them does not matter.
    ///
    /// # Errors
    ///
    /// Whatever keeps an index from answering.
    fn within(&self, row: usize, eps: f32, out: &mut Vec<u32>) -> crate::error::Result<()>;
}

/// Why there are no clusters.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum DbscanError {
    /// The numbers do not divide into rows.
    #[error("{numbers} numbers do not divide into rows of {dimension}")]
    Shape {
        /// How many numbers there are.
        numbers: usize,
        /// How many make a row.
        dimension: usize,
    },
    /// More rows than a row number can tell apart.
    #[error("{rows} rows are more than the {limit} that fit")]
    TooManyRows {
        /// How many rows there are.
        rows: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A row holds something that is not a number.
    #[error("row {row} holds {value}: vectors hold finite numbers only")]
    NotFinite {
        /// The row.
        row: usize,
        /// What it holds.
        value: f32,
    },
    /// A row has no direction.
    #[error("row {row} is a zero vector, which has no direction: leave it out, or use L2")]
    ZeroVector {
        /// The row.
        row: usize,
    },
    /// There is not one weight per row.
    #[error("{weights} weights for {rows} rows: there must be one each")]
    WeightCount {
        /// How many weights there are.
        weights: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// A weight is negative or not a number.
    #[error("row {row} has weight {weight}: weights are finite and not negative")]
    Weight {
        /// The row.
        row: usize,
        /// Its weight.
        weight: f32,
    },
    /// An option is out of range.
    #[error("option {name} = {value}: {reason}")]
    Option {
        /// The option.
        name: &'static str,
        /// What it was set to.
        value: f64,
        /// Why not.
        reason: &'static str,
    },
    /// A range query answered with a row that is not there.
    #[error("the range query of row {row} answered row {found}, but there are {rows} rows")]
    UnknownRow {
        /// The row that was asked about.
        row: usize,
        /// The answer.
        found: u32,
        /// How many rows there are.
        rows: usize,
    },
    /// The caller cancelled the work, or a range query failed.
    #[error(transparent)]
    Stopped(#[from] crate::error::Error),
}

/// Stands for "no row" and "no cluster"; [`check`] keeps rows below it.
const NONE: u32 = u32::MAX;

/// Clusters `vectors`, comparing all pairs.
///
/// ```
/// use stratigraph::algo::dbscan::{DbscanOptions, Metric, Vectors, dbscan};
/// use stratigraph::storage::cancel::Watch;
///
/// // Three points in a row, two side by side far away, and one by itself.
/// let rows = [0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 9.0, 9.0, 9.0, 8.0, 5.0, 40.0];
/// let vectors = Vectors::new(&rows, 2, Metric::L2)?;
///
/// let mut watch = Watch::quiet();
/// let found = dbscan(&vectors, &DbscanOptions::new(1.0, 2), &mut watch)?;
///
/// assert_eq!(found.count, 2);
/// assert_eq!(found.cluster, [Some(0), Some(0), Some(0), Some(1), Some(1), None]);
/// # Ok::<(), stratigraph::algo::dbscan::DbscanError>(())
/// ```
///
/// # Errors
///
/// [`DbscanError::Option`], [`DbscanError::WeightCount`] or [`DbscanError::Weight`] for options that
/// do not fit, [`DbscanError::Stopped`] if `watch` cancels.
pub fn dbscan(
    vectors: &Vectors<'_>,
    options: &DbscanOptions<'_>,
    watch: &mut Watch<'_>,
) -> Result<Clusters, DbscanError> {
    check(vectors.rows(), options)?;
    if options.threads == 0 {
        return Err(DbscanError::Option {
            name: "threads",
            value: 0.0,
            reason: "somebody must do the work",
        });
    }
    Ok(exact::cluster(vectors, options, watch)?)
}

/// Clusters the rows of `query`, asking it about each row once, on the caller's thread.
///
/// An index that misses neighbours may miss a cluster's coherence, too: a core that no query finds
/// from its cluster starts a cluster of its own.
///
/// # Errors
///
/// As [`dbscan`]; also [`DbscanError::UnknownRow`], and [`DbscanError::Stopped`] with the error of a
/// query that failed.
pub fn dbscan_over(
    query: &dyn RangeQuery,
    options: &DbscanOptions<'_>,
    watch: &mut Watch<'_>,
) -> Result<Clusters, DbscanError> {
    check(query.rows(), options)?;
    expand::cluster(query, options, watch)
}

fn check(rows: usize, options: &DbscanOptions<'_>) -> Result<(), DbscanError> {
    let limit = NONE as usize - 1;
    if rows > limit {
        return Err(DbscanError::TooManyRows { rows, limit });
    }
    if !options.eps.is_finite() || options.eps < 0.0 {
        return Err(DbscanError::Option {
            name: "eps",
            value: options.eps.into(),
            reason: "it must be finite and not negative",
        });
    }
    match options.density {
        Density::Rows(0) => Err(DbscanError::Option {
            name: "min_points",
            value: 0.0,
            reason: "it must be at least 1, because a row counts itself",
        }),
        Density::Rows(_) => Ok(()),
        Density::Weight { weights, least } => {
            if weights.len() != rows {
                return Err(DbscanError::WeightCount {
                    weights: weights.len(),
                    rows,
                });
            }
            let fits = |weight: f32| weight.is_finite() && weight >= 0.0;
            if let Some(row) = weights.iter().position(|&weight| !fits(weight)) {
                return Err(DbscanError::Weight {
                    row,
                    weight: weights[row],
                });
            }
            if !least.is_finite() || least <= 0.0 {
                return Err(DbscanError::Option {
                    name: "least",
                    value: least,
                    reason: "it must be finite and more than 0",
                });
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
