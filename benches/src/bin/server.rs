//! `server`: the gRPC door beside a bare one; see [`stratigraph_bench::server`].

use clap::Parser;
use std::process::ExitCode;
use stratigraph_bench::server::{self, Arguments};

fn main() -> ExitCode {
    match server::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("server: {error:#}");
            ExitCode::FAILURE
        }
    }
}
