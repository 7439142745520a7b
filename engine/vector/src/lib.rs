//! Vectors: how alike two of them are, and an index that finds the most alike.
//!
//! An [`Index`] keeps vectors by id, each from the sequence at which it was written to the one at which it
//! was replaced or removed, and answers which are nearest to one: among all, among a set, now or as it was.
//! It always returns as many as were asked for, or as there are, and says how it found them.
//!
//! ```
//! use stratigraph_vector::{Effort, Metric, Query, Settings};
//!
//! let index = Settings::new(3, Metric::Cosine).memory_limit(1 << 20).build()?;
//! index.insert(1, 10, &[1.0, 0.0, 0.0])?;
//! index.insert(1, 20, &[0.6, 0.8, 0.0])?;
//! index.insert(2, 10, &[0.0, 0.0, 1.0])?; // in the place of the first
//!
//! let query = Query::new(&[1.0, 0.0, 0.0], 2).effort(Effort::Recall(0.95));
//! let now = index.search(&query)?;
//! assert_eq!(now.hits[0].id, 20);
//! let before = index.search(&query.at(1))?;
//! assert_eq!((before.hits[0].id, before.hits[0].score), (10, 1.0));
//! # Ok::<(), stratigraph_vector::IndexError>(())
//! ```
//!
//! ```text
//! insert -> code + links in a block, the vector itself apart -> fresh -> linked by whoever tends
//! search -> scan or walk over codes -> the best by all bits -> the best by the vectors -> hits
//! ```
//!
//! This crate knows no store and no graph of a database. It reads no clock, draws no random number, and
//! starts no thread but those that link and the one that is asked to tend; of the environment it reads
//! [`KERNELS_VARIABLE`] alone. The [`Kernels`] under it return the same bits on every machine, so that a score
//! may be compared, stored and asked for again.
//!
//! Start with `index/mod.rs`, then `graph/mod.rs`; bytes are in `snapshot/mod.rs`, instructions in
//! `kernel/mod.rs` and `codes/mod.rs`.

mod codes;
mod coding;
mod error;
#[cfg(test)]
mod fenced;
mod graph;
mod index;
mod kernel;
mod machine;
mod measure;
mod memory;
mod metric;
mod originals;
mod parallel;
mod rows;
mod snapshot;
mod sync;

pub use codes::{CodeKernels, CodeTable, halves};
pub use coding::Coding;
pub use error::{IndexError, VectorError};
pub use index::{
    Answer, Effort, Hit, How, IdSet, Index, Memory, Query, Rerank, Settings, Sifted, Sifting,
    Strategy, Tender, Tending,
};
pub use kernel::{Kernels, cosine_from_parts, cosine_of, cosine_of_long};
pub use machine::VARIABLE as KERNELS_VARIABLE;
pub use measure::Measure;
pub use metric::Metric;
pub use originals::{Originals, Wanted};
pub use rows::Rows;
pub use snapshot::{Loading, Snapshot};
