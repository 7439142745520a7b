//! `damage`: breaks files of healthy databases and backups in every way a disk knows, and checks
//! that each case is reported or harmless. A wrong value or a silent loss is a failure.
//!
//! [`golden`] makes the healthy folders, [`harm`] breaks a copy ([`log_format`] knows where records
//! end), [`examine`] reads everything against the oracle, [`case`] ties them together.
//!
//! A run must fail when too few cases were reported: damage that nobody notices proves nothing.

mod case;
mod examine;
mod golden;
mod harm;
mod log_format;

use crate::crash::child::plant_by_name;
use crate::crash::scratch::Scratch;
use anyhow::{Context, Result};
use case::{Outcome, Stock, Tried};
use clap::{Parser, Subcommand};
use golden::GoldenArgs;
use harm::Kind;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// One in so many cases must have been reported.
const REPORTED_PART: u64 = 3;
/// The other database's seed lies this far away.
const FOREIGN: u64 = 0x00F0_4E16;

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
}

#[derive(Debug, clap::Args)]
struct RunArgs {
    /// How many cases to try.
    #[arg(long, default_value_t = 300)]
    cases: u64,
    /// Decides the databases and the damage; a random one is drawn and printed.
    #[arg(long)]
    seed: Option<u64>,
    /// Plants a bug; the run must fail then.
    #[arg(long)]
    plant: Option<String>,
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
        None => run(&args.run),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("damage: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &RunArgs) -> Result<bool> {
    plant_by_name(args.plant.as_deref())?;
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
    let scratch = Scratch::new(args.dir.as_deref(), "damage")?;
    eprintln!("damage: {} cases, seed {seed}, in {}", args.cases, scratch.root().display());
    let started = Instant::now();
    let make = |name: &str, seed| golden::make_all(&scratch.root().join(name), seed, args.plant.as_deref());
    let golden = make("golden", seed).context("cannot make the healthy databases")?;
    let foreign = make("foreign", seed ^ FOREIGN).context("cannot make the other databases")?;
    eprintln!("damage: the healthy databases took {:.1} s", started.elapsed().as_secs_f64());
    let stock = Stock { seed, golden: &golden, foreign: &foreign, kind: args.kind };
    let mut table = Table::default();
    let numbers = args.only.map_or(0..args.cases, |only| only..only + 1);
    for number in numbers {
        let tried = stock.run(number, &scratch.root().join("case"))?;
        let is_bad = matches!(tried.outcome, Outcome::WrongValue | Outcome::SilentLoss);
        if is_bad || args.verbose || args.only.is_some() {
            eprintln!("damage: seed {seed} case {number}: {:?}: {}", tried.outcome, tried.story);
        }
        if is_bad {
            eprintln!("damage: reproduce with: damage --seed {seed} --only {number}{}", same_options(args));
        }
        table.add(&tried);
    }
    table.print();
    eprintln!("damage: {:.1} s", started.elapsed().as_secs_f64());
    finish(args, scratch, &table)
}

fn finish(args: &RunArgs, scratch: Scratch, table: &Table) -> Result<bool> {
    let wrong_values = table.count(Outcome::WrongValue);
    let silent_losses = table.count(Outcome::SilentLoss);
    let cases: u64 = table.cases();
    // One case alone may well be harmless.
    let proves = args.only.is_some() || table.count(Outcome::Reported) * REPORTED_PART >= cases.max(1);
    if !proves {
        eprintln!("damage: this run proves nothing: fewer than one case in {REPORTED_PART} was reported");
    }
    if args.only.is_some() {
        let kept = scratch.keep();
        eprintln!("damage: everything is kept in {}", kept.display());
        eprintln!("damage: {} is the damaged folder after it was opened", kept.join("case").display());
    } else {
        scratch.remove()?;
    }
    println!("damage cases={cases} wrong_values={wrong_values} silent_losses={silent_losses}");
    Ok(proves && wrong_values + silent_losses == 0)
}

fn same_options(args: &RunArgs) -> String {
    let kind = args.kind.map(|kind| format!(" --kind {kind}")).unwrap_or_default();
    let bug = args.plant.as_ref().map(|bug| format!(" --plant {bug}")).unwrap_or_default();
    kind + &bug
}

/// What came of the cases, by kind of damage.
#[derive(Default)]
struct Table {
    lines: BTreeMap<Kind, BTreeMap<Outcome, u64>>,
    named_a_file: u64,
}

impl Table {
    fn add(&mut self, tried: &Tried) {
        *self.lines.entry(tried.kind).or_default().entry(tried.outcome).or_default() += 1;
        self.named_a_file += u64::from(tried.outcome == Outcome::Reported && tried.named_a_file);
    }

    fn count(&self, outcome: Outcome) -> u64 {
        self.lines.values().filter_map(|line| line.get(&outcome)).sum()
    }

    fn cases(&self) -> u64 {
        self.lines.values().flat_map(BTreeMap::values).sum()
    }

    fn print(&self) {
        const OUTCOMES: [Outcome; 4] =
            [Outcome::Reported, Outcome::Harmless, Outcome::WrongValue, Outcome::SilentLoss];
        eprintln!("{:28} reported harmless    wrong     lost", "");
        for (kind, line) in &self.lines {
            let counts: String =
                OUTCOMES.iter().map(|outcome| format!("{:9}", line.get(outcome).unwrap_or(&0))).collect();
            eprintln!("{:27}{counts}", kind.to_string());
        }
        let counts: String = OUTCOMES.iter().map(|outcome| format!("{:9}", self.count(*outcome))).collect();
        eprintln!("{:27}{counts}", "all");
        eprintln!("damage: {} of {} reports name a file", self.named_a_file, self.count(Outcome::Reported));
    }
}
