//! `txn_vs_raw`: batches of 1,000 nodes with five properties and 1,000 relationships, sync off.
//!
//! Ours goes through the graph: names, ends, degrees, sets, counts, one unique constraint. Raw puts
//! the very pairs that ours writes, sorted and encoded beforehand, into a plain `WriteBatch`. Both
//! write buffers hold everything, so that neither side's flush falls into the other's round.

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
use stratigraph::{Constraint, Database, Durability, NodeId, Value, WriteTxn};

const BATCH: u64 = 1000;
const CACHE_BYTES: usize = 64 << 20;
/// Larger than all that is written here.
const WRITE_BUFFER_BYTES: usize = 2 << 30;

/// What a batch writes, encoded: family, key, value.
type Pairs = Vec<(Family, Vec<u8>, Option<Vec<u8>>)>;

pub(super) fn measure(setup: &Setup, dir: &Path, report: &mut Report) -> Result<()> {
    let (rounds, batches) = setup.choose((9, 20), (21, 50));
    println!(
        "insert     {rounds} rounds of {batches} batches of {BATCH} nodes and {BATCH} relationships"
    );
    let db = Database::builder()
        .create_if_missing(true)
        .durability(Durability::Periodic(Duration::from_secs(24 * 3600)))
        .write_buffer_bytes(WRITE_BUFFER_BYTES)
        .cache_bytes(CACHE_BYTES)
        .open(dir.join("ours"))?;
    // Does the same in memory beforehand, to know which pairs a batch will write.
    let shadow = Database::in_memory()?;
    for db in [&db, &shadow] {
        db.create_constraint(Constraint::on_nodes("Person").unique(["email"]))?;
    }
    let peer = Peer::open_like(&dir.join("ours/store"), &dir.join("raw"), CACHE_BYTES)?;
    let families = peer.families()?;
    let mut no_sync = WriteOptions::default();
    no_sync.set_sync(false);
    let (mut our_allocations, mut raw_allocations) = (0, 0);
    let mut pairs_written = 0;
    let measured = Rounds::run(
        rounds,
        |round| {
            setup.progress(&format!("insert: round {round} of {rounds}"));
            let first = (round * batches) as u64 * BATCH;
            let people: Vec<Vec<Person>> = (0..batches as u64)
                .map(|batch| people(setup.seed, first + batch * BATCH))
                .collect();
            let mut encoded = Vec::new();
            for batch in &people {
                let mut txn = shadow.write()?;
                insert(&mut txn, batch)?;
                let pairs: Pairs = txn
                    .changes()?
                    .map(|(family, key, value)| (family, key.to_vec(), value.map(<[u8]>::to_vec)))
                    .collect();
                txn.commit()?;
                encoded.push(pairs);
            }
            pairs_written = encoded.iter().map(Vec::len).sum();
            Ok((people, encoded))
        },
        |(people, _)| {
            let (begun, before) = (Instant::now(), allocations::so_far());
            for batch in people {
                let mut txn = db.write()?;
                insert(&mut txn, batch)?;
                txn.commit()?;
            }
            our_allocations = allocations::so_far() - before;
            Ok(begun.elapsed())
        },
        |(_, encoded)| {
            let (begun, before) = (Instant::now(), allocations::so_far());
            for pairs in encoded {
                let mut log_record = WriteBatch::default();
                for (family, key, value) in pairs {
                    match value {
                        Some(value) => log_record.put_cf(families[family.index()], key, value),
                        None => log_record.delete_cf(families[family.index()], key),
                    }
                }
                peer.db.write_opt(log_record, &no_sync)?;
            }
            raw_allocations = allocations::so_far() - before;
            Ok(begun.elapsed())
        },
    )?;
    let nodes = (batches as u64 * BATCH) as f64;
    let rates = measured.map(|seconds| nodes / seconds);
    report.compare("txn_vs_raw", &rates, "nodes/s", Some(Mark::AtLeast(0.35)));
    let (ours, raw) = (
        our_allocations as f64 / nodes,
        raw_allocations as f64 / nodes,
    );
    report.count("txn_allocations", ours, Some(raw), "per node", None);
    report.count(
        "txn_pairs",
        pairs_written as f64 / nodes,
        None,
        "per node",
        None,
    );
    db.close()?;
    Ok(())
}

struct Person {
    email: String,
    name: String,
    age: i64,
    score: f64,
    active: bool,
    /// A node before this one; itself for the first.
    knows: NodeId,
}

fn people(seed: u64, first: u64) -> Vec<Person> {
    let mut random = fastrand::Rng::with_seed(seed ^ first);
    (first..first + BATCH)
        .map(|number| Person {
            email: format!("person{number}@example.org"),
            name: format!("Person {}", random.u32(..100_000)),
            age: random.i64(0..100),
            score: random.f64(),
            active: random.bool(),
            knows: NodeId::new(random.u64(..=number)),
        })
        .collect()
}

fn insert(txn: &mut WriteTxn, people: &[Person]) -> Result<()> {
    for person in people {
        let node = txn.create_node(
            ["Person"],
            [
                ("email", Value::from(person.email.as_str())),
                ("name", Value::from(person.name.as_str())),
                ("age", Value::from(person.age)),
                ("score", Value::from(person.score)),
                ("active", Value::from(person.active)),
            ],
        )?;
        txn.create_relationship(node, "KNOWS", person.knows, [("since", 2000 + person.age)])?;
    }
    Ok(())
}
