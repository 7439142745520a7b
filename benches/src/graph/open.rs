//! `open_vs_raw`: opening a graph of five million relationships after a clean close.

use crate::measure::Setup;
use crate::measure::files;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use crate::storage::open::{our_open, raw_open};
use anyhow::Result;
use std::path::Path;

/// `database` holds the graph that the bulk load has left.
pub(super) fn measure(setup: &Setup, database: &Path, report: &mut Report) -> Result<()> {
    let rounds = setup.choose(5, 11);
    let store = database.join("store");
    let (sorted, bytes) = files::size_of(&store, "sst")?;
    println!(
        "open       {rounds} rounds, {sorted} sorted files with {} MiB, page cache warm",
        bytes >> 20
    );
    let measured = Rounds::run(
        rounds,
        |round| {
            setup.progress(&format!("open: round {round} of {rounds}"));
            files::warm(database)?;
            Ok(())
        },
        |()| our_open(database),
        |()| raw_open(&store, &store),
    )?;
    let times = measured.map(|seconds| seconds * 1e3);
    report.compare("open_vs_raw", &times, "ms", Some(Mark::AtMost(2.0)));
    Ok(())
}
