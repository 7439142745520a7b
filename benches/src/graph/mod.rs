//! The graph benchmark: what the graph costs beside raw RocksDB doing the same with pairs that are
//! already sorted and encoded, and algorithms beside the memory they read.

mod bulk;
mod communities;
mod content;
mod expand;
mod get;
mod insert;
mod open;
mod rank;
mod traverse;

use crate::measure::report::Report;
use crate::measure::{Setup, machine};
use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};
use std::path::PathBuf;
use std::time::Instant;

/// Measures the graph beside raw RocksDB.
///
/// Example: `graph --quick --dir /var/tmp --only get`
#[derive(Debug, Parser)]
#[command(name = "graph")]
pub struct Arguments {
    /// Less data and fewer rounds.
    #[arg(long)]
    quick: bool,
    /// Where the databases are made, in a folder of their own; not a tmpfs.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Seed of all data and access orders.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Measure one group of figures only.
    #[arg(long)]
    only: Option<Group>,
    /// Leave the databases behind.
    #[arg(long)]
    keep: bool,
}

/// A group of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    /// Also opens what was loaded.
    Bulk,
    Insert,
    Get,
    Expand,
    Ppr,
    Leiden,
    Traverse,
}

/// The figures of the summary line, in its order.
const SUMMARY: [&str; 8] = [
    "bulk_vs_raw",
    "txn_vs_raw",
    "get_vs_raw",
    "unique_vs_raw",
    "expand_vs_raw",
    "ppr_vs_read",
    "leiden_vs_leidenalg",
    "traverse_vs_kernel",
];

/// Runs the benchmark.
///
/// # Errors
/// Whatever fails underneath; a missed mark is no failure, it is printed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let parent = arguments.dir.clone().unwrap_or_else(std::env::temp_dir);
    let machine = machine::Machine::look(&parent)?;
    if machine.is_memory() {
        bail!(
            "{} is on {}: name a folder on a disk with --dir DIR",
            parent.display(),
            machine.file_system,
        );
    }
    let folder = tempfile::Builder::new()
        .prefix("stratigraph-bench-")
        .tempdir_in(&parent)?;
    let setup = Setup {
        dir: folder.path().to_path_buf(),
        seed: arguments.seed,
        quick: arguments.quick,
        begun: Instant::now(),
    };
    machine.print();
    println!(
        "parameters seed {}, {}",
        setup.seed,
        setup.choose("quick", "full")
    );
    let measured = measure(&setup, arguments.only, arguments.keep);
    if arguments.keep {
        eprintln!("databases left in {}", folder.keep().display());
    } else {
        folder.close()?;
    }
    let report = measured?;
    println!("load       {} at the end", machine::load());
    report.print("graph", &SUMMARY);
    Ok(())
}

fn measure(setup: &Setup, only: Option<Group>, keep: bool) -> Result<Report> {
    let wants = |group| only.is_none_or(|only| only == group);
    let mut report = Report::default();
    if wants(Group::Bulk) {
        let dir = setup.subfolder("bulk")?;
        bulk::measure(setup, &dir, &mut report)?;
        open::measure(setup, &dir.join("source"), &mut report)?;
        setup.done_with(&dir, keep)?;
    }
    if wants(Group::Insert) {
        let dir = setup.subfolder("insert")?;
        insert::measure(setup, &dir, &mut report)?;
        setup.done_with(&dir, keep)?;
    }
    if wants(Group::Get) || wants(Group::Expand) {
        let dir = setup.subfolder("content")?;
        let content = content::Content::make(setup, &dir)?;
        if wants(Group::Get) {
            get::measure(setup, &content, &mut report)?;
        }
        if wants(Group::Expand) {
            expand::measure(setup, &content, &mut report)?;
        }
        drop(content);
        setup.done_with(&dir, keep)?;
    }
    if wants(Group::Ppr) {
        rank::measure(setup, &mut report)?;
    }
    if wants(Group::Leiden) {
        communities::measure(setup, &mut report)?;
    }
    if wants(Group::Traverse) {
        traverse::measure(setup, &mut report)?;
    }
    Ok(report)
}
