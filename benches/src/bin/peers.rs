//! `peers`: the same tasks beside other databases; see [`stratigraph_bench::peers`].

use clap::Parser;
use std::process::ExitCode;
use stratigraph_bench::peers::{self, Arguments};

fn main() -> ExitCode {
    match peers::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peers: {error:#}");
            ExitCode::FAILURE
        }
    }
}
