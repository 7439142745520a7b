//! The graph benchmark: what the graph costs beside raw RocksDB doing the same with pairs that are
//! already sorted and encoded, and algorithms beside the memory they read.

mod bulk;
mod communities;
mod content;
mod expand;
mod get;
mod insert;
mod open;
mod planted;
mod rank;
mod recover;
mod traverse;

use crate::measure::machine::Machine;
use crate::measure::report::Report;
use crate::measure::{Common, Setup};
use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};
use std::path::Path;

/// Measures the graph beside raw RocksDB.
///
/// Example: `graph --quick --dir /var/tmp --only get`
#[derive(Debug, Parser)]
#[command(name = "graph")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Measure one group of figures only.
    #[arg(long)]
    only: Option<Group>,
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
    /// RECOVER over one level of a million.
    Recover,
    /// RECOVER of what is planted in a tree.
    Planted,
}

/// The figures of the summary line, in its order.
const SUMMARY: [&str; 11] = [
    "bulk_vs_raw",
    "txn_vs_raw",
    "get_vs_raw",
    "unique_vs_raw",
    "expand_vs_raw",
    "ppr_vs_read",
    "leiden_vs_leidenalg",
    "traverse_vs_kernel",
    "recover_vs_whole",
    "planted_recall",
    "planted_precision",
];

/// Runs the benchmark.
///
/// # Errors
/// Whatever fails underneath; a missed mark is no failure, it is printed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let refuse = |machine: &Machine, parent: &Path| {
        if machine.is_memory() {
            bail!(
                "{} is on {}: name a folder on a disk with --dir DIR",
                parent.display(),
                machine.file_system,
            );
        }
        Ok(())
    };
    arguments
        .common
        .run("graph", &SUMMARY, refuse, |setup, keep| {
            measure(setup, arguments.only, keep)
        })
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
    if wants(Group::Recover) {
        let dir = setup.subfolder("recover")?;
        recover::measure(setup, &dir, &mut report)?;
        setup.done_with(&dir, keep)?;
    }
    if wants(Group::Planted) {
        let dir = setup.subfolder("planted")?;
        planted::measure(setup, &dir, &mut report)?;
        setup.done_with(&dir, keep)?;
    }
    Ok(report)
}
