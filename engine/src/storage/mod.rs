//! The storage floor: a store that cannot lose data, and the means of transactions over it.
//!
//! [`store`] is the narrow face under everything; [`rocks`] (the only module that names RocksDB)
//! and [`memory`] implement it. [`family`] is the one table of column families. Over them stand
//! [`batch`] (the write overlay), [`queue`] (one writer at a time) and [`commit`] (append, sync,
//! publish). [`files`] are our own files beside RocksDB's, [`meta`] our own records inside it.
//! The transactions themselves are in [`keys`](crate::keys).

pub mod batch;
#[cfg(test)]
mod batch_tests;
pub mod cancel;
pub mod commit;
#[cfg(test)]
mod conformance;
pub mod family;
pub mod files;
pub mod memory;
pub mod meta;
pub mod plant;
pub mod queue;
pub mod range;
pub mod rocks;
pub mod store;
