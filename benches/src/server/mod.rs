//! The server benchmark: what it costs to ask over gRPC, beside a bare tonic server that gives the same messages,
//! and beside the library alone.
//!
//! ```text
//! this process: clients ──TCP──> child: `stratigraph_server::serve` over a database
//!                       ──TCP──> child: the bare server, which has ours' messages ready in memory
//! ```
//! Both children have the same runtime, and the same client asks both, in turns.

mod bare;
mod content;
mod load;
mod point;
mod process;
mod stream;

use crate::measure::machine::Machine;
use crate::measure::report::Report;
use crate::measure::{Common, Setup};
use anyhow::Result;
use clap::{Parser, ValueEnum};
use std::path::{Path, PathBuf};

/// Measures the gRPC server beside a bare one with the same messages.
///
/// Example: `server --quick --only point`
#[derive(Debug, Parser)]
#[command(name = "server")]
pub struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Measure one group of figures only.
    #[arg(long)]
    only: Option<Group>,
    /// Serve a database until stdin ends: one of the two children.
    #[arg(long, hide = true, value_name = "DIR")]
    serve: Option<PathBuf>,
    /// Serve what is in a file until stdin ends: the other child.
    #[arg(long, hide = true, value_name = "FILE")]
    serve_bare: Option<PathBuf>,
}

/// A group of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    Point,
    Stream,
}

/// The figures of the summary line, in its order.
const SUMMARY: [&str; 3] = ["p50_vs_echo", "qps_vs_echo", "stream_vs_bare"];

/// Runs the benchmark.
///
/// # Errors
/// Whatever fails underneath; a missed mark is no failure, it is printed.
pub fn run(arguments: &Arguments) -> Result<()> {
    if let Some(dir) = &arguments.serve {
        return process::serve(dir);
    }
    if let Some(file) = &arguments.serve_bare {
        return process::serve_bare(file);
    }
    // Nothing here waits for a disk, so any folder will do.
    let refuse = |_: &Machine, _: &Path| Ok(());
    arguments
        .common
        .run("server", &SUMMARY, refuse, |setup, _| {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()?;
            runtime.block_on(measure(setup, arguments.only))
        })
}

async fn measure(setup: &Setup, only: Option<Group>) -> Result<Report> {
    let wants = |group| only.is_none_or(|only| only == group);
    let mut report = Report::default();
    let people = setup.choose(20_000, 100_000);
    println!("content    {people} nodes with an indexed id, a name of 20 bytes and a text of 120");
    setup.progress("fill");
    let dir = setup.dir.join("people");
    content::fill(&dir, people)?;
    if wants(Group::Point) {
        point::library(setup, &dir, people, &mut report)?;
    }
    setup.progress("start both servers");
    let ours = process::Child::serving(&dir)?;
    let recorded = setup.dir.join("messages");
    content::record(&ours.address, people, &recorded).await?;
    let bare = process::Child::bare(&recorded)?;
    let both = process::Both { ours, bare };
    if wants(Group::Point) {
        point::measure(setup, &both, people, &mut report).await?;
    }
    if wants(Group::Stream) {
        stream::measure(setup, &both, people, &mut report).await?;
    }
    Ok(report)
}
