//! A small graph to ask statements of, with indexes of each kind, constraints and a hierarchy, and values for parameters.
//!
//! Time stands still, chance has a seed, and the limit of time counts steps: a statement does the same whenever it
//! runs, on any machine.
//!
//! Next: `templates.rs`, whose labels, types and keys are those of this graph.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use stratigraph::clock::Clock;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, HierarchyOptions, Parameters, QueryOptions, TextIndex, Value};

const GRAPH: &[&str] = &[
    "CREATE INDEX index_k FOR (x:A) ON (x.k)",
    "CREATE INDEX index_t FOR (x:B) ON (x.t, x.k)",
    "CREATE CONSTRAINT unique_t FOR (x:A) REQUIRE x.t IS UNIQUE",
    "CREATE CONSTRAINT typed_m FOR ()-[x:S]-() REQUIRE x.m IS TYPED INTEGER",
    "CREATE (a:A {k: 1, t: 'a', l: [1, 2]}), (b:A:B {k: 2, t: 'ab', d: date('2024-02-29')}),
            (c:B {k: 2, l: ['x'], t: 'k'}), (d:C {k: 0.5, t: 'k'}), (e {k: -1}),
            (a)-[:R {k: 1}]->(b), (a)-[:R {k: 2}]->(b), (b)-[:R]->(c), (c)-[:R {t: 'a'}]->(c),
            (c)-[:S {t: 'x'}]->(a), (a)-[:S]->(d), (a)-[:H]->(b), (b)-[:H]->(d)",
    "CREATE VECTOR INDEX vectors FOR (x) ON x.v WITH [x.k] OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
    "CREATE VECTOR INDEX between FOR ()-[x:R]-() ON x.v \
     OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'euclidean'}}",
    "CREATE FULLTEXT INDEX words FOR (x:B) ON EACH [x.t] OPTIONS {indexConfig: {`fulltext.analyzer`: 'plain'}}",
    // One of the nodes has none, and two are as good as each other.
    "MATCH (x:A {k: 1}) SET x.v = vector([1, 0])",
    "MATCH (x:B) SET x.v = vector([0.6, 0.8])",
    "MATCH (x:C) SET x.v = vector([-1, 0.5])",
    "MATCH ()-[x:R]->() SET x.v = vector([x.k, 1])",
];

/// A new database with the graph in it.
pub fn database() -> Database {
    let database = Database::in_memory().expect("memory");
    database
        .create_hierarchy(HierarchyOptions::new("levels", "H"))
        .expect("nothing is there yet");
    database
        .create_text_index(TextIndex::on_nodes("C", ["t"]).named("texts"))
        .expect("nothing is there yet");
    for statement in GRAPH {
        database.query(statement, ()).expect("a statement of ours");
    }
    database
}

/// Values for the parameters that templates and the document name.
pub fn parameters() -> Parameters {
    let list = |values: &[i64]| {
        let values = values.iter().map(|&value| Value::Int(value));
        Value::list(values.collect::<Vec<_>>()).expect("not deep")
    };
    let map = BTreeMap::from([("k".into(), Value::Int(1)), ("t".into(), "b".into())]);
    let values = [
        ("p", Value::Null),
        ("key", "k".into()),
        ("label", "A".into()),
        (
            "labels",
            Value::list(vec!["A".into(), "C".into()]).expect("not deep"),
        ),
        ("type", "R".into()),
        ("list", list(&[1, 2, 2])),
        ("map", Value::map(map).expect("not deep")),
        ("count", Value::Int(2)),
        ("name", "a".into()),
        ("n", Value::Int(7)),
        ("index", "vectors".into()),
        ("vector", list(&[1, 1])),
    ];
    values.into_iter().collect()
}

/// Calls of functions, an example of each, and the names of all functions.
pub fn callables() -> &'static (Vec<String>, Vec<String>) {
    static CALLABLES: OnceLock<(Vec<String>, Vec<String>)> = OnceLock::new();
    CALLABLES.get_or_init(|| {
        let database = Database::in_memory().expect("memory");
        let rows = database.query("SHOW FUNCTIONS YIELD example, name WHERE example <> ''", ());
        let rows = rows.expect("a statement of ours");
        rows.map(|row| row.and_then(|row| row.to()).expect("two texts"))
            .unzip()
    })
}

/// Steps that a statement may take, in portions of 256: more than small graphs need, less than a second.
const PORTIONS: u64 = 200;

/// Every question about the time is a millisecond, and at one of them somebody stops the query.
struct Steps {
    portions: AtomicU64,
    stop: Option<(u64, CancelToken)>,
}

impl Clock for Steps {
    fn now(&self) -> Duration {
        let now = self.portions.fetch_add(1, Ordering::Relaxed);
        if let Some((at, token)) = &self.stop
            && now >= *at
        {
            token.cancel();
        }
        Duration::from_millis(now)
    }
}

/// Limits that a statement of a fuzzer must keep to.
pub fn limits() -> QueryOptions {
    measured(None)
}

/// The same, for a statement that somebody stops after some portions of steps.
pub fn stopped_after(portions: u64) -> QueryOptions {
    let token = CancelToken::new();
    measured(Some((portions, token.clone()))).cancel(token)
}

fn measured(stop: Option<(u64, CancelToken)>) -> QueryOptions {
    let steps = Steps {
        portions: AtomicU64::new(0),
        stop,
    };
    QueryOptions::new()
        .clock(Arc::new(steps))
        .timeout(Duration::from_millis(PORTIONS))
        .memory_bytes(8 << 20)
        .max_rows(2000)
        .seed(7)
        .now(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000))
}
