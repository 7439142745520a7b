//! `get_vs_raw`: point reads of random keys, all blocks in the cache.
//!
//! Raw is as fast as RocksDB's crate goes: a pinned read with one set of read options. `get_copy`
//! compares the two calls that hand out a vector. Measured is processor time; see `cpu_time`.

use super::content::{Content, node_key};
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

/// What a round of reads has done.
struct Done {
    time: Duration,
    sum: u64,
    allocations: u64,
}

pub(super) fn measure(setup: &Setup, content: &Content, report: &mut Report) -> Result<()> {
    let (rounds, reads) = setup.choose((41, 30_000), (101, 60_000));
    println!("get        {rounds} rounds of {reads} random keys, all stored");
    warm(content)?;
    setup.progress("get: without a copy");
    let pinned = compare(setup, content, rounds, reads, our_pinned, raw_pinned)?;
    setup.progress("get: with a copy");
    let copied = compare(setup, content, rounds, reads, our_copied, raw_copied)?;
    let nanoseconds = |seconds: f64| seconds * 1e9 / reads as f64;
    let times = pinned.rounds.map(nanoseconds);
    report.compare("get_vs_raw", &times, "ns CPU", Some(Mark::AtMost(1.2)));
    report.count(
        "get_allocations",
        pinned.ours,
        Some(pinned.raw),
        "per get",
        None,
    );
    report.compare(
        "get_copy_vs_raw",
        &copied.rounds.map(nanoseconds),
        "ns CPU",
        None,
    );
    report.count(
        "get_copy_allocations",
        copied.ours,
        Some(copied.raw),
        "per get",
        None,
    );
    Ok(())
}

/// Rounds, and allocations per read.
struct Compared {
    rounds: Rounds,
    ours: f64,
    raw: f64,
}

fn compare(
    setup: &Setup,
    content: &Content,
    rounds: usize,
    reads: usize,
    ours: fn(&Content, &[[u8; 8]]) -> Result<Done>,
    raw: fn(&Content, &[[u8; 8]]) -> Result<Done>,
) -> Result<Compared> {
    let (mut our_sums, mut raw_sums) = (0_u64, 0_u64);
    let (mut our_allocations, mut raw_allocations) = (0, 0);
    let measured = Rounds::run(
        rounds,
        |round| {
            let mut random = fastrand::Rng::with_seed(setup.seed ^ (round as u64) << 32);
            Ok((0..reads)
                .map(|_| node_key(random.u64(0..content.nodes)))
                .collect::<Vec<_>>())
        },
        |keys| {
            let done = ours(content, keys)?;
            our_sums = our_sums.wrapping_add(done.sum);
            our_allocations = done.allocations;
            Ok(done.time)
        },
        |keys| {
            let done = raw(content, keys)?;
            raw_sums = raw_sums.wrapping_add(done.sum);
            raw_allocations = done.allocations;
            Ok(done.time)
        },
    )?;
    ensure!(
        our_sums == raw_sums,
        "the two sides have not read the same values"
    );
    let per_read = |allocations: u64| allocations as f64 / reads as f64;
    let (ours, raw) = (per_read(our_allocations), per_read(raw_allocations));
    Ok(Compared {
        rounds: measured,
        ours,
        raw,
    })
}

fn our_pinned(content: &Content, keys: &[[u8; 8]]) -> Result<Done> {
    let read = content.ours.key_read()?;
    timed(|| {
        let mut sum = 0;
        for key in keys {
            sum += read.get_with(Family::Nodes, key, glance)?.unwrap_or(0);
        }
        Ok(sum)
    })
}

fn raw_pinned(content: &Content, keys: &[[u8; 8]]) -> Result<Done> {
    let nodes = content.raw.family(Family::Nodes)?;
    let options = ReadOptions::default();
    timed(|| {
        let mut sum = 0;
        for key in keys {
            let value = content.raw.db.get_pinned_cf_opt(nodes, key, &options)?;
            sum += value.map_or(0, |value| glance(&value));
        }
        Ok(sum)
    })
}

fn our_copied(content: &Content, keys: &[[u8; 8]]) -> Result<Done> {
    let read = content.ours.key_read()?;
    timed(|| {
        let mut sum = 0;
        for key in keys {
            sum += read
                .get(Family::Nodes, key)?
                .map_or(0, |value| glance(&value));
        }
        Ok(sum)
    })
}

fn raw_copied(content: &Content, keys: &[[u8; 8]]) -> Result<Done> {
    let nodes = content.raw.family(Family::Nodes)?;
    timed(|| {
        let mut sum = 0;
        for key in keys {
            sum += content
                .raw
                .db
                .get_cf(nodes, key)?
                .map_or(0, |value| glance(&value));
        }
        Ok(sum)
    })
}

fn timed(work: impl FnOnce() -> Result<u64>) -> Result<Done> {
    let (begun, before) = (CpuTime::now(), allocations::so_far());
    let sum = work()?;
    Ok(Done {
        time: begun.elapsed(),
        sum,
        allocations: allocations::so_far() - before,
    })
}

/// Touches the value, as any reader would; the sums prove that both sides read the same.
fn glance(value: &[u8]) -> u64 {
    value.len() as u64 + value.last().map_or(0, |&byte| u64::from(byte))
}

/// Brings every block of the family into both caches.
fn warm(content: &Content) -> Result<()> {
    let keys: Vec<_> = (0..content.nodes).map(node_key).collect();
    let (ours, raw) = (our_pinned(content, &keys)?, raw_pinned(content, &keys)?);
    ensure!(
        ours.sum == raw.sum,
        "the two sides do not hold the same values"
    );
    Ok(())
}
