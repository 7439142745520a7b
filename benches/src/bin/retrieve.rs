//! `retrieve`: every preset over a large graph; see [`stratigraph_bench::retrieve`].

use clap::Parser;
use std::process::ExitCode;
use stratigraph_bench::retrieve::{self, Arguments};

fn main() -> ExitCode {
    match retrieve::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("retrieve: {error:#}");
            ExitCode::FAILURE
        }
    }
}
