//! `overload`: a server in a process of its own, with little memory, that is asked for more than it has.
//!
//! [`flood`] asks ten times as often as it can answer, [`hoard`] leaves large requests in its line, [`streams`] opens
//! thousands of calls at a time, and [`leave`] goes away in the middle of all kinds of work. The server must live, say
//! to whom it refuses when to come again, keep what it has acknowledged, and have nothing left of those who are gone.
//! [`kill`] kills it while clients write: it must come back with all that it has acknowledged, and with nothing in part.
//!
//! The process and what can be seen of it from outside is in [`serving`].
//!
//! A run must fail when it proves nothing: when nothing was refused, or nothing was under way when a client left. Times
//! are printed; none is asserted, since a busy machine is no fault of the server.

mod clients;
mod flood;
mod hoard;
mod kill;
mod leave;
mod streams;

use crate::driver::program;
use crate::driver::scratch::Scratch;
use crate::serving::{self, ChildArgs};
use crate::soak::{self, SoakArgs};
use anyhow::Result;
use clap::{Parser, Subcommand, ValueEnum};
use std::process::ExitCode;
use std::time::Instant;

/// Asks a server for more than it has.
#[derive(Debug, Parser)]
#[command(name = "overload", args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    role: Option<Role>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// The process that serves.
    #[command(hide = true)]
    Serve(ChildArgs),
    /// Runs a server under mixed load, kills it at random, and compares. Example: `soak --minutes 5 --seed 1`
    // Another harness, in this program as building one that serves takes minutes.
    Soak(SoakArgs),
}

/// A part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Flood,
    Hoard,
    Streams,
    Leave,
    Kill,
}

#[derive(Debug, clap::Args)]
struct RunArgs {
    /// How long the flood lasts.
    #[arg(long, default_value_t = 1800)]
    seconds: u64,
    /// How many calls are under way at a time.
    #[arg(long, default_value_t = 10_000)]
    streams: usize,
    /// Over how many connections these come, and how many come over one each afterwards.
    #[arg(long, default_value_t = 100)]
    connections: usize,
    /// How many connections there are at a time that carry one call each.
    #[arg(long, default_value_t = 5000)]
    separate: usize,
    /// How many clients leave in the middle of their work.
    #[arg(long, default_value_t = 10_000)]
    leave: usize,
    /// How often the server is killed while clients write.
    #[arg(long, default_value_t = 50)]
    kills: u64,
    /// Plants a bug of the engine in the server that is killed; the run must fail then.
    #[arg(long, value_name = "BUG")]
    plant: Option<String>,
    /// Which part of what the server can do it must still do in the flood; 0.7 on a machine that does nothing else.
    #[arg(long, default_value_t = 0.7)]
    least_goodput: f64,
    /// Only this part.
    #[arg(long)]
    only: Option<Part>,
    /// Decides who asks for what.
    #[arg(long)]
    seed: Option<u64>,
    /// Takes the server's limits away; the run must fail then.
    #[arg(long)]
    unlimited: bool,
}

/// What a part has found: figures for the last line, and what was wrong.
#[derive(Debug, Default)]
struct Found {
    figures: Vec<String>,
    wrong: Vec<String>,
}

impl Found {
    fn figure(&mut self, name: &str, value: impl std::fmt::Display) {
        self.figures.push(format!("{name}={value}"));
    }

    /// Notes what is wrong, unless it is fine.
    fn require(&mut self, is_fine: bool, otherwise: impl FnOnce() -> String) {
        if !is_fine {
            self.wrong.push(otherwise());
        }
    }
}

/// The program.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.role {
        Some(Role::Serve(child)) => serving::serve(child).map(|()| true),
        Some(Role::Soak(args)) => return program::end("soak", soak::run(args)),
        None => run(&args.run),
    };
    program::end("overload", done)
}

fn run(args: &RunArgs) -> Result<bool> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
    let scratch = Scratch::new(None, "overload")?;
    eprintln!("overload: seed {seed}, in {}", scratch.root().display());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let mut all = Found::default();
    for part in Part::value_variants() {
        if args.only.is_some_and(|only| only != *part) {
            continue;
        }
        let started = Instant::now();
        let folder = scratch.root().join(format!("{part:?}").to_lowercase());
        std::fs::create_dir_all(&folder)?;
        let found = runtime.block_on(async {
            match part {
                Part::Flood => flood::run(args, seed, &folder).await,
                Part::Hoard => hoard::run(args, &folder).await,
                Part::Streams => streams::run(args, &folder).await,
                Part::Leave => leave::run(args, seed, &folder).await,
                Part::Kill => kill::run(args, seed, &folder).await,
            }
        });
        let name = format!("{part:?}").to_lowercase();
        let took = started.elapsed().as_secs_f64();
        match found {
            Ok(found) => {
                eprintln!("overload: {name}, {took:.1} s: {}", found.figures.join(" "));
                all.figures.extend(found.figures);
                all.wrong.extend(
                    found
                        .wrong
                        .into_iter()
                        .map(|wrong| format!("{name}: {wrong}")),
                );
            }
            Err(error) => {
                eprintln!("overload: {name}, {took:.1} s: it broke off");
                all.wrong.push(format!("{name}: {error:#}"));
            }
        }
    }
    scratch.remove()?;
    for wrong in &all.wrong {
        eprintln!("overload: {wrong}");
    }
    if !all.wrong.is_empty() {
        eprintln!("overload: reproduce with: overload --seed {seed}");
    }
    println!(
        "overload {} wrong={}",
        all.figures.join(" "),
        all.wrong.len()
    );
    Ok(all.wrong.is_empty())
}
