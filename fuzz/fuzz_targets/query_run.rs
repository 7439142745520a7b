//! Runs arbitrary text on a small graph: as usual, one row at a time, without the planner's rules, and stopped
//! midway.
//!
//! What an input is, and what must hold: `fuzz/src/run.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| stratigraph_fuzz::run::input(data));
