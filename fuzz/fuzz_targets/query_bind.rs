//! Binds and plans arbitrary text over a small graph.
//!
//! What an input is, and what must hold: `fuzz/src/bind.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| stratigraph_fuzz::bind::input(data));
