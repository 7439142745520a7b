//! `crash`: a child writes and acknowledges through a pipe until it is killed with SIGKILL, again
//! and again on one database; an oracle checks that every acknowledged batch is there and none half.
//!
//! [`cycle`] draws each cycle's options, [`child`] is the process that dies, [`trial`] the parent's
//! side of a cycle and what it counts; what other harnesses do alike is in [`driver`](crate::driver).
//! SIGKILL keeps the page cache: this finds wrong recovery, never a missing sync, which is the
//! business of `powerloss`.
//!
//! A run must fail when it proves nothing: when no batch was acknowledged, or no child was killed
//! in the middle of its work.

pub mod child;
pub mod cycle;
mod trial;

use crate::driver::child::ChildArgs;
use crate::driver::program::{self, Common};
use crate::driver::scratch::Scratch;
use clap::{Parser, Subcommand};
use cycle::Cycle;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use trial::{Counts, Trial};

/// From so many cycles on, some must have been killed during recovery, and some during a bulk load.
const CYCLES_WITH_EVERYTHING: u64 = 50;

/// For so long a run goes on for batches that are missing after its cycles.
const BATCHES_LIMIT: Duration = Duration::from_secs(180);

/// Kills a writing process at random times and checks that nothing acknowledged is lost.
#[derive(Debug, Parser)]
#[command(name = "crash", args_conflicts_with_subcommands = true)]
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
}

#[derive(Debug, clap::Args)]
struct RunArgs {
    /// How many times to kill.
    #[arg(long, default_value_t = 50)]
    cycles: u64,
    /// Waits in every second cycle, before its time begins, until its share of so many batches was acknowledged, for 25 seconds
    /// at most: a busy machine does little in the time that a cycle has. Whatever is missing then comes in further cycles, for
    /// three minutes in all.
    #[arg(long, default_value_t = 0)]
    batches: u64,
    #[command(flatten)]
    common: Common,
    /// A folder to work in, which is removed after a run without failures; by default a temporary
    /// one, in memory if possible. On a disk fewer batches get through, and more are in flight.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Keeps the database of a run without failures too.
    #[arg(long)]
    keep: bool,
}

impl RunArgs {
    /// So many batches are to be acknowledged before the time of a cycle begins. In every second one of none: what happens right
    /// after an open is met by those alone that wait for nothing.
    fn least_batches(&self, number: u64) -> u64 {
        match number.is_multiple_of(2) {
            true => self.batches.div_ceil(self.cycles.div_ceil(2).max(1)),
            false => 0,
        }
    }
}

/// The program.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.role {
        Some(Role::Child(child)) => child::run(child).map(|()| true),
        None => run(&args.run),
    };
    program::end("crash", done)
}

fn run(args: &RunArgs) -> anyhow::Result<bool> {
    let seed = args.common.seed();
    let scratch = Scratch::new(args.dir.as_deref(), "crash")?;
    let root = scratch.root();
    eprintln!(
        "crash: {} cycles, seed {seed}, in {}",
        args.cycles,
        root.display()
    );
    let started = Instant::now();
    let mut last_said = Instant::now();
    let mut trial = Trial::new(seed, root.join("database"), args.common.plant.clone());
    let mut number = 0;
    let lacks_batches = |counts: &Counts| counts.acknowledged < args.batches;
    while number < args.cycles || lacks_batches(&trial.counts) && started.elapsed() < BATCHES_LIMIT
    {
        let least_batches = args.least_batches(number);
        if let Err(error) = trial.run(&Cycle::draw(seed, number), least_batches) {
            eprintln!("crash: cycle {number}: {error:#}");
            trial.counts.check_errors += 1;
        }
        if trial.counts.has_failures() {
            break;
        }
        number += 1;
        if last_said.elapsed() > Duration::from_secs(2) || number == args.cycles {
            last_said = Instant::now();
            eprintln!(
                "crash: cycle {number}/{}, {}",
                args.cycles,
                trial.counts.in_words()
            );
        }
    }
    let counts = trial.counts;
    let proves = proves_something(&counts, lacks_batches(&counts));
    let seconds = started.elapsed().as_secs_f64();
    eprintln!("crash: {seconds:.1} s, {}", counts.in_words());
    if counts.has_failures() || !proves {
        let bug = args.common.plant_again();
        eprintln!(
            "crash: reproduce with: crash --cycles {} --batches {} --seed {seed}{bug}",
            args.cycles, args.batches
        );
    }
    if counts.has_failures() || args.keep {
        eprintln!(
            "crash: the database is kept in {}",
            scratch.keep().display()
        );
    } else {
        scratch.remove()?;
    }
    println!("{}", counts.last_line());
    Ok(proves && !counts.has_failures())
}

fn proves_something(counts: &Counts, lacks_batches: bool) -> bool {
    let missing = [
        (counts.acknowledged == 0, "no batch was ever acknowledged"),
        (
            // What is found ends a run before.
            lacks_batches && !counts.has_failures(),
            "fewer batches were acknowledged than were asked for",
        ),
        (
            counts.killed_at_work == 0,
            "no child was killed at its work",
        ),
        (
            counts.cycles >= CYCLES_WITH_EVERYTHING && counts.killed_in_recovery == 0,
            "no child was killed during recovery",
        ),
        (
            counts.cycles >= CYCLES_WITH_EVERYTHING && counts.killed_in_load == 0,
            "no child was killed during a bulk load of nodes",
        ),
    ];
    program::proves_something("crash", &missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_cycle_waits_for_its_share_of_the_batches_and_the_others_for_none() {
        for (cycles, batches, waits_for) in [
            ("8", "400", [100, 0, 100, 0]),
            ("1", "200", [200, 0, 200, 0]),
            ("3", "5", [3, 0, 3, 0]),
            ("0", "7", [7, 0, 7, 0]),
            ("8", "0", [0; 4]),
        ] {
            let said = ["crash", "--cycles", cycles, "--batches", batches];
            let run = Args::parse_from(said).run;
            let waits = [0, 1, 2, 3].map(|number| run.least_batches(number));
            assert_eq!(waits, waits_for, "{said:?}");
        }
    }
}
