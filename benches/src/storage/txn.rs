//! `txn_vs_raw`: batches of 1,000 small records over four families, WAL on, sync off.
//!
//! Ours goes through a write transaction (ordered overlay, limits, commit sequence, snapshot for
//! the readers); raw puts the same pairs in the same order into a plain `WriteBatch`. Both write
//! buffers hold everything that is written, so that neither side's flush falls into the other's
//! round: what is compared is the path of a write, at its strictest.

use crate::measure::Setup;
use crate::measure::allocations;
use crate::measure::peer::Peer;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::Result;
use rocksdb::{WriteBatch, WriteOptions};
use std::path::Path;
use std::time::{Duration, Instant};
use stratigraph::storage::family::Family;
use stratigraph::{Database, Durability};

const BATCH: usize = 1000;
const CACHE_BYTES: usize = 64 << 20;
/// Larger than all that is written here.
const WRITE_BUFFER_BYTES: usize = 1 << 30;
const FAMILIES: [Family; 4] = [Family::Nodes, Family::Edges, Family::Out, Family::In];

pub(super) fn measure(setup: &Setup, dir: &Path, report: &mut Report) -> Result<()> {
    let (rounds, batches) = setup.choose((9, 50), (21, 100));
    println!("txn        {rounds} rounds of {batches} batches of {BATCH} records, keys 16-24 B");
    let db = Database::builder()
        .create_if_missing(true)
        .durability(Durability::Periodic(Duration::from_secs(24 * 3600)))
        .write_buffer_bytes(WRITE_BUFFER_BYTES)
        .cache_bytes(CACHE_BYTES)
        .open(dir.join("ours"))?;
    let peer = Peer::open_like(&dir.join("ours/store"), &dir.join("raw"), CACHE_BYTES)?;
    let families = peer.families()?;
    let mut no_sync = WriteOptions::default();
    no_sync.set_sync(false);

    let (mut our_allocations, mut raw_allocations) = (0, 0);
    let measured = Rounds::run(
        rounds,
        |round| {
            setup.progress(&format!("txn: round {round} of {rounds}"));
            Ok(Records::make(
                setup.seed ^ (round as u64) << 32,
                batches * BATCH,
            ))
        },
        |records| {
            let (begun, before) = (Instant::now(), allocations::so_far());
            for batch in records.batches() {
                let mut txn = db.key_write()?;
                for (family, key, value) in batch {
                    txn.put(family, key, value)?;
                }
                txn.commit()?;
            }
            our_allocations = allocations::so_far() - before;
            Ok(begun.elapsed())
        },
        |records| {
            let (begun, before) = (Instant::now(), allocations::so_far());
            for batch in records.batches() {
                let mut log_record = WriteBatch::default();
                for (family, key, value) in batch {
                    log_record.put_cf(families[family.index()], key, value);
                }
                peer.db.write_opt(log_record, &no_sync)?;
            }
            raw_allocations = allocations::so_far() - before;
            Ok(begun.elapsed())
        },
    )?;
    let records = (batches * BATCH) as f64;
    let rates = measured.map(|seconds| records / seconds);
    report.compare("txn_vs_raw", &rates, "records/s", Some(Mark::AtLeast(0.7)));
    let (ours, raw) = (
        our_allocations as f64 / records,
        raw_allocations as f64 / records,
    );
    report.count("txn_allocations", ours, Some(raw), "per record", None);
    db.close()?;
    Ok(())
}

/// The records of a round in one piece of memory, so that reading them costs both sides the same.
pub(super) struct Records {
    bytes: Vec<u8>,
    /// Family, where the key begins, where the value begins; the value ends where the next begins.
    places: Vec<(Family, usize, usize)>,
}

impl Records {
    /// Records with random keys in the four families in turn.
    pub(super) fn make(seed: u64, count: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut bytes = Vec::with_capacity(count * 80);
        let mut places = Vec::with_capacity(count);
        for number in 0..count {
            let family = FAMILIES[number % FAMILIES.len()];
            let adjacency = matches!(family, Family::Out | Family::In);
            let key = bytes.len();
            let value = key + if adjacency { 24 } else { 16 };
            bytes.resize(value + random.usize(16..=100), 0);
            random.fill(&mut bytes[key..]);
            places.push((family, key, value));
        }
        Self { bytes, places }
    }

    /// Batches of [`BATCH`] records: family, key, value.
    pub(super) fn batches(
        &self,
    ) -> impl Iterator<Item = impl Iterator<Item = (Family, &[u8], &[u8])>> {
        (0..self.places.len()).step_by(BATCH).map(move |first| {
            let last = (first + BATCH).min(self.places.len());
            (first..last).map(move |number| self.record(number))
        })
    }

    fn record(&self, number: usize) -> (Family, &[u8], &[u8]) {
        let (family, key, value) = self.places[number];
        let end = self
            .places
            .get(number + 1)
            .map_or(self.bytes.len(), |(_, next, _)| *next);
        (family, &self.bytes[key..value], &self.bytes[value..end])
    }
}
