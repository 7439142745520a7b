//! What `get` and `scan` read: one database of ours, and a raw one that is a copy of its files.
//!
//! The raw side gets the very same sorted files, so both read the same blocks at the same places
//! with the same options; only what lies above RocksDB differs.

use crate::measure::Setup;
use crate::measure::files;
use crate::measure::peer::Peer;
use anyhow::Result;
use std::path::Path;
use std::time::Duration;
use stratigraph::storage::cancel::Watch;
use stratigraph::storage::family::Family;
use stratigraph::{Database, Durability};

/// Entries under each prefix of the `out` family.
pub(super) const ENTRIES_PER_PREFIX: usize = 50;
const VALUE_BYTES: usize = 100;
/// Holds all content on each side with room to spare.
const CACHE_BYTES: usize = 512 << 20;

/// Both databases, open.
pub(super) struct Content {
    pub(super) ours: Database,
    pub(super) raw: Peer,
    pub(super) nodes: u64,
    pub(super) prefixes: u64,
}

impl Content {
    pub(super) fn make(setup: &Setup, dir: &Path) -> Result<Self> {
        let (nodes, prefixes) = setup.choose((200_000, 10_000), (1_000_000, 20_000));
        println!(
            "content    {nodes} nodes of {VALUE_BYTES} B, {prefixes} prefixes with {ENTRIES_PER_PREFIX} entries, \
             cache {} MiB a side",
            CACHE_BYTES >> 20
        );
        setup.progress("content: write and compact");
        let builder = Database::builder()
            .create_if_missing(true)
            .durability(Durability::Periodic(Duration::from_secs(24 * 3600)))
            .cache_bytes(CACHE_BYTES);
        let (our_dir, raw_dir) = (dir.join("ours"), dir.join("raw"));
        let db = builder.clone().open(&our_dir)?;
        write(&db, setup.seed, nodes, prefixes)?;
        db.compact(&mut Watch::quiet())?;
        db.close()?;
        files::copy_database(&our_dir.join("store"), &raw_dir)?;
        let ours = builder.open(&our_dir)?;
        let raw = Peer::open_like(&our_dir.join("store"), &raw_dir, CACHE_BYTES)?;
        Ok(Self {
            ours,
            raw,
            nodes,
            prefixes,
        })
    }
}

fn write(db: &Database, seed: u64, nodes: u64, prefixes: u64) -> Result<()> {
    const PER_COMMIT: u64 = 1000;
    let mut random = fastrand::Rng::with_seed(seed);
    let mut value = [0; VALUE_BYTES];
    for first in (0..nodes).step_by(PER_COMMIT as usize) {
        let mut txn = db.key_write()?;
        for node in first..(first + PER_COMMIT).min(nodes) {
            random.fill(&mut value);
            txn.put(Family::Nodes, &node_key(node), &value)?;
        }
        txn.commit()?;
    }
    for first in (0..prefixes).step_by(PER_COMMIT as usize / ENTRIES_PER_PREFIX) {
        let mut txn = db.key_write()?;
        for src in first..(first + PER_COMMIT / ENTRIES_PER_PREFIX as u64).min(prefixes) {
            for _ in 0..ENTRIES_PER_PREFIX {
                txn.put(Family::Out, &out_key(src, &mut random), b"")?;
            }
        }
        txn.commit()?;
    }
    Ok(())
}

/// `[node: 8 BE]`
pub(super) fn node_key(node: u64) -> [u8; 8] {
    node.to_be_bytes()
}

/// `[src: 8 BE][type: 4 BE][dst: 8 BE][edge: 8 BE]` with random ends.
fn out_key(src: u64, random: &mut fastrand::Rng) -> [u8; 28] {
    let mut key = [0; 28];
    key[..8].copy_from_slice(&src.to_be_bytes());
    key[8..12].copy_from_slice(&random.u32(0..4).to_be_bytes());
    random.fill(&mut key[12..]);
    key
}
