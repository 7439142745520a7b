//! `cargo xtask`: the verbs people and CI use on this repository.
//!
//! Standard library only, so that it compiles in seconds on a machine that has nothing else yet.
//! This file turns an outcome into an exit code (0 done, 1 failed, 2 used wrongly) and must never
//! know a verb by name: they are all rows of the table in `verbs.rs`, which is where to go next.

mod arrows;
mod cargo;
mod check;
mod conformance;
mod demo;
mod deny;
mod files;
mod foreign;
mod fuzz;
mod harness;
mod layers;
mod machine_paths;
mod map;
mod models;
mod native;
mod packages;
mod places;
#[cfg(test)]
mod scratch;
mod setup;
mod shell;
mod steps;
mod test;
mod tools;
mod verbs;

use std::process::ExitCode;
use verbs::Failure;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    match verbs::dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Failed(message)) => {
            eprintln!("xtask: {message}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            eprintln!("xtask: {message}");
            ExitCode::from(2)
        }
    }
}
