//! The storage benchmark: every figure is ours beside raw RocksDB with the same options.
//!
//! `txn`, `commit`, `get`, `scan` and `open` measure, with what is in [`measure`](crate::measure).

mod child;
mod commit;
mod content;
mod get;
mod killed;
pub(crate) mod open;
mod scan;
mod txn;

use crate::measure::machine::Machine;
use crate::measure::report::Report;
use crate::measure::{Common, Setup};
use anyhow::{Result, bail};
use clap::{Parser, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

/// Measures the storage floor beside raw RocksDB.
///
/// Example: `storage --quick --dir /var/tmp --only get`
#[derive(Debug, Parser)]
#[command(name = "storage")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Measure one group of figures only.
    #[arg(long)]
    only: Option<Group>,
    #[command(subcommand)]
    role: Option<Role>,
}

/// A group of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    Txn,
    Commit,
    Get,
    Scan,
    Open,
}

/// What the program does when it is its own child.
#[derive(Debug, Subcommand)]
enum Role {
    /// Writes a log into a database and waits to be killed.
    #[command(hide = true)]
    Child {
        database: PathBuf,
        #[arg(long)]
        log_bytes: u64,
        #[arg(long)]
        seed: u64,
    },
}

/// The figures of the summary line, in its order.
const SUMMARY: [&str; 6] = [
    "txn_vs_raw",
    "syncs_per_commit",
    "get_vs_raw",
    "scan_vs_raw",
    "open_vs_raw",
    "reopen_vs_raw",
];

/// Runs the benchmark, or the part of it that a child process plays.
///
/// # Errors
/// Whatever fails underneath; a missed mark is no failure, it is printed.
pub fn run(arguments: &Arguments) -> Result<()> {
    if let Some(Role::Child {
        database,
        log_bytes,
        seed,
    }) = &arguments.role
    {
        return child::write_and_wait(database, *log_bytes, *seed);
    }
    let needs_disk = matches!(arguments.only, None | Some(Group::Commit | Group::Open));
    let refuse = |machine: &Machine, parent: &Path| {
        if needs_disk && machine.is_memory() {
            bail!(
                "{} is on {}, where a sync costs nothing: the figures of `commit` and `open` would \
                 mean nothing. Name a folder on a disk with --dir DIR, or leave them out with --only",
                parent.display(),
                machine.file_system,
            );
        }
        Ok(())
    };
    arguments
        .common
        .run("storage", &SUMMARY, refuse, |setup, keep| {
            measure(setup, arguments.only, keep)
        })
}

fn measure(setup: &Setup, only: Option<Group>, keep: bool) -> Result<Report> {
    let wants = |group| only.is_none_or(|only| only == group);
    let mut report = Report::default();
    if wants(Group::Txn) {
        let dir = setup.subfolder("txn")?;
        txn::measure(setup, &dir, &mut report)?;
        setup.done_with(&dir, keep)?;
    }
    if wants(Group::Commit) {
        let dir = setup.subfolder("commit")?;
        commit::measure(setup, &dir, &mut report)?;
        setup.done_with(&dir, keep)?;
    }
    if wants(Group::Get) || wants(Group::Scan) {
        let dir = setup.subfolder("content")?;
        let content = content::Content::make(setup, &dir)?;
        if wants(Group::Get) {
            get::measure(setup, &content, &mut report)?;
        }
        if wants(Group::Scan) {
            scan::measure(setup, &content, &mut report)?;
        }
        drop(content);
        setup.done_with(&dir, keep)?;
    }
    if wants(Group::Open) {
        let dir = setup.subfolder("open")?;
        open::measure(setup, &dir, &mut report)?;
        killed::measure(setup, &dir, &mut report)?;
        setup.done_with(&dir, keep)?;
    }
    Ok(report)
}
