//! `reopen_vs_read`: opening a database whose index was kept, beside reading the snapshot's bytes from the store
//! with a warm cache. And the same after a kill, with a journal to replay.

use super::content::{DIMENSIONS, INDEX, create, rows, wait_until_ready, write};
use crate::measure::Setup;
use crate::measure::files;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use stratigraph::Database;
use stratigraph::keys::KeyRead;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;

/// The journal may have so many ids when a process is killed.
const MOST_JOURNALED: u64 = 100_000;

pub(super) fn measure(setup: &Setup, dir: &Path, report: &mut Report) -> Result<()> {
    let (count, rounds) = setup.choose((20_000, 3), (1_000_000, 5));
    println!("reopen     {count} rows of {DIMENSIONS} dimensions");
    setup.progress("reopen: fill");
    let path = dir.join("db");
    let db = create(&path)?;
    let all = rows(setup, count)?;
    write(&db, &all)?;
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
    let bytes = bytes as f64 / count as f64;
    report.count("snapshot", bytes, None, "bytes/row", None);
    let more = setup.choose(5000, 70_000);
    after_a_kill(setup, &path, &all[..more * DIMENSIONS], rounds, report)
}

/// Opening what a killed process has left: the snapshot, and so many rows that are only in the journal.
fn after_a_kill(
    setup: &Setup,
    path: &Path,
    rows: &[f32],
    rounds: usize,
    report: &mut Report,
) -> Result<()> {
    setup.progress("reopen: write what will be in the journal");
    let killed = path.with_extension("killed");
    let db = Database::open(path)?;
    wait_until_ready(&db)?;
    write(&db, rows)?;
    // As a kill would leave the files.
    files::copy_database(path, &killed)?;
    db.close()?;
    std::fs::remove_dir_all(path)?;
    files::warm(&killed)?;
    let mut took = Vec::new();
    let mut journaled = 0.0;
    for round in 0..rounds {
        setup.progress(&format!("reopen: after a kill, round {round} of {rounds}"));
        // A close would keep the index: whoever opens is killed in its turn.
        let mut child = Command::new(std::env::current_exe()?);
        let output = child.arg("--open-and-end").arg(&killed).output()?;
        let said = String::from_utf8(output.stdout)?;
        let (seconds, ids) = said
            .trim()
            .split_once(' ')
            .with_context(|| format!("the child said {said:?}"))?;
        took.push(seconds.parse::<f64>()?);
        journaled = ids.parse::<f64>()?;
    }
    took.sort_unstable_by(f64::total_cmp);
    report.count("reopen_after_kill", took[rounds / 2], None, "s", None);
    let most = Mark::AtMost(MOST_JOURNALED as f64);
    report.count("journal_after_kill", journaled, None, "ids", Some(most));
    Ok(())
}

/// Opens a database, tells how long that took and how many ids its journal has, and ends as if killed.
pub(super) fn open_and_end(path: &Path) -> Result<()> {
    let begun = Instant::now();
    let db = Database::open(path)?;
    wait_until_ready(&db)?;
    let took = begun.elapsed().as_secs_f64();
    let index = db.vector_indexes()?;
    let index = index.first().with_context(|| format!("no index {INDEX}"))?;
    println!("{took} {}", index.journaled);
    std::process::abort()
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
