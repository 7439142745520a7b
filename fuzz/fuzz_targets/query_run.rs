//! Runs arbitrary text on a small graph, in several ways that must agree.
//!
//! What an input is, and what must hold: `fuzz/src/run.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| stratigraph_fuzz::run::input(data));
