//! `scan_vs_raw`: the 50 entries under one prefix of the `out` family, all blocks in the cache.
//!
//! Raw does what a careful user must: bounds, prefix mode, key and value of each entry, and the
//! status at the end. Both sides make their iterator anew for each prefix.
//! Measured is processor time; see `cpu_time`.

use super::content::{Content, ENTRIES_PER_PREFIX};
use crate::measure::Setup;
use crate::measure::allocations;
use crate::measure::cpu_time::CpuTime;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::{Result, ensure};
use rocksdb::ReadOptions;
use std::time::Duration;
use stratigraph::keys::KeyRead;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;

/// Two numbers that only agree if both sides have seen the same entries.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Seen {
    entries: u64,
    sum: u64,
}

impl Seen {
    fn note(&mut self, key: &[u8], value: &[u8]) {
        self.entries += 1;
        self.sum += key.last().map_or(0, |&byte| u64::from(byte)) + value.len() as u64;
    }
}

pub(super) fn measure(setup: &Setup, content: &Content, report: &mut Report) -> Result<()> {
    let (rounds, scans) = setup.choose((41, 2_000_usize), (101, 4_000));
    println!("scan       {rounds} rounds of {scans} prefixes in random order");
    setup.progress("scan: warm up");
    let all: Vec<u64> = (0..content.prefixes).collect();
    let (ours, raw) = (our_scans(content, &all)?.1, raw_scans(content, &all)?.1);
    ensure!(ours == raw, "the two sides do not hold the same entries");
    ensure!(
        ours.entries == content.prefixes * ENTRIES_PER_PREFIX as u64,
        "entries are missing"
    );

    setup.progress("scan: measure");
    let (mut our_allocations, mut raw_allocations) = (0, 0);
    let measured = Rounds::run(
        rounds,
        |round| {
            let mut random = fastrand::Rng::with_seed(setup.seed ^ (round as u64) << 32);
            Ok((0..scans)
                .map(|_| random.u64(0..content.prefixes))
                .collect::<Vec<_>>())
        },
        |prefixes| {
            let before = allocations::so_far();
            let (time, _) = our_scans(content, prefixes)?;
            our_allocations = allocations::so_far() - before;
            Ok(time)
        },
        |prefixes| {
            let before = allocations::so_far();
            let (time, _) = raw_scans(content, prefixes)?;
            raw_allocations = allocations::so_far() - before;
            Ok(time)
        },
    )?;
    let scans = scans as f64;
    let times = measured.map(|seconds| seconds * 1e6 / scans);
    report.compare("scan_vs_raw", &times, "us CPU", Some(Mark::AtMost(1.15)));
    let (ours, raw) = (
        our_allocations as f64 / scans,
        raw_allocations as f64 / scans,
    );
    report.count("scan_allocations", ours, Some(raw), "per scan", None);
    Ok(())
}

fn our_scans(content: &Content, prefixes: &[u64]) -> Result<(Duration, Seen)> {
    let read = content.ours.key_read()?;
    let begun = CpuTime::now();
    let mut seen = Seen::default();
    for prefix in prefixes {
        let range = KeyRange::prefix(&prefix.to_be_bytes());
        let mut scan = read.scan(Family::Out, &range)?;
        while let Some(entry) = scan.next()? {
            seen.note(entry.key, entry.value);
        }
    }
    Ok((begun.elapsed(), seen))
}

fn raw_scans(content: &Content, prefixes: &[u64]) -> Result<(Duration, Seen)> {
    let out = content.raw.family(Family::Out)?;
    let begun = CpuTime::now();
    let mut seen = Seen::default();
    for prefix in prefixes {
        let start = prefix.to_be_bytes();
        let mut options = ReadOptions::default();
        options.set_iterate_upper_bound((prefix + 1).to_be_bytes());
        options.set_prefix_same_as_start(true);
        let mut iterator = content.raw.db.raw_iterator_cf_opt(out, options);
        iterator.seek(start);
        while let Some((key, value)) = iterator.item() {
            seen.note(key, value);
            iterator.next();
        }
        iterator.status()?;
    }
    Ok((begun.elapsed(), seen))
}
