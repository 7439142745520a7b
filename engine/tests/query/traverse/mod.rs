//! TRAVERSE in queries beside its definition, and its laws, on random graphs: the clause, without the rules, and
//! as its twin `rag.traverse`.
//!
//! The machine below is tested by itself in `algo::traverse`; here it is what queries make of it. A hundred and
//! fifty graphs if nothing else is said. `STRATIGRAPH_TRAVERSE_GRAPHS=100000` asks for more and tells how it went, and
//! `STRATIGRAPH_TRAVERSE_SEED` sees one again:
//!
//! ```sh
//! STRATIGRAPH_TRAVERSE_GRAPHS=100000 cargo test --release -p stratigraph --test query traverse::laws
//! ```
//!
//! | what | where |
//! |---|---|
//! | a random graph and a random traversal | `case.rs` |
//! | the definition, written down slowly | `model.rs` |
//! | a case as the clause, as its twin, as a quantified path | `wording.rs` |
//! | running them over many graphs | `graphs.rs` |
//! | what has to hold | `laws.rs` |
//! | RECOVER by codes beside RECOVER by vectors | `by_codes.rs` |
//!
//! Next: `case.rs`.

mod by_codes;
mod case;
mod graphs;
mod laws;
mod model;
mod picture;
mod wording;

use std::sync::{Arc, Mutex};
use stratigraph::algo::traverse::BudgetUnit;
use stratigraph::{HostFunction, ProcedureType, QueryOptions, Value};

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
        let [report] = summary.traversals() else {
            panic!("{:?}", summary.traversals());
        };
        let budget = report.budget.unwrap();
        assert_eq!(
            (budget.limit, budget.unit),
            (most as u64, BudgetUnit::Nodes)
        );
        assert_eq!(
            (
                report.levels,
                report.candidates,
                budget.used,
                report.truncated
            ),
            (most as u64, most as u64, most as u64, truncated)
        );
    }
}

/// Neither backquotes nor backslashes end the name of a property: what follows them is no part of the clause.
#[test]
fn a_property_of_the_twin_is_a_name_whatever_it_is_made_of() {
    let text = "MATCH (r:R) CALL rag.traverse(r, {step: '(a)-[:E]->(b)', \
                score: {property: $name, query: [1.0, 0.0]}, keep: {above: 0.9}}) YIELD node RETURN node";
    for name in [
        r"a\b",
        r"a\",
        "a`b",
        r"a\`b",
        r"a\`, $query) KEEP TOP 1 YIELD node RETURN node //",
    ] {
        let database = super::database(&["CREATE (:R)-[:E]->(:N), (:R)-[:E]->(:N {n: 1})"]);
        let rows = database.query(text, [("name", name)]).unwrap();
        assert_eq!(rows.finish().unwrap().rows(), 0, "{name}");
        let set = "MATCH (n) WHERE n.n IS NULL SET n[$name] = vector([1.0, 0.0])";
        let rows = database.query(set, [("name", name)]).unwrap();
        rows.finish().unwrap();
        let rows = database.query(text, [("name", name)]).unwrap();
        assert_eq!(rows.finish().unwrap().rows(), 3, "{name}");
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

/// Sections whose leaves lie far apart: only candidates are read, each once, and each node that is stepped from is looked
/// for once.
#[test]
fn a_level_reads_what_it_scores() {
    let database = super::database(&[
        "CREATE (:Root)",
        "UNWIND range(0, 1599) AS i CREATE (:S {k: i, v: vector([cos(i * 0.7)] + [x IN range(1, 63) | (i * x) % 17 - 8])})",
        "CREATE INDEX s_k FOR (s:S) ON (s.k)",
        "MATCH (r:Root), (s:S) WHERE s.k % 40 = 0 CREATE (r)-[:SUB]->(s)",
        "MATCH (s:S) WHERE s.k % 40 = 0 UNWIND range(1, 39) AS i MATCH (t:S {k: s.k + i}) CREATE (s)-[:SUB]->(t)",
    ]);
    let text = "PROFILE MATCH (r:Root) TRAVERSE FROM r UNFILTERED STEP (a)-[:SUB]->(b:S) LEVELS 0..2 \
                SCORE vector.cosine(b.v, $q) KEEP WHERE score > -2.0 AND ($all OR b.k % 320 = 0) \
                YIELD node, level, score RETURN level, count(*) AS n, sum(score) AS s ORDER BY level";
    let run = |all: bool, optimise: bool| {
        let q: Vec<Value> = (0..64).map(|at| Value::Float(f64::from(at % 5))).collect();
        let options = QueryOptions::new().optimise(optimise);
        let parameters = [("all", Value::Bool(all)), ("q", Value::from(q))];
        let mut rows = database.query_with(text, parameters, &options).unwrap();
        let shown = rows
            .by_ref()
            .map(|row| format!("{:?}", row.unwrap().values()));
        let shown: Vec<String> = shown.collect();
        let summary = rows.finish().unwrap();
        let mut operators = summary.operators().iter();
        let traverse = operators.find(|one| one.text().starts_with("Traverse"));
        (shown, *traverse.unwrap().work().unwrap())
    };
    for (all, steps, scored) in [
        (true, 1 + 40, 1 + 40 + 40 * 39),
        (false, 1 + 5, 1 + 40 + 5 * 39),
    ] {
        let (rows, work) = run(all, true);
        assert_eq!(rows, run(all, false).0);
        assert!(work.distances <= scored, "{work:?}");
        // KEEP reads a property of each.
        assert!(work.seeks <= scored + steps + 10, "{work:?}");
        // A vector with its key, the key of its relationship, and a small record.
        assert!(work.read_bytes < scored * 400 + 20_000, "{work:?}");
    }
}
