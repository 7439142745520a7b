//! Vectors: how alike two of them are, and later the index that finds the most alike.
//!
//! What stands is the floor of it: the [`Kernels`] for `f32` vectors, one against one or one
//! against many rows. They return the same bits on every machine, so that a score may be compared,
//! stored and asked for again. This crate knows no store, no graph and no ids: a row is a place in
//! a matrix, and who lives there is the caller's business. It reads no clock, draws no random
//! number, and starts no thread; of the environment it reads [`KERNELS_VARIABLE`] alone.
//!
//! Start with `kernel/mod.rs`; the order in which numbers are added is in `kernel/order.rs`.
//!
//! ```
//! use stratigraph_vector::{Kernels, Rows};
//!
//! let matrix = [1.0, 0.0, 0.0, 1.0, 0.6, 0.8];
//! let rows = Rows::new(&matrix, 2)?;
//! let mut scores = [0.0; 3];
//! Kernels::best().dot_rows(&[0.0, 2.0], rows, &mut scores)?;
//! assert_eq!(scores, [0.0, 2.0, 1.6]);
//! # Ok::<(), stratigraph_vector::VectorError>(())
//! ```

mod codes;
mod coding;
mod error;
#[cfg(test)]
mod fenced;
mod graph;
mod index;
mod kernel;
mod machine;
mod memory;
mod metric;
mod originals;
mod rows;
mod snapshot;
mod sync;

pub use codes::{CodeKernels, halves};
pub use coding::Coding;
pub use error::{IndexError, VectorError};
pub use index::{
    Answer, Effort, Hit, How, Index, Memory, Query, Rerank, Settings, Strategy, Tender, Tending,
};
pub use kernel::{Kernels, cosine_from_parts, cosine_of_long};
pub use machine::VARIABLE as KERNELS_VARIABLE;
pub use metric::Metric;
pub use originals::{Originals, Wanted};
pub use rows::Rows;
pub use snapshot::{Loading, Snapshot};
