//! Aggregates: one value of many rows.
//!
//! Each leaves nulls out by itself. DISTINCT is done by whoever feeds them, as is grouping.
//!
//! | what | where |
//! |---|---|
//! | `count`, `collect` | `gather.rs` |
//! | `min`, `max` | `extremes.rs` |
//! | `sum`, `avg` | `sum.rs` |
//! | `stDev`, `stDevP` | `deviation.rs` |
//! | `percentileDisc`, `percentileCont` | `percentile.rs` |
//!
//! Next: `gather.rs`.

mod deviation;
mod extremes;
mod gather;
mod percentile;
mod sum;

use super::AggregateFunction;

/// The tables of aggregates.
pub(super) static TABLES: &[&[AggregateFunction]] = &[
    gather::AGGREGATES,
    extremes::AGGREGATES,
    sum::AGGREGATES,
    deviation::AGGREGATES,
    percentile::AGGREGATES,
];
