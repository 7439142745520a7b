//! `open_vs_raw`: opening a large database after a clean close.
//!
//! Both sides open the same files in the same folder, in turn: an open of a cleanly closed database
//! leaves it as it was but for a new manifest, whoever did it. Only the open is timed, not the close.

use super::child;
use crate::measure::Setup;
use crate::measure::files;
use crate::measure::peer::SameOptions;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::Result;
use rocksdb::DB;
use std::path::Path;
use std::time::{Duration, Instant};
use stratigraph::Database;
use stratigraph::storage::cancel::Watch;
use stratigraph::storage::family::Family;

/// The size of our own default cache: the peer gets the same.
const CACHE_BYTES: usize = 256 << 20;

/// What the database is loaded with: so many bytes of each, values random and so incompressible.
const SHARES: [(Family, usize); 4] = [
    (Family::Nodes, 512),
    (Family::Text, 4096),
    (Family::Edges, 256),
    (Family::Vectors, 1536),
];

pub(super) fn measure(setup: &Setup, dir: &Path, report: &mut Report) -> Result<()> {
    let (rounds, bytes) = setup.choose((7, 1 << 30), (11, 5 << 30));
    let database = dir.join("database");
    setup.progress(&format!("open: load {} MiB", bytes >> 20));
    load(&database, setup.seed, bytes)?;
    let store = database.join("store");
    let (sorted, sorted_bytes) = files::size_of(&store, "sst")?;
    println!(
        "open       {rounds} rounds, {sorted} sorted files with {} MiB, page cache warm",
        sorted_bytes >> 20
    );
    let measured = Rounds::run(
        rounds,
        |round| {
            setup.progress(&format!("open: round {round} of {rounds}"));
            files::warm(&database)?;
            Ok(())
        },
        |()| our_open(&database),
        |()| raw_open(&store, &store),
    )?;
    let times = measured.map(|seconds| seconds * 1e3);
    report.compare("open_vs_raw", &times, "ms", Some(Mark::AtMost(2.0)));
    Ok(())
}

/// Times our open of a database.
pub(crate) fn our_open(database: &Path) -> Result<Duration> {
    let begun = Instant::now();
    let db = Database::open(database)?;
    let took = begun.elapsed();
    db.close()?;
    Ok(took)
}

/// Times RocksDB's own open of a store, with the options that the store in `like` has recorded.
pub(crate) fn raw_open(like: &Path, store: &Path) -> Result<Duration> {
    // Reading the options is not a part of opening: ours are made from a table in memory.
    let SameOptions { database, families } = SameOptions::of(like, CACHE_BYTES)?;
    let begun = Instant::now();
    let db = DB::open_cf_descriptors(&database, store, families)?;
    let took = begun.elapsed();
    drop(db);
    Ok(took)
}

/// Makes the database: a bulk load, and ordinary commits on top of it.
fn load(database: &Path, seed: u64, bytes: usize) -> Result<()> {
    let db = Database::create(database)?;
    let mut random = fastrand::Rng::with_seed(seed);
    let mut load = db.key_bulk_load()?;
    for (family, value_bytes) in SHARES {
        let mut value = vec![0; value_bytes];
        for number in 0..(bytes / SHARES.len() / value_bytes) as u64 {
            random.fill(&mut value);
            load.put(family, &number.to_be_bytes(), &value)?;
        }
    }
    load.finish(&mut Watch::quiet())?;
    child::commit_records(&db, seed, 16 << 20)?;
    db.close()?;
    Ok(())
}
