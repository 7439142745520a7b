//! Nodes and relationships without vectors, in a database of their own: loaded, looked up, walked along, opened, changed.
//!
//! Nothing here may grow with the graph: what is loaded is made one by one, so that ten million nodes and a hundred million
//! relationships need no more memory than the database takes.

use super::super::data::{BUCKETS, DEGREE};
use super::super::life::size_of;
use super::{Timed, least, on_processors};
use crate::measure::rest::until_quiet;
use anyhow::{Result, ensure};
use fastrand::Rng;
use std::path::Path;
use std::time::Instant;
use stratigraph::storage::cancel::Watch;
use stratigraph::{
    BulkOptions, Database, Index, NO_PROPERTIES, NodeId, Parameters, QueryOptions, Value,
};

/// Nodes that are asked for, each in a statement of its own.
const ASKED: usize = 500;
/// Changed so many, a thousand in a commit.
const CHANGED: usize = 20_000;
/// So many nodes more, each with its relationships in a commit of its own.
const MORE: usize = 200;
const WALL: &str = "s of the wall clock";
const NODE: &str = "MATCH (n:Node {id: $id}) RETURN n.bucket";
/// What is asked of each node, and what it is called in the table.
const QUERIES: [(&str, &str); 3] = [
    ("graph: a node by its number", NODE),
    (
        "graph: its neighbours",
        "MATCH (:Node {id: $id})-[:LINK]->(m) RETURN m.id",
    ),
    (
        "graph: two hops, counted",
        "MATCH (:Node {id: $id})-[:LINK]->()-[:LINK]->(m) RETURN count(DISTINCT m)",
    ),
];

/// So many nodes in a database of their own.
pub(super) fn at_size(folder: &Path, nodes: usize, seed: u64) -> Result<Vec<Timed>> {
    let folder = folder.join("graph");
    let count = u32::try_from(nodes)?;
    let mut all: Vec<Timed> = Vec::new();
    let mut put = |name: &str, unit, value| all.push((name.to_owned(), unit, value));
    // Without the reserve for a full disk, here and when it is opened again: it would hide how small a small graph is, and
    // who opens would make it.
    let builder = Database::builder().disk_reserve_bytes(0);
    let db = builder.clone().create_if_missing(true).open(&folder)?;
    let begun = Instant::now();
    load(&db, count, seed)?;
    let loaded = begun.elapsed().as_secs_f64();
    put("graph: load", WALL, loaded);
    let begun = Instant::now();
    db.create_index(Index::on_nodes("Node", ["id"]))?;
    let indexed = begun.elapsed().as_secs_f64();
    put("graph: index of numbers", WALL, indexed);
    until_quiet();
    let mut random = Rng::with_seed(!seed);
    let mut some = |many: usize| -> Vec<u32> { (0..many).map(|_| random.u32(..count)).collect() };
    let asked = some(ASKED);
    for (name, text) in QUERIES {
        put(name, "us", timed(&db, text, &asked)?);
    }
    db.close()?;
    put("graph: on the disk", "MB", size_of(&folder)? as f64 / 1e6);
    let begun = Instant::now();
    let db = builder.open(&folder)?;
    ask(&db, NODE, &asked[..1])?;
    let opened = begun.elapsed().as_secs_f64();
    put("graph: open, and a node", "ms", opened * 1e3);
    let changed = change(&db, &some(CHANGED))?;
    put("graph: a change", "us of the wall clock", changed);
    let ends = some(MORE * DEGREE as usize);
    let added = add(&db, count, &ends)?;
    put(
        "graph: a node more, in a commit",
        "us of the wall clock",
        added,
    );
    db.close()?;
    Ok(all)
}

