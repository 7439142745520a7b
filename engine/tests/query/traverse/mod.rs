//! TRAVERSE in queries beside its definition, on random graphs: the clause, its twin, and without the rules.
//!
//! The machine below is tested by itself in `algo::traverse`; here it is what queries make of it. Four hundred
//! graphs if nothing else is said; `STRATIGRAPH_TRAVERSE_GRAPHS=100000` for more, `STRATIGRAPH_TRAVERSE_SEED`
//! to see one again.
//!
//! Next: `case.rs`.

mod by_codes;
mod case;
mod model;
mod picture;
mod wording;

use case::Case;
use model::Found;
use std::sync::{Arc, Mutex};
use stratigraph::{
    Database, Error, HostFunction, NodeId, Parameters, ProcedureType, QueryOptions, Value, WriteTxn,
};

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap())
}

fn seeds(usual: u64) -> std::ops::Range<u64> {
    match number("STRATIGRAPH_TRAVERSE_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("STRATIGRAPH_TRAVERSE_GRAPHS").unwrap_or(usual),
    }
}

/// What a query gives, with the places of nodes in the case for their ids.
fn answer(
    txn: &mut WriteTxn,
    (text, parameters): (&str, Parameters),
    nodes: &[NodeId],
    optimise: bool,
) -> Result<Vec<Found>, String> {
    let options = QueryOptions::new().optimise(optimise);
    let rows = match txn.query_with(text, parameters, &options) {
        Ok(rows) => rows,
        Err(Error::Query(error)) => return Err(error.detail().name().to_owned()),
        Err(error) => panic!("{text}: {error}"),
    };
    let place = |value: &Value| match value {
        Value::Null => None,
        Value::Node(node) => nodes.iter().position(|id| *id == node.id()),
        other => panic!("{other} is no node"),
    };
    let found = rows.map(|row| {
        let row = row.unwrap();
        let [node, level, score, status, parent, edge, path, roots, rank] = row.values() else {
            panic!("nine columns");
        };
        let Value::Path(path) = path else {
            panic!("{path} is no path");
        };
        let Value::List(roots) = roots else {
            panic!("{roots} is no list");
        };
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
    });
    Ok(found.collect())
}

#[test]
fn the_clause_and_its_twin_say_what_the_definition_says() {
    let database = Database::in_memory().unwrap();
    for seed in seeds(400) {
        let case = Case::random(seed);
        let mut txn = database.write().unwrap();
        let (nodes, edges) = case.store(&mut txn);
        let expected = model::traverse(&case, &edges);
        let clause = wording::clause(&case, &nodes);
        for optimise in [true, false] {
            let (text, parameters) = clause.clone();
            let found = answer(&mut txn, (&text, parameters), &nodes, optimise);
            assert_eq!(
                found, expected,
                "seed {seed}, optimise {optimise}: {text}\n{case:?}"
            );
        }
        if let Some((text, parameters)) = wording::twin(&case, &nodes) {
            let found = answer(&mut txn, (&text, parameters), &nodes, true);
            assert_eq!(found, expected, "seed {seed}, the twin\n{case:?}");
        }
    }
}

#[test]
fn with_a_threshold_alone_it_is_the_quantified_path() {
    let database = Database::in_memory().unwrap();
    for seed in seeds(200) {
        let mut case = Case::random(seed);
        case.only_threshold();
        let mut txn = database.write().unwrap();
        let (nodes, _) = case.store(&mut txn);
        let (text, parameters) = wording::clause(&case, &nodes);
        let found = answer(&mut txn, (&text, parameters), &nodes, true).unwrap();
        let mut found: Vec<usize> = found.into_iter().map(|row| row.node).collect();
        found.sort_unstable();
        let (text, parameters) = wording::quantified(&case, &nodes);
        let rows = txn.query(&text, parameters).unwrap();
        let mut walked: Vec<usize> = rows
            .map(|row| match row.unwrap().values() {
                [Value::Node(node)] => nodes.iter().position(|id| *id == node.id()).unwrap(),
                other => panic!("{other:?}"),
            })
            .collect();
        walked.sort_unstable();
        assert_eq!(found, walked, "seed {seed}\n{case:?}");
    }
}

#[test]
fn a_budget_that_ends_it_is_told() {
    let database = super::database(&["CREATE (:R)-[:E]->(:N)-[:E]->(:N)"]);
    let text = "TRAVERSE FROM (r:R) STEP (a)-[:E]->(b) BUDGET $most NODES ON EXCEED STOP YIELD node RETURN node";
    for (most, truncated) in [(2, true), (3, false)] {
        let rows = database.query(text, [("most", most)]).unwrap();
        let summary = rows.finish().unwrap();
        assert_eq!(
            (summary.rows(), summary.truncated()),
            (most as u64, truncated)
        );
    }
}

#[test]
fn a_function_of_the_host_is_asked_once_for_each_level() {
    let database = super::database(&[
        "CREATE (:R {t: 'r'})-[:E]->(a:N {t: 'a'}), (:R {t: 's'})-[:E]->(b:N {t: 'b'}), (a)-[:E]->(:N {t: 'c'})",
    ]);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let rerank = HostFunction::new("rerank", ProcedureType::FLOAT)
        .takes("text", ProcedureType::STRING)
        .run_batch(move |columns| {
            seen.lock().unwrap().push(columns[0].len());
            Ok(columns[0].iter().map(|_| Value::Float(1.0)).collect())
        });
    database.register_function(rerank).unwrap();
    let text = "TRAVERSE FROM (r:R) STEP (a)-[:E]->(b) SCORE rerank(b.t) KEEP WHERE score > 0.5 YIELD node RETURN node";
    for optimise in [true, false] {
        let options = QueryOptions::new().optimise(optimise);
        let rows = database.query_with(text, (), &options).unwrap();
        assert_eq!(rows.finish().unwrap().rows(), 5);
        assert_eq!(std::mem::take(&mut *asked.lock().unwrap()), [2, 2, 1]);
    }
}

#[test]
fn a_row_gives_back_what_it_held() {
    let database = super::database(&[
        "CREATE (:R)-[:E]->(:N)",
        "MATCH (r:R) UNWIND range(1, 199) AS i CREATE (r)-[:E]->(:N)",
    ]);
    let text = "UNWIND range(1, 500) AS i MATCH (r:R) TRAVERSE FROM r STEP (a)-[:E]->(b) YIELD node RETURN count(*)";
    // Each row needs about 5 KB.
    let options = QueryOptions::new().memory_bytes(256 << 10);
    database
        .query_with(text, (), &options)
        .unwrap()
        .finish()
        .unwrap();
}
