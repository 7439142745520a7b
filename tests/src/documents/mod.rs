//! `law`: documents that come, change and go, drawn from a seed, and the law that they are tried by: whatever came, the
//! graph is the one that the documents of now make, and a process that is killed leaves each document as it was or as it
//! was to be.
//!
//! [`program`] draws what happens, [`stub`] stands in for a model that extracts, and for an embedder; [`hand`] does to
//! a database what the program says, and builds the database that there should be. [`sequence`] tries one program in
//! memory, [`killed`] one in a process that is killed again and again, and [`taken`] takes the documents of one in as
//! `stratigraph ingest` does, with a model behind a socket, in a process that is killed as well.

pub mod hand;
pub mod killed;
pub mod program;
pub mod sequence;
pub mod stub;
pub mod taken;

use crate::driver::program as frame;
use anyhow::Result;
use clap::{Parser, Subcommand};
use hand::Reader;
use killed::{ChildArgs, Killed};
use std::process::ExitCode;
use std::time::Instant;
use taken::Taken;

/// Tries random sequences of documents against a graph that is built from the last of them.
#[derive(Debug, Parser)]
#[command(name = "law", args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    role: Option<Role>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// The process that will be killed.
    #[command(hide = true)]
    Child(ChildArgs),
    /// The process that takes documents in and will be killed.
    #[command(hide = true)]
    Take(taken::ChildArgs),
}

#[derive(Debug, clap::Args)]
struct RunArgs {
    /// How many sequences to try, each with what stands in for a model and with the rules that need none.
    #[arg(long, default_value_t = 500)]
    sequences: u64,
    /// How often to kill the process that takes such sequences in, at the least; one that ingests their documents is killed
    /// in between.
    #[arg(long, default_value_t = 100)]
    kills: u64,
    /// The first sequence; a random one is drawn and printed.
    #[arg(long)]
    seed: Option<u64>,
}

/// The program.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.role {
        Some(Role::Child(child)) => killed::child(child).map(|()| true),
        Some(Role::Take(child)) => taken::child(child).map(|()| true),
        None => run(&args.run),
    };
    frame::end("law", done)
}

fn run(args: &RunArgs) -> Result<bool> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
    let began = Instant::now();
    eprintln!(
        "law: {} sequences and {} kills, seed {seed}",
        args.sequences, args.kills
    );
    let mut differences = 0;
    let mut tell = |result: Result<()>, seed: u64, again: &str| {
        if let Err(error) = result {
            eprintln!("law: seed {seed}: {error:#}");
            eprintln!("law: reproduce with: law {again} --seed {seed}");
            differences += 1;
        }
    };
    for number in 0..args.sequences {
        let seed = seed.wrapping_add(number);
        for reader in Reader::ALL {
            let again = "--sequences 1 --kills 0";
            tell(sequence::one_by_one(seed, reader), seed, again);
            tell(sequence::together(seed, reader), seed, again);
        }
    }
    eprintln!("law: sequences: {:.1} s", began.elapsed().as_secs_f64());
    let mut killed = Killed::new(std::env::current_exe()?);
    let mut taken = Taken::new(std::env::current_exe()?);
    let mut number = 0;
    while killed.kills < args.kills {
        let seed = seed.wrapping_add(number);
        for reader in Reader::ALL {
            let again = "--sequences 0 --kills 1";
            tell(killed.run(seed, reader), seed, again);
            tell(taken.run(seed, reader), seed, again);
        }
        number += 1;
    }
    eprintln!("law: {:.1} s", began.elapsed().as_secs_f64());
    println!(
        "law sequences={} kills={} documents_before={} documents_after={} ingestions_killed={} asked={} asked_again={} differences={differences}",
        args.sequences,
        killed.kills,
        killed.before,
        killed.after,
        taken.kills,
        taken.asked,
        taken.again
    );
    Ok(differences == 0)
}
