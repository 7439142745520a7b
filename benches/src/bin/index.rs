//! `index`: vector indexes in the database beside bare ones; see [`stratigraph_bench::index`].

use clap::Parser;
use std::process::ExitCode;
use stratigraph_bench::index::{self, Arguments};

fn main() -> ExitCode {
    match index::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("index: {error:#}");
            ExitCode::FAILURE
        }
    }
}
