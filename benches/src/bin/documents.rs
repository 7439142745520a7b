//! `documents`: graphs from documents beside LightRAG and nano-graphrag; see [`stratigraph_bench::documents`].

use clap::Parser;
use std::process::ExitCode;
use stratigraph_bench::documents::{self, Arguments};

fn main() -> ExitCode {
    match documents::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("documents: {error:#}");
            ExitCode::FAILURE
        }
    }
}
