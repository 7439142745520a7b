//! Our side, in a process of its own like the others': the same requests on standard input, the same answers.

use super::data::{DIMENSIONS, Data, K, LEVELS, WALKS};
use crate::measure::cpu_time;
use crate::measure::rest::until_quiet;
use anyhow::{Context, Result, bail};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::io::{BufRead, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::time::Instant;
use stratigraph::storage::cancel::Watch;
use stratigraph::{
    BulkOptions, Database, Effort, Index, NO_PROPERTIES, NodeId, Parameters, Prepared,
    QueryOptions, Read, Value, Vector, VectorIndex, VectorIndexState, VectorSearch,
};

const INDEX: &str = "near";
const HITS: &str = "MATCH (n) SEARCH n IN (VECTOR INDEX near FOR $q LIMIT 10) RETURN n.id";
const HOPS: &str = "MATCH (n) SEARCH n IN (VECTOR INDEX near FOR $q LIMIT 10) \
     MATCH (n)-[:LINK]->()-[:LINK]->(m) RETURN DISTINCT m.id";
const DESCENT: &str = "MATCH (r:Node {id: 0}) \
     TRAVERSE FROM r UNFILTERED STEP (a)-[:CHILD]->(b:Node) LEVELS 0..4 \
     SCORE vector.cosine(b.v, $q) KEEP WHERE score > $tau YIELD level \
     WITH level WHERE level > 0 RETURN level, count(*)";

/// Answers until the input ends.
pub(super) fn serve(folder: &Path, data: &Path) -> Result<()> {
    let mut side = Side {
        folder: folder.to_owned(),
        data: Data::read(data)?,
        db: None,
        names: HashMap::new(),
    };
    for line in stdin().lock().lines() {
        let request: Json = serde_json::from_str(&line?)?;
        let said = match side.answer(&request) {
            Ok(said) => said,
            Err(error) => json!({ "failed": format!("{error:#}") }),
        };
        say(&said)?;
        if request["do"] == "close" {
            break;
        }
    }
    Ok(())
}

fn say(line: &Json) -> Result<()> {
    let mut output = stdout().lock();
    writeln!(output, "{line}")?;
    Ok(output.flush()?)
}

/// Time by the wall, and of the processors for all threads.
struct Clock(Instant, f64);

impl Clock {
    fn start() -> Self {
        Self(Instant::now(), cpu_time::of_process())
    }

    fn cpu(&self) -> f64 {
        cpu_time::of_process() - self.1
    }

    fn wall(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

struct Side {
    folder: PathBuf,
    data: Data,
    db: Option<Database>,
    /// The data's number of each node.
    names: HashMap<NodeId, u32>,
}

impl Side {
    fn answer(&mut self, request: &Json) -> Result<Json> {
        let number = |name: &str| request[name].as_u64().map(|number| number as usize);
        match request["do"].as_str().context("nothing to do")? {
            "tell" => Ok(json!({ "version": env!("CARGO_PKG_VERSION"), "linked_behind": true })),
            "load" => self.load(),
            "batches" => self.batches(
                number("rows").context("no rows")?,
                number("batch").context("no batch")?,
            ),
            "open" => self.reopen(),
            "search" => self.search(
                number("ef").context("no ef")?,
                number("below").map(|below| below as i64),
            ),
            "hops" => self.hops(),
            "descend" => self.descend(),
            "churn" => self.churn(),
            "back up" => self.back_up(),
            "close" => match self.db.take() {
                Some(db) => {
                    db.close()?;
                    Ok(json!({}))
                }
                None => Ok(json!({})),
            },
            other => bail!("nobody can {other}"),
        }
    }

    fn db(&self) -> Result<&Database> {
        self.db.as_ref().context("no database is open")
    }

    fn create(&mut self) -> Result<&Database> {
        // One thread links, as the others build.
        let builder = Database::builder().create_if_missing(true);
        let db = builder.vector_threads(1).open(&self.folder)?;
        Ok(self.db.insert(db))
    }

    /// As fast as it can: a bulk load, and the indexes over what is there.
    fn load(&mut self) -> Result<Json> {
        let all = Clock::start();
        self.create()?;
        let (data, db) = (&self.data, self.db()?);
        let mut load = db.bulk_load_with(BulkOptions::new().threads(1))?;
        for node in 0..data.nodes() {
            load.add_node(["Node"], properties(data, node)?)?;
        }
        let nodes_s = all.wall();
        for [from, to] in data.edges.as_chunks::<2>().0 {
            load.add_relationship(id(*from), "LINK", id(*to), NO_PROPERTIES)?;
        }
        for (node, above) in data.parents.iter().enumerate().skip(1) {
            load.add_relationship(id(*above), "CHILD", id(node as u32), NO_PROPERTIES)?;
        }
        load.finish(&mut Watch::quiet())?;
        let graph_s = all.wall();
        declare(db)?;
        let (seconds, cpu) = (all.wall(), all.cpu());
        self.names = (0..data.nodes() as u32)
            .map(|node| (id(node), node))
            .collect();
        Ok(json!({
            "seconds": seconds, "cpu": cpu, "nodes_s": nodes_s,
            "edges_s": graph_s - nodes_s, "index_s": seconds - graph_s,
        }))
    }

    /// In durable transactions, searchable as they come; each is said once it is acknowledged.
    fn batches(&mut self, rows: usize, batch: usize) -> Result<Json> {
        self.create()?;
        let (data, db) = (&self.data, self.db()?);
        declare(db)?;
        let mut ids: Vec<NodeId> = Vec::with_capacity(rows);
        for start in (0..rows).step_by(batch) {
            let end = (start + batch).min(rows);
            let mut txn = db.write()?;
            for node in start..end {
                ids.push(txn.create_node(["Node"], properties(data, node)?)?);
                if node > 0 {
                    let above = ids[data.parents[node] as usize];
                    txn.create_relationship(above, "CHILD", ids[node], NO_PROPERTIES)?;
                }
            }
            txn.commit()?;
            say(&json!({ "acknowledged": end }))?;
        }
        Ok(json!({ "done": true }))
    }

    /// Opens, and answers one query. What no snapshot of the index has is compared until it is linked, and so it is told as well
    /// when that is done.
    fn reopen(&mut self) -> Result<Json> {
        let clock = Clock::start();
        let db = Database::builder().vector_threads(1).open(&self.folder)?;
        let db = self.db.insert(db);
        let search = VectorSearch::new(self.data.query(0), K);
        db.read()?.search_vectors(INDEX, &search)?;
        let seconds = clock.wall();
        let linked_s = match has_unlinked(db)? {
            true => {
                db.wait_for_vector_index(INDEX, &mut Watch::quiet())?;
                db.tend_vector_index(INDEX)?;
                Some(clock.wall())
            }
            false => None,
        };
        let edges = single(db, "MATCH (:Node)-[r:CHILD]->(:Node) RETURN count(*)")?;
        self.names.clear();
        for row in db.query("MATCH (n:Node) RETURN id(n), n.id", ())? {
            let row = row?.into_values();
            if let [Value::Int(id), Value::Int(name)] = row[..] {
                self.names
                    .insert(NodeId::new(u64::try_from(id)?), u32::try_from(name)?);
            }
        }
        let nodes = self.names.len();
        Ok(json!({ "seconds": seconds, "linked_s": linked_s, "nodes": nodes, "edges": edges }))
    }

    fn search(&self, ef: usize, below: Option<i64>) -> Result<Json> {
        let db = self.db()?;
        let mut found = Vec::with_capacity(self.data.query_count());
        let clock = Clock::start();
        for query in 0..self.data.query_count() {
            let mut search =
                VectorSearch::new(self.data.query(query), K).effort(Effort::Breadth(ef));
            if let Some(below) = below {
                search = search.where_range("bucket", ..Value::from(below));
            }
            found.push(db.read()?.search_vectors(INDEX, &search)?);
        }
        let (seconds, cpu) = (clock.wall(), clock.cpu());
        let ids: Vec<Vec<u32>> = found
            .iter()
            .map(|answer| {
                let nodes = answer.hits.iter().filter_map(|hit| hit.entity.node());
                nodes
                    .filter_map(|node| self.names.get(&node).copied())
                    .collect()
            })
            .collect();
        Ok(json!({ "seconds": seconds, "cpu": cpu, "ids": ids }))
    }

    /// One statement from the query to what is two steps from its hits.
    fn hops(&self) -> Result<Json> {
        let (hops, hits) = (self.prepared(HOPS)?, self.prepared(HITS)?);
        let mut reached = Vec::new();
        let clock = Clock::start();
        for query in 0..WALKS {
            reached.push(numbers(&hops, self.asked(query, None)?)?);
        }
        let (seconds, cpu) = (clock.wall(), clock.cpu());
        let hits = (0..WALKS).map(|query| numbers(&hits, self.asked(query, None)?));
        let hits: Vec<Vec<i64>> = hits.collect::<Result<_>>()?;
        Ok(json!({ "seconds": seconds, "cpu": cpu, "hits": hits, "reached": reached }))
    }

    fn descend(&self) -> Result<Json> {
        let descent = self.prepared(DESCENT)?;
        let mut levels = Vec::new();
        let clock = Clock::start();
        for way in &self.data.descents {
            let mut counts = vec![0; LEVELS - 1];
            for row in descent.query(self.asked(way.query, Some(way.tau))?)? {
                if let [Value::Int(level), Value::Int(count)] = row?.into_values()[..] {
                    counts[usize::try_from(level)? - 1] = count;
                }
            }
            levels.push(counts);
        }
        Ok(json!({ "seconds": clock.wall(), "cpu": clock.cpu(), "levels": levels }))
    }

    /// Deletes and replaces, a thousand a commit, until searches see all of it.
    fn churn(&self) -> Result<Json> {
        let (data, db) = (&self.data, self.db()?);
        let ids: HashMap<u32, NodeId> = self.names.iter().map(|(id, name)| (*name, *id)).collect();
        let known = |node: &u32| ids.get(node).copied().context("a node is missing");
        let clock = Clock::start();
        for nodes in data.deleted.chunks(1_000) {
            let mut txn = db.write()?;
            for node in nodes {
                txn.detach_delete_node(known(node)?)?;
            }
            txn.commit()?;
        }
        let vectors = data.update_vectors.chunks(1_000 * DIMENSIONS);
        for (nodes, vectors) in data.updated.chunks(1_000).zip(vectors) {
            let mut txn = db.write()?;
            for (node, vector) in nodes.iter().zip(vectors.chunks_exact(DIMENSIONS)) {
                txn.set_property(known(node)?, "v", Vector::new(vector)?)?;
            }
            txn.commit()?;
        }
        db.tend_vector_index(INDEX)?;
        Ok(json!({ "seconds": clock.wall(), "cpu": clock.cpu() }))
    }

    /// Into a folder beside its own; what a backup before it has is not copied again. Not while files are merged, which are
    /// others afterwards.
    fn back_up(&self) -> Result<Json> {
        until_quiet();
        let clock = Clock::start();
        let into = self.folder.with_extension("backups");
        let made = self.db()?.backup(into, &mut Watch::quiet())?;
        Ok(json!({ "seconds": clock.wall(), "bytes": made.new_bytes }))
    }

    fn prepared(&self, text: &str) -> Result<Prepared> {
        Ok(self
            .db()?
            .prepare_with(text, &QueryOptions::new().threads(1))?)
    }

    fn asked(&self, query: usize, tau: Option<f32>) -> Result<Parameters> {
        let mut parameters = Parameters::new();
        parameters.insert("q", Value::from(Vector::new(self.data.query(query))?));
        if let Some(tau) = tau {
            parameters.insert("tau", Value::from(f64::from(tau)));
        }
        Ok(parameters)
    }
}

fn id(node: u32) -> NodeId {
    NodeId::new(node.into())
}

fn properties(data: &Data, node: usize) -> Result<[(&'static str, Value); 3]> {
    Ok([
        ("id", Value::from(node as i64)),
        ("bucket", Value::from(i64::from(data.buckets[node]))),
        ("v", Value::from(Vector::new(data.vector(node))?)),
    ])
}

/// What nodes are looked up by.
fn declare(db: &Database) -> Result<()> {
    db.create_index(Index::on_nodes("Node", ["id"]))?;
    let near = VectorIndex::on_nodes("Node", "v", DIMENSIONS).named(INDEX);
    Ok(db.create_vector_index(near.filterable(["bucket"]))?)
}

/// Whether opening had to take vectors from elsewhere than a snapshot of their index.
fn has_unlinked(db: &Database) -> Result<bool> {
    let indexes = db.vector_indexes()?;
    Ok(indexes
        .iter()
        .any(|index| index.journaled > 0 || !matches!(index.state, VectorIndexState::Ready)))
}

fn single(db: &Database, text: &str) -> Result<i64> {
    for row in db.query(text, ())? {
        if let [Value::Int(number)] = row?.into_values()[..] {
            return Ok(number);
        }
    }
    bail!("no number")
}

fn numbers(prepared: &Prepared, parameters: Parameters) -> Result<Vec<i64>> {
    prepared
        .query(parameters)?
        .map(|row| match row?.into_values()[..] {
            [Value::Int(number)] => Ok(number),
            _ => bail!("not a number"),
        })
        .collect()
}
