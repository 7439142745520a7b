//! What `get` and `expand` read: one graph of ours, and a raw RocksDB that is a copy of its files.

use crate::measure::Setup;
use crate::measure::files;
use crate::measure::peer::Peer;
use anyhow::Result;
use std::path::Path;
use std::time::Duration;
use stratigraph::storage::cancel::Watch;
use stratigraph::{Constraint, Database, Durability, NodeId, Value};

/// Relationships that leave each node.
pub(super) const DEGREE: u64 = 50;
/// Holds all content on each side with room to spare.
const CACHE_BYTES: usize = 1 << 30;

/// Both databases, open.
pub(super) struct Content {
    pub(super) ours: Database,
    pub(super) raw: Peer,
    pub(super) nodes: u64,
}

impl Content {
    pub(super) fn make(setup: &Setup, dir: &Path) -> Result<Self> {
        let nodes = setup.choose(20_000, 50_000);
        println!(
            "content    {nodes} nodes with 5 properties and {DEGREE} relationships each, cache {} MiB a side",
            CACHE_BYTES >> 20
        );
        setup.progress("content: write and compact");
        let builder = Database::builder()
            .create_if_missing(true)
            .durability(Durability::Periodic(Duration::from_secs(24 * 3600)))
            .cache_bytes(CACHE_BYTES);
        let (our_dir, raw_dir) = (dir.join("ours"), dir.join("raw"));
        let db = builder.clone().open(&our_dir)?;
        db.create_constraint(
            Constraint::on_nodes("Person")
                .unique(["email"])
                .named("email"),
        )?;
        write(&db, setup.seed, nodes)?;
        db.compact(&mut Watch::quiet())?;
        db.close()?;
        files::copy_database(&our_dir.join("store"), &raw_dir)?;
        let ours = builder.open(&our_dir)?;
        let raw = Peer::open_like(&our_dir.join("store"), &raw_dir, CACHE_BYTES)?;
        Ok(Self { ours, raw, nodes })
    }
}

/// The unique property of a node.
pub(super) fn email(number: u64) -> String {
    format!("person{number}@example.org")
}

fn write(db: &Database, seed: u64, nodes: u64) -> Result<()> {
    const PER_COMMIT: u64 = 1000;
    let mut random = fastrand::Rng::with_seed(seed);
    for first in (0..nodes).step_by(PER_COMMIT as usize) {
        let mut txn = db.write()?;
        for number in first..(first + PER_COMMIT).min(nodes) {
            txn.create_node(
                ["Person"],
                [
                    ("email", Value::from(email(number))),
                    (
                        "name",
                        Value::from(format!("Person {}", random.u32(..100_000))),
                    ),
                    ("age", Value::from(random.i64(0..100))),
                    ("score", Value::from(random.f64())),
                    ("active", Value::from(random.bool())),
                ],
            )?;
        }
        txn.commit()?;
    }
    for first in (0..nodes).step_by(PER_COMMIT as usize / DEGREE as usize) {
        let mut txn = db.write()?;
        for source in first..(first + PER_COMMIT / DEGREE).min(nodes) {
            for _ in 0..DEGREE {
                let target = NodeId::new(random.u64(..nodes));
                txn.create_relationship(
                    NodeId::new(source),
                    "KNOWS",
                    target,
                    stratigraph::NO_PROPERTIES,
                )?;
            }
        }
        txn.commit()?;
    }
    Ok(())
}
