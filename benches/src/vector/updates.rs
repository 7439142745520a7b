//! How long searches take while rows are replaced: two threads, of whose calls one in ten is an update, beside
//! the same two that only search. Either they tend as well, or a third thread does. And how much of the file
//! of vectors searches touch: what must be in memory for them.

use super::ours;
use super::set::VectorSet;
use super::truth::K;
use crate::measure::memory::of_mappings;
use crate::measure::rounds::Rounds;
use anyhow::{Context, Result};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;
use stratigraph_vector::{Effort, Index, IndexError, Query};
use tempfile::NamedTempFile;

/// Those who call.
const CALLERS: u64 = 2;
/// Calls of each.
const CALLS: usize = 40_000;
/// One in so many is an update.
const UPDATES: usize = 10;
/// Who tends as well does so after so many updates of his.
const UPDATES_TENDED: usize = 128;
/// Searches for different rows.
const TOUCHING: usize = 10_000;
/// How many candidates a search keeps.
const BREADTH: usize = 64;

/// What was measured; seconds.
pub(super) struct Updates {
    /// With two threads in all, which tend themselves.
    pub(super) two: Times,
    /// With a third thread that tends.
    pub(super) three: Times,
    /// Bytes of the file of vectors that [`TOUCHING`] searches have touched.
    pub(super) touched: f64,
}

/// With updates and without.
#[derive(Default)]
pub(super) struct Times {
    /// The time that 99 of 100 searches stay below.
    pub(super) p99: Rounds,
    /// The same of every second one.
    pub(super) median: Rounds,
}

/// What a caller does beside searching.
#[derive(Clone, Copy)]
struct Updating {
    round: usize,
    tends: bool,
}

pub(super) fn measure(set: &VectorSet, rounds: usize) -> Result<Updates> {
    let rows = NamedTempFile::new()?;
    let index = Arc::new(ours::index(set, rows.path(), 1)?);
    let mut measured = Updates {
        two: Times::default(),
        three: Times::default(),
        touched: 0.0,
    };
    forget_what_was_touched()?;
    for row in set.base.chunks_exact(set.dims).take(TOUCHING) {
        index.search(&Query::new(row, K).effort(Effort::Breadth(BREADTH)))?;
    }
    measured.touched = touched(rows.path())?;
    let sequence = AtomicU64::new(1);
    for round in 0..rounds {
        let alone = calls(set, &index, &sequence, None)?;
        for (tends, times) in [(true, &mut measured.two), (false, &mut measured.three)] {
            let latest = Arc::clone(&index);
            // Nobody looks back.
            let tender = (!tends).then(|| index.tend_in_background(move || latest.latest()));
            let tender = tender.transpose()?;
            let among = calls(set, &index, &sequence, Some(Updating { round, tends }))?;
            drop(tender);
            for (rounds, share) in [(&mut times.p99, 0.99), (&mut times.median, 0.5)] {
                rounds.push(below(&among, share), below(&alone, share));
            }
        }
    }
    Ok(measured)
}

/// How long each search took, in order of time.
fn calls(
    set: &VectorSet,
    index: &Index,
    sequence: &AtomicU64,
    updating: Option<Updating>,
) -> Result<Vec<f64>> {
    let caller = |number: u64| -> Result<Vec<f64>> {
        let round = updating.map_or(0, |updating| updating.round as u64);
        let mut random = fastrand::Rng::with_seed(number + CALLERS * round);
        let mut updates = 0_usize;
        let mut times = Vec::with_capacity(CALLS);
        for _ in 0..CALLS {
            if let Some(updating) = updating
                && random.usize(..UPDATES) == 0
            {
                let row = random.usize(..set.len());
                let id = random.u64(..set.len() as u64);
                write(index, sequence, id, &set.base[row * set.dims..][..set.dims])?;
                updates += 1;
                if updating.tends && updates.is_multiple_of(UPDATES_TENDED) {
                    index.tend(index.latest());
                }
            } else {
                let query = set.query(random.usize(..set.truth.len() / K));
                let begun = Instant::now();
                index.search(&Query::new(query, K).effort(Effort::Breadth(BREADTH)))?;
                times.push(begun.elapsed().as_secs_f64());
            }
        }
        Ok(times)
    };
    let mut times = thread::scope(|scope| -> Result<Vec<f64>> {
        let callers: Vec<_> = (0..CALLERS)
            .map(|number| scope.spawn(move || caller(number)))
            .collect();
        let mut times = Vec::new();
        for caller in callers {
            times.extend(caller.join().ok().context("a caller panicked")??);
        }
        Ok(times)
    })?;
    times.sort_unstable_by(f64::total_cmp);
    Ok(times)
}

/// Two callers may come with their sequences in the wrong order: the later one takes a new one.
fn write(index: &Index, sequence: &AtomicU64, id: u64, vector: &[f32]) -> Result<()> {
    loop {
        let now = sequence.fetch_add(1, Ordering::Relaxed) + 1;
        match index.insert(now, id, vector) {
            Err(IndexError::SequenceGoesBack { .. }) => {}
            done => return Ok(done?),
        }
    }
}

/// The time that this share of the sorted times stays below.
fn below(times: &[f64], share: f64) -> f64 {
    let place = (times.len() as f64 * share) as usize;
    times[place.min(times.len() - 1)]
}

/// From here on, pages count as touched when they are.
fn forget_what_was_touched() -> Result<()> {
    Ok(std::fs::write("/proc/self/clear_refs", "1")?)
}

/// Bytes of a mapped file that were touched.
fn touched(file: &Path) -> Result<f64> {
    let smaps = std::fs::read_to_string("/proc/self/smaps")?;
    Ok(of_mappings(&smaps, "Referenced:", |mapped| mapped.ends_with(file))? as f64)
}
