//! `graph`: the graph beside raw RocksDB; see [`stratigraph_bench::graph`].

use clap::Parser;
use std::process::ExitCode;
use stratigraph_bench::graph::{self, Arguments};

fn main() -> ExitCode {
    match graph::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("graph: {error:#}");
            ExitCode::FAILURE
        }
    }
}
