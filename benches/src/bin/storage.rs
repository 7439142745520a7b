//! `storage`: the storage floor beside raw RocksDB; see [`stratigraph_bench::storage`].

use clap::Parser;
use std::process::ExitCode;
use stratigraph_bench::storage::{self, Arguments};

fn main() -> ExitCode {
    match storage::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("storage: {error:#}");
            ExitCode::FAILURE
        }
    }
}
