//! Benchmarks beside a peer that does the same work in the same run.
//!
//! Each benchmark is a thin program in `src/bin` over a module here. A figure is a ratio first: on
//! a busy or unknown machine only the comparison of interleaved rounds says something.

pub mod documents;
pub mod graph;
pub mod index;
pub mod ingest;
mod measure;
pub mod peers;
pub mod query;
pub mod retrieve;
pub mod server;
pub mod storage;
pub mod text;
pub mod vector;
