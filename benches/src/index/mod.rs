//! The index benchmark: what it costs that a vector index is of one piece with the database.

mod content;
mod insert;
mod reopen;
mod search;

use crate::measure::machine::Machine;
use crate::measure::report::Report;
use crate::measure::{Common, Setup};
use crate::text;
use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};
use std::path::{Path, PathBuf};

/// Measures vector indexes of a database beside bare ones.
///
/// Example: `index --quick --only search`
#[derive(Debug, Parser)]
#[command(name = "index")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Measure one group of figures only.
    #[arg(long)]
    only: Option<Group>,
    /// Open a database, tell how long that took, and end: what `reopen` starts.
    #[arg(long, hide = true, value_name = "DIR")]
    open_and_end: Option<PathBuf>,
}

/// A group of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    Insert,
    Search,
    Reopen,
    Text,
}

/// The figures of the summary line, in its order.
const SUMMARY: [&str; 3] = [
    "insert_vs_index_alone",
    "reopen_vs_read",
    "search_in_txn_vs_alone",
];

/// Runs the benchmark.
///
/// # Errors
/// Whatever fails underneath; a missed mark is no failure, it is printed.
pub fn run(arguments: &Arguments) -> Result<()> {
    if let Some(path) = &arguments.open_and_end {
        return reopen::open_and_end(path);
    }
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
        .run("index", &SUMMARY, refuse, |setup, keep| {
            measure(setup, arguments.only, keep)
        })
}

fn measure(setup: &Setup, only: Option<Group>, keep: bool) -> Result<Report> {
    let wants = |group| only.is_none_or(|only| only == group);
    let mut report = Report::default();
    if wants(Group::Insert) {
        let dir = setup.subfolder("insert")?;
        insert::measure(setup, &dir, &mut report)?;
        setup.done_with(&dir, keep)?;
    }
    if wants(Group::Search) {
        let dir = setup.subfolder("search")?;
        search::measure(setup, &dir, &mut report)?;
        setup.done_with(&dir, keep)?;
    }
    if wants(Group::Reopen) {
        let dir = setup.subfolder("reopen")?;
        reopen::measure(setup, &dir, &mut report)?;
        setup.done_with(&dir, keep)?;
    }
    if wants(Group::Text) {
        // It needs texts that are fetched apart, and a peer, which is set up if it is not there.
        match text::measure_scifact(setup, keep, &mut report) {
            Err(error) if only.is_none() => {
                report.say_last(format!("text was not measured: {error:#}"));
            }
            measured => measured?,
        }
    }
    Ok(report)
}
