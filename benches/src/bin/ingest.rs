//! `ingest`: documents into the graph; see [`stratigraph_bench::ingest`].

use clap::Parser;
use std::process::ExitCode;
use stratigraph_bench::ingest::{self, Arguments};

fn main() -> ExitCode {
    match ingest::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ingest: {error:#}");
            ExitCode::FAILURE
        }
    }
}
