//! `insert_vs_index_alone`: vectors written through durable transactions of a thousand, until every row is
//! linked, beside an index alone that gets the same rows with the same threads.

use super::content::{DIMENSIONS, alone, create, rows, wait, write};
use crate::measure::Setup;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::Result;
use std::fs;
use std::path::Path;
use std::time::Instant;

pub(super) fn measure(setup: &Setup, dir: &Path, report: &mut Report) -> Result<()> {
    let (count, rounds) = setup.choose((20_000, 1), (100_000, 3));
    let rows = &rows(setup, count)?;
    println!("insert     {count} rows of {DIMENSIONS} dimensions, 1,000 a commit");
    let measured = Rounds::run(
        rounds,
        |round| {
            setup.progress(&format!("insert: round {round} of {rounds}"));
            Ok(())
        },
        |()| {
            let path = dir.join("ours");
            let db = create(&path)?;
            let begun = Instant::now();
            write(&db, rows)?;
            wait(&db)?;
            let took = begun.elapsed();
            drop(db);
            fs::remove_dir_all(&path)?;
            Ok(took)
        },
        |()| {
            let file = dir.join("alone.rows");
            let index = alone(&file)?;
            let begun = Instant::now();
            let tender = index.tend_in_background(|| 0)?;
            for (id, row) in (0..).zip(rows.chunks_exact(DIMENSIONS)) {
                index.insert(1, id, row)?;
            }
            drop(tender);
            index.tend(1);
            let took = begun.elapsed();
            drop(index);
            fs::remove_file(&file)?;
            Ok(took)
        },
    )?;
    report.compare(
        "insert_vs_index_alone",
        &measured,
        "s",
        Some(Mark::AtMost(1.3)),
    );
    Ok(())
}
