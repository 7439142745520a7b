//! Conformance: scenarios of the openCypher TCK, our own scripts, and the examples of the
//! documentation, all run against the engine in every variant in which it must answer the same.
//!
//! The way of a scenario: a reader makes it (`json_lines.rs` from the extract, `feature/` from upstream
//! files), `run.rs` tries it in a session, `compare.rs` and `effects.rs` judge, `report.rs` sums up.
//! Scripts go the same way. Only `bound.rs` may know the engine, and nothing here may know what a
//! particular scenario needs: a scenario that is skipped or treated specially is a scenario that failed.
//!
//! Next: `cell.rs`.

#![forbid(unsafe_code)]

pub mod bound;
pub mod cell;
pub mod compare;
pub mod effects;
pub mod engine;
pub mod feature;
pub mod journal;
pub mod json_lines;
pub mod pool;
pub mod report;
pub mod run;
pub mod scenario;
pub mod script;
pub mod selection;
pub mod value_text;