/// Nodes with a number and one to filter by, and as many relationships by chance as beside the peers.
fn load(db: &Database, nodes: u32, seed: u64) -> Result<()> {
    let mut random = Rng::with_seed(seed);
    let mut load = db.bulk_load_with(BulkOptions::new().threads(1))?;
    for node in 0..nodes {
        load.add_node(["Node"], properties(node, random.u32(..BUCKETS)))?;
    }
    for _ in 0..u64::from(nodes) * u64::from(DEGREE) {
        let from = random.u32(..nodes);
        // Nobody leads to itself.
        let to = (from + random.u32(1..nodes)) % nodes;
        load.add_relationship(id(from), "LINK", id(to), NO_PROPERTIES)?;
    }
    load.finish(&mut Watch::quiet())?;
    Ok(())
}

/// Microseconds of the processors for each of these nodes.
fn timed(db: &Database, text: &str, nodes: &[u32]) -> Result<f64> {
    least(nodes.len(), || on_processors(|| ask(db, text, nodes)))
}

fn ask(db: &Database, text: &str, nodes: &[u32]) -> Result<()> {
    let prepared = db.prepare_with(text, &QueryOptions::new().threads(1))?;
    let mut found = 0;
    for node in nodes {
        let mut parameters = Parameters::new();
        parameters.insert("id", Value::from(*node));
        for row in prepared.query(parameters)? {
            found += row?.into_values().len();
        }
    }
    ensure!(found > 0, "nothing is found by {text}");
    Ok(())
}

/// Microseconds for each of these nodes.
fn change(db: &Database, nodes: &[u32]) -> Result<f64> {
    let begun = Instant::now();
    for some in nodes.chunks(1_000) {
        let mut txn = db.write()?;
        for node in some {
            txn.set_property(id(*node), "bucket", Value::from(BUCKETS))?;
        }
        txn.commit()?;
    }
    Ok(begun.elapsed().as_secs_f64() * 1e6 / nodes.len() as f64)
}

/// Microseconds for each of the nodes that are added behind all others, with relationships to these.
fn add(db: &Database, first: u32, ends: &[u32]) -> Result<f64> {
    let begun = Instant::now();
    let mut count = 0;
    for ends in ends.chunks(DEGREE as usize) {
        let mut txn = db.write()?;
        let node = txn.create_node(["Node"], properties(first + count, 0))?;
        for end in ends {
            txn.create_relationship(node, "LINK", id(*end), NO_PROPERTIES)?;
        }
        txn.commit()?;
        count += 1;
    }
    Ok(begun.elapsed().as_secs_f64() * 1e6 / f64::from(count))
}

/// Ids are given one after the other, from 0 on.
fn id(node: u32) -> NodeId {
    NodeId::new(node.into())
}

fn properties(node: u32, bucket: u32) -> [(&'static str, Value); 2] {
    [("id", Value::from(node)), ("bucket", Value::from(bucket))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_graph_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let timed = at_size(folder.path(), 2_000, 1).unwrap();
        let mut names: Vec<&str> = timed.iter().map(|(name, ..)| name.as_str()).collect();
        assert!(names.iter().all(|name| name.starts_with("graph: ")));
        names.dedup();
        assert_eq!(names.len(), 9);
        assert!(timed.iter().all(|(.., value)| *value > 0.0), "{timed:?}");
    }

    #[test]
    fn what_is_loaded_is_a_graph() {
        use stratigraph::Read as _;
        let folder = tempfile::tempdir().unwrap();
        let db = Database::create(folder.path().join("graph")).unwrap();
        load(&db, 1_000, 7).unwrap();
        assert_eq!(db.read().unwrap().node_count(Some("Node")).unwrap(), 1_000);
        let rows = db.query(
            "MATCH (a)-[r:LINK]->(b) WHERE id(a) <> id(b) RETURN count(r)",
            (),
        );
        let rows: Vec<Value> = rows
            .unwrap()
            .flat_map(|row| row.unwrap().into_values())
            .collect();
        assert!(matches!(rows[..], [Value::Int(10_000)]), "{rows:?}");
    }
}
