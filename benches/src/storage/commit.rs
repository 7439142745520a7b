//! `syncs_per_commit`: threads that commit one record each, durably.
//!
//! Counted are the syncs of the log and of the high-water mark: a count does not depend on the
//! disk, while the rates and latencies beside it do. Raw RocksDB (`sync = true`, with its own group
//! commit) has no mark, so it pays one sync where we pay two.

use crate::measure::Setup;
use crate::measure::peer::Peer;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::{Rounds, median};
use anyhow::Result;
use rocksdb::{WriteBatch, WriteOptions};
use std::path::Path;
use std::sync::Barrier;
use std::time::{Duration, Instant};
use stratigraph::Database;
use stratigraph::storage::family::Family;

const CACHE_BYTES: usize = 64 << 20;
const VALUE: [u8; 64] = [0x5A; 64];

/// What one run of several threads has done.
struct Run {
    commits: u64,
    elapsed: Duration,
    /// Of every commit, in microseconds.
    latencies: Vec<f64>,
}

/// The runs of both sides with one number of threads.
#[derive(Default)]
struct Runs {
    rates: Rounds,
    middle: Rounds,
    slow: Rounds,
    syncs_per_commit: Vec<f64>,
}

pub(super) fn measure(setup: &Setup, dir: &Path, report: &mut Report) -> Result<()> {
    let (rounds, seconds) = setup.choose((3, 1.0), (7, 2.0));
    println!(
        "commit     {rounds} rounds of {seconds} s each, 1 and 16 threads, one record a commit"
    );
    let db = Database::create(dir.join("ours"))?;
    let peer = Peer::open_like(&dir.join("ours/store"), &dir.join("raw"), CACHE_BYTES)?;
    let time = Duration::from_secs_f64(seconds);
    let one = compare(setup, 1, rounds, time, &db, &peer)?;
    let many = compare(setup, 16, rounds, time, &db, &peer)?;

    let syncs = median(&many.syncs_per_commit);
    report.count(
        "syncs_per_commit",
        syncs,
        None,
        "syncs",
        Some(Mark::AtMost(0.2)),
    );
    report.compare("commits_16_threads", &many.rates, "commits/s", None);
    report.compare("commit_p50_16_threads", &many.middle, "us", None);
    report.compare("commit_p99_16_threads", &many.slow, "us", None);
    let syncs = median(&one.syncs_per_commit);
    report.count("syncs_per_commit_alone", syncs, None, "syncs", None);
    report.compare("commits_1_thread", &one.rates, "commits/s", None);
    report.compare("commit_p50_1_thread", &one.middle, "us", None);
    report.compare("commit_p99_1_thread", &one.slow, "us", None);
    db.close()?;
    Ok(())
}

fn compare(
    setup: &Setup,
    threads: usize,
    rounds: usize,
    time: Duration,
    db: &Database,
    peer: &Peer,
) -> Result<Runs> {
    let nodes = peer.family(Family::Nodes)?;
    let our_commit = |key: &[u8]| {
        let mut txn = db.key_write()?;
        txn.put(Family::Nodes, key, &VALUE)?;
        txn.commit()?;
        Ok(())
    };
    let raw_commit = |key: &[u8]| {
        // Options per commit would be unfair; one set per thread is what a careful user has.
        thread_local! {
            static DURABLE: WriteOptions = {
                let mut options = WriteOptions::default();
                options.set_sync(true);
                options
            };
        }
        let mut log_record = WriteBatch::default();
        log_record.put_cf(nodes, key, VALUE);
        DURABLE.with(|durable| peer.db.write_opt(log_record, durable))?;
        Ok(())
    };
    let mut runs = Runs::default();
    for round in 0..=rounds {
        setup.progress(&format!(
            "commit: {threads} threads, round {round} of {rounds}"
        ));
        let counted = || {
            let before = syncs(db);
            let run = hammer(threads, time, round, &our_commit)?;
            let per_commit = (syncs(db) - before) as f64 / run.commits as f64;
            anyhow::Ok((run, per_commit))
        };
        let ((ours, per_commit), raw) = if round % 2 == 0 {
            let first = counted()?;
            (first, hammer(threads, time, round, &raw_commit)?)
        } else {
            let first = hammer(threads, time, round, &raw_commit)?;
            (counted()?, first)
        };
        // The first round warms up.
        if round > 0 {
            runs.rates.push(ours.rate(), raw.rate());
            runs.middle.push(ours.latency(0.5), raw.latency(0.5));
            runs.slow.push(ours.latency(0.99), raw.latency(0.99));
            runs.syncs_per_commit.push(per_commit);
        }
    }
    Ok(runs)
}

/// Syncs of the log and of the mark so far.
fn syncs(db: &Database) -> u64 {
    let info = db.info();
    info.store.log_syncs + info.commits.mark_syncs
}

/// Lets `threads` threads commit one record after the other for `time`.
fn hammer(
    threads: usize,
    time: Duration,
    round: usize,
    commit: &(impl Fn(&[u8]) -> Result<()> + Sync),
) -> Result<Run> {
    let start = Barrier::new(threads + 1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let start = &start;
                scope.spawn(move || {
                    let mut latencies = Vec::with_capacity(1 << 14);
                    let mut key = [0; 16];
                    key[0] = round as u8;
                    key[1] = thread as u8;
                    start.wait();
                    let begun = Instant::now();
                    let mut now = begun;
                    while now - begun < time {
                        key[8..].copy_from_slice(&(latencies.len() as u64).to_be_bytes());
                        commit(&key)?;
                        let after = Instant::now();
                        latencies.push((after - now).as_secs_f64() * 1e6);
                        now = after;
                    }
                    anyhow::Ok(latencies)
                })
            })
            .collect();
        start.wait();
        let begun = Instant::now();
        let mut latencies = Vec::new();
        for worker in workers {
            let finished = worker
                .join()
                .map_err(|_| anyhow::anyhow!("a thread panicked"))?;
            latencies.extend(finished?);
        }
        let elapsed = begun.elapsed();
        latencies.sort_by(f64::total_cmp);
        Ok(Run {
            commits: latencies.len() as u64,
            elapsed,
            latencies,
        })
    })
}

impl Run {
    fn rate(&self) -> f64 {
        self.commits as f64 / self.elapsed.as_secs_f64()
    }

    fn latency(&self, part: f64) -> f64 {
        let place = (self.latencies.len() as f64 * part) as usize;
        self.latencies.get(place).copied().unwrap_or(f64::NAN)
    }
}
