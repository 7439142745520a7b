//! `reopen_vs_read`: opening a database whose index was kept, beside reading the snapshot's bytes from the store
//! with a warm cache. And the same after a kill, with a journal to replay.

use super::content::{DIMENSIONS, create, rows, wait_until_ready, write};
use crate::measure::Setup;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::{Result, ensure};
use std::path::Path;
use std::time::{Duration, Instant};
use stratigraph::Database;
use stratigraph::keys::KeyRead;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;

pub(super) fn measure(setup: &Setup, dir: &Path, report: &mut Report) -> Result<()> {
    let (count, rounds) = setup.choose((20_000, 3), (1_000_000, 5));
    println!("reopen     {count} rows of {DIMENSIONS} dimensions");
    setup.progress("reopen: fill");
    let path = dir.join("db");
    let db = create(&path)?;
    write(&db, &rows(setup, count)?)?;
    setup.progress("reopen: close");
    db.close()?;
    let mut bytes = 0;
    let measured = Rounds::run(
        rounds,
        |round| {
            setup.progress(&format!("reopen: round {round} of {rounds}"));
            Ok(())
        },
        |()| {
            let begun = Instant::now();
            let db = Database::open(&path)?;
            wait_until_ready(&db)?;
            let took = begun.elapsed();
            db.close()?;
            Ok(took)
        },
        |()| {
            let db = Database::builder().open_read_only(&path)?;
            // Once without counting: what is read must be in the cache.
            read(&db)?;
            let took;
            (took, bytes) = read(&db)?;
            Ok(took)
        },
    )?;
    ensure!(bytes > 0, "there is no snapshot");
    report.compare("reopen_vs_read", &measured, "s", Some(Mark::AtMost(2.0)));
    report.count(
        "snapshot",
        bytes as f64 / count as f64,
        None,
        "bytes/row",
        None,
    );
    Ok(())
}

/// How long it takes to read every byte of the snapshot, and how many there are.
fn read(db: &Database) -> Result<(Duration, u64)> {
    let read = db.key_read()?;
    let begun = Instant::now();
    let mut bytes = 0;
    let mut sum = 0_u64;
    let mut scan = read.scan(Family::VectorSnapshot, &KeyRange::all())?;
    while let Some(entry) = scan.next()? {
        bytes += entry.value.len() as u64;
        for word in entry.value.as_chunks::<8>().0 {
            sum = sum.wrapping_add(u64::from_le_bytes(*word));
        }
    }
    std::hint::black_box(sum);
    Ok((begun.elapsed(), bytes))
}
