//! `text`: the full-text index beside tantivy; see [`stratigraph_bench::text`].

use clap::Parser;
use std::process::ExitCode;
use stratigraph_bench::text::{self, Arguments};

fn main() -> ExitCode {
    match text::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("text: {error:#}");
            ExitCode::FAILURE
        }
    }
}
