//! `vector`: the vector index beside other libraries; see [`stratigraph_bench::vector`].

use clap::Parser;
use std::process::ExitCode;
use stratigraph_bench::vector::{self, Arguments};

fn main() -> ExitCode {
    match vector::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("vector: {error:#}");
            ExitCode::FAILURE
        }
    }
}
