//! `damage`: breaks files of healthy databases and backups in every way a disk knows, and checks
//! that each case is reported or harmless. A wrong value or a silent loss is a failure.
//!
//! [`golden`] makes the healthy folders, [`harm`] breaks a copy ([`log_format`] knows where records
//! end), [`examine`] reads everything against the oracle, [`case`] ties them together, and
//! [`worker`] runs the cases in a child, which may die or hang.
//!
//! A run must fail when too few cases were reported: damage that nobody notices proves nothing.

mod case;
mod examine;
mod golden;
mod harm;
mod log_format;
mod worker;

use crate::driver::program::{self, Common, proves_something};
use crate::driver::scratch::Scratch;
use anyhow::Result;
use case::{Outcome, Tried};
use clap::{Parser, Subcommand};
use golden::GoldenArgs;
use harm::Kind;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use worker::{Plan, WorkerArgs};

/// One in so many cases must have been reported.
const REPORTED_PART: u64 = 3;

/// Damages copies of healthy databases and checks that nothing wrong is served.
#[derive(Debug, Parser)]
#[command(name = "damage", args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    role: Option<Role>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// The process that makes a healthy database and is killed.
    #[command(hide = true)]
    Golden(GoldenArgs),
    /// The process that tries the cases.
    #[command(hide = true)]
    Worker(WorkerArgs),
}

#[derive(Debug, clap::Args)]
struct RunArgs {
    /// How many cases to try.
    #[arg(long, default_value_t = 300)]
    cases: u64,
    #[command(flatten)]
    common: Common,
    /// Only this kind of damage, such as `sst-flip` or `wal-cut-record`.
    #[arg(long)]
    kind: Option<Kind>,
    /// Only this case, and keeps the damaged folder.
    #[arg(long)]
    only: Option<u64>,
    /// Says what came of every case.
    #[arg(long)]
    verbose: bool,
    /// A folder to work in; a temporary one otherwise, in memory if possible.
    #[arg(long)]
    dir: Option<PathBuf>,
}

/// The program.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.role {
        Some(Role::Golden(golden)) => golden::run_child(golden).map(|()| true),
        Some(Role::Worker(worker)) => worker::run_child(worker).map(|()| true),
        None => run(&args.run),
    };
    program::end("damage", done)
}

fn run(args: &RunArgs) -> Result<bool> {
    let seed = args.common.seed();
    let scratch = Scratch::new(args.dir.as_deref(), "damage")?;
    eprintln!(
        "damage: {} cases, seed {seed}, in {}",
        args.cases,
        scratch.root().display()
    );
    let started = Instant::now();
    let plan = Plan::new(
        scratch.root().to_path_buf(),
        seed,
        args.kind,
        args.common.plant.clone(),
    );
    plan.prepare()?;
    eprintln!(
        "damage: the healthy databases took {:.1} s",
        started.elapsed().as_secs_f64()
    );
    let numbers = args.only.map_or(0..args.cases, |only| only..only + 1);
    let mut table = Table::default();
    plan.run(numbers.start, numbers.end, &mut |tried| {
        if tried.outcome.is_bad() || args.verbose || args.only.is_some() {
            eprintln!(
                "damage: seed {seed} case {}: {}: {}",
                tried.number, tried.outcome, tried.story
            );
        }
        if tried.outcome.is_bad() {
            eprintln!(
                "damage: reproduce with: damage --seed {seed} --only {}{}",
                tried.number,
                same_options(args)
            );
        }
        table.add(tried);
    })?;
    table.print();
    eprintln!("damage: {:.1} s", started.elapsed().as_secs_f64());
    finish(args, scratch, &plan, &table)
}

fn finish(args: &RunArgs, scratch: Scratch, plan: &Plan, table: &Table) -> Result<bool> {
    let cases = table.cases();
    let silent_losses = table.count(Outcome::SilentLoss);
    // An engine that hangs or dies over a damaged file has not reported it either.
    let wrong_values =
        table.count(Outcome::WrongValue) + table.count(Outcome::Stuck) + table.count(Outcome::Died);
    let few = format!("fewer than one case in {REPORTED_PART} was reported");
    let is_few = table.count(Outcome::Reported) * REPORTED_PART < cases.max(1);
    // One case alone may well be harmless.
    let proves = args.only.is_some() || proves_something("damage", &[(is_few, &few)]);
    if args.only.is_some() {
        eprintln!(
            "damage: {} is the damaged folder, after it was opened",
            plan.case_dir().display()
        );
        eprintln!("damage: everything is kept in {}", scratch.keep().display());
    } else {
        scratch.remove()?;
    }
    let index_diffs = table.count(Outcome::IndexDiffers);
    println!(
        "damage cases={cases} wrong_values={wrong_values} silent_losses={silent_losses} index_diffs={index_diffs}"
    );
    Ok(proves && wrong_values + silent_losses + index_diffs == 0)
}

fn same_options(args: &RunArgs) -> String {
    let kind = args
        .kind
        .map(|kind| format!(" --kind {kind}"))
        .unwrap_or_default();
    kind + &args.common.plant_again()
}

/// What came of the cases, by kind of damage.
#[derive(Default)]
struct Table {
    lines: BTreeMap<Kind, BTreeMap<Outcome, u64>>,
    named_a_file: u64,
}

impl Table {
    fn add(&mut self, tried: &Tried) {
        *self
            .lines
            .entry(tried.kind)
            .or_default()
            .entry(tried.outcome)
            .or_default() += 1;
        self.named_a_file += u64::from(tried.outcome == Outcome::Reported && tried.named_a_file);
    }

    fn count(&self, outcome: Outcome) -> u64 {
        self.lines
            .values()
            .filter_map(|line| line.get(&outcome))
            .sum()
    }

    fn cases(&self) -> u64 {
        self.lines.values().flat_map(BTreeMap::values).sum()
    }

    fn print(&self) {
        let line = |name: &str, count: &dyn Fn(Outcome) -> u64| {
            let counts: String = Outcome::ALL
                .iter()
                .map(|(outcome, _)| format!("{:9}", count(*outcome)))
                .collect();
            eprintln!("{name:26}{counts}");
        };
        let heads: String = Outcome::ALL
            .iter()
            .map(|(_, name)| format!("{name:>9}"))
            .collect();
        eprintln!("{:26}{heads}", "");
        for (kind, outcomes) in &self.lines {
            line(&kind.to_string(), &|outcome| {
                outcomes.get(&outcome).copied().unwrap_or(0)
            });
        }
        line("all", &|outcome| self.count(outcome));
        eprintln!(
            "damage: {} of {} reports name a file",
            self.named_a_file,
            self.count(Outcome::Reported)
        );
    }
}
