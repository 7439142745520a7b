//! `query`: queries beside Kuzu; see [`stratigraph_bench::query`].

use clap::Parser;
use std::process::ExitCode;
use stratigraph_bench::query::{self, Arguments};

fn main() -> ExitCode {
    match query::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("query: {error:#}");
            ExitCode::FAILURE
        }
    }
}
