//! Asks queries of random graphs, of as many as are asked for, on all processors.
//!
//! Next: `laws.rs`.

use super::case::{Case, Stored};
use super::model::Found;
use super::wording;
use std::io::Write as _;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use stratigraph::{Database, Error, NodeId, Parameters, QueryOptions, Row, Value, WriteTxn};

/// How many graphs there are if nothing else is said.
const USUAL: u64 = 150;
/// How many differences are shown.
const SHOWN: usize = 3;

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap())
}

/// The seeds of the graphs that are asked for.
pub(super) fn seeds(usual: u64) -> Range<u64> {
    match number("STRATIGRAPH_TRAVERSE_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("STRATIGRAPH_TRAVERSE_GRAPHS").unwrap_or(usual),
    }
}

/// Checks something on every graph. It tells how many differed if it was asked for a number of graphs, and fails
/// if any did.
pub(super) fn over_graphs(
    what: &str,
    check: impl Fn(&mut WriteTxn, u64) -> Result<(), String> + Sync,
) {
    let is_asked = number("STRATIGRAPH_TRAVERSE_GRAPHS").is_some();
    let seeds = seeds(USUAL);
    let next = AtomicU64::new(seeds.start);
    let differences = AtomicU64::new(0);
    let shown = Mutex::new(Vec::new());
    let work = || {
        let database = Database::in_memory().unwrap();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if !seeds.contains(&seed) {
                return;
            }
            let _told = ToldIfItPanics(seed);
            let mut txn = database.write().unwrap();
            if let Err(difference) = check(&mut txn, seed) {
                differences.fetch_add(1, Ordering::Relaxed);
                let mut shown = shown.lock().unwrap();
                if shown.len() < SHOWN {
                    shown.push(format!("seed {seed}: {difference}"));
                }
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    let differences = differences.into_inner();
    if is_asked {
        // Not through `println!`, which is not shown of tests that pass.
        let graphs = seeds.end - seeds.start;
        let line = format!("traverse graphs={graphs} {what} differences={differences}\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    let shown = shown.into_inner().unwrap();
    assert_eq!(differences, 0, "{what}\n{}", shown.join("\n"));
}

struct ToldIfItPanics(u64);

impl Drop for ToldIfItPanics {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}", self.0);
        }
    }
}

/// Fails with what differs.
pub(super) fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &T,
    expected: &T,
) -> Result<(), String> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("{what}: {found:?} is not {expected:?}")),
    }
}

/// A graph that queries are asked of.
pub(super) struct Asked<'a> {
    txn: &'a mut WriteTxn,
    pub(super) stored: Stored,
}

/// A node's place, and perhaps its level and its score.
pub(super) type NodeRow = (usize, Option<i64>, Option<f64>);

/// What a traversal gives, or the detail of its error.
pub(super) type Answer = Result<Vec<Found>, String>;

impl<'a> Asked<'a> {
    /// Of the graph of a case.
    pub(super) fn new(txn: &'a mut WriteTxn, case: &Case) -> Self {
        let stored = case.store(txn);
        Self { txn, stored }
    }

    /// What a case gives: by the clause, without the rules, and by the twin if that can say it. They have to agree
    /// row for row.
    pub(super) fn traverse(&mut self, case: &Case) -> Result<Answer, String> {
        let (text, parameters) = wording::clause(case, &self.stored.nodes);
        let clause = self.rows(&text, parameters.clone(), true);
        let plain = self.rows(&text, parameters, false);
        let what = |who| format!("{who} of {text}\n{case:?}");
        same(&what("without the rules"), &plain, &clause)?;
        if let Some((twin, parameters)) = wording::twin(case, &self.stored.nodes) {
            let twin = self.rows(&twin, parameters, true);
            same(&what("the twin"), &twin, &clause)?;
        }
        Ok(clause)
    }

    /// The rows of a case that is no mistake.
    pub(super) fn found(&mut self, case: &Case) -> Result<Vec<Found>, String> {
        let answer = self.traverse(case)?;
        answer.map_err(|detail| format!("{detail} of {case:?}"))
    }

    fn rows(&mut self, text: &str, parameters: Parameters, optimise: bool) -> Answer {
        let options = QueryOptions::new().optimise(optimise);
        let nodes = &self.stored.nodes;
        let rows = match self.txn.query_with(text, parameters, &options) {
            Ok(rows) => rows,
            Err(error) => return Err(detail(error, text)),
        };
        rows.map(|row| match row {
            Ok(row) => Ok(found(&row, nodes)),
            Err(error) => Err(detail(error, text)),
        })
        .collect()
    }

    /// Rows of a node, and perhaps a level and a score.
    pub(super) fn nodes(
        &mut self,
        (text, parameters): (String, Parameters),
    ) -> Result<Vec<NodeRow>, String> {
        let nodes = &self.stored.nodes;
        let failed = |error| format!("{text}: {error}");
        let rows = self.txn.query(&text, parameters).map_err(failed)?;
        rows.map(|row| {
            let row = row.map_err(failed)?;
            let values = row.values();
            let place = place(&values[0], nodes).unwrap();
            let level = values.get(1).and_then(Value::as_int);
            Ok((place, level, values.get(2).and_then(Value::as_float)))
        })
        .collect()
    }
}

fn detail(error: Error, text: &str) -> String {
    match error {
        Error::Query(error) => error.detail().name().to_owned(),
        error => panic!("{text}: {error}"),
    }
}

/// The place of a node in its case.
fn place(value: &Value, nodes: &[NodeId]) -> Option<usize> {
    match value {
        Value::Null => None,
        Value::Node(node) => nodes.iter().position(|id| *id == node.id()),
        other => panic!("{other} is no node"),
    }
}

/// A row, with the places of nodes in the case for their ids.
fn found(row: &Row, nodes: &[NodeId]) -> Found {
    let [node, level, score, status, parent, edge, path, roots, rank] = row.values() else {
        panic!("nine columns");
    };
    let Value::Path(path) = path else {
        panic!("{path} is no path");
    };
    let Value::List(roots) = roots else {
        panic!("{roots} is no list");
    };
    let place = |value: &Value| place(value, nodes);
    Found {
        node: place(node).unwrap(),
        level: level.as_int().unwrap(),
        score: score.as_float(),
        status: status.as_str().unwrap().to_owned(),
        parent: place(parent),
        edge: match edge {
            Value::Relationship(edge) => Some(edge.id().get()),
            _ => None,
        },
        path: path
            .nodes()
            .iter()
            .map(|node| place(&Value::Node(node.clone())).unwrap())
            .collect(),
        roots: roots.iter().map(|root| place(root).unwrap()).collect(),
        rank: rank.as_int().unwrap(),
    }
}
