//! Functions of the host for many rows at once, as a traversal asks them.

use super::{Setting, reading};
use crate::database::Database;
use crate::query::error::{Detail, Fault};
use crate::query::exec::eval::host::call_many;
use crate::query::functions::HostFunction;
use crate::query::procedures::ProcedureType;
use crate::value::{NodeId, NodeValue, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn texts(nodes: u64) -> (Database, Vec<Value>) {
    let database = Database::in_memory().unwrap();
    let create = "UNWIND range(1, $nodes) AS n CREATE (:Chunk {text: 'text ' + n})";
    let nodes = i64::try_from(nodes).unwrap();
    database.query(create, [("nodes", nodes)]).unwrap();
    let read = database.read().unwrap();
    let ids = crate::graph::Read::node_ids(&read).unwrap();
    let all: Vec<NodeId> = ids.map(Result::unwrap).collect();
    let all = all.into_iter().map(|id| NodeValue::of(id).into()).collect();
    (database, all)
}

/// The text of a node after a prefix; how often it was asked.
fn batch(calls: &Arc<AtomicUsize>) -> HostFunction {
    let calls = Arc::clone(calls);
    HostFunction::new("rerank", ProcedureType::STRING)
        .takes("node", ProcedureType::NODE)
        .takes_with_default("prefix", ProcedureType::STRING, "> ")
        .run_batch(move |columns| {
            calls.fetch_add(1, Ordering::Relaxed);
            let rows = columns[0].iter().zip(&columns[1]);
            let results = rows.map(|(node, prefix)| {
                let text = node.as_node()?.get("text")?.as_str()?;
                Some(Value::from(format!("{}{text}", prefix.as_str()?)))
            });
            Ok(results
                .map(|result| result.unwrap_or(Value::Null))
                .collect())
        })
}

#[test]
fn many_rows_are_one_call_and_nodes_come_whole() {
    let (database, nodes) = texts(5);
    let mut context = reading(&database, Setting::default());
    let calls = Arc::new(AtomicUsize::new(0));
    let function = batch(&calls);
    let results = call_many(&mut context, &function, vec![nodes.clone()], 5).unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    let results: Vec<_> = results
        .iter()
        .map(|result| result.as_str().unwrap())
        .collect();
    assert_eq!(
        results,
        ["> text 1", "> text 2", "> text 3", "> text 4", "> text 5"]
    );
    // Nobody is asked about nothing.
    assert!(
        call_many(&mut context, &function, vec![Vec::new()], 0)
            .unwrap()
            .is_empty()
    );
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    // What works on one is asked about each.
    let one = HostFunction::new("one", ProcedureType::STRING)
        .takes("node", ProcedureType::NODE)
        .run(|arguments| {
            let node = arguments[0].as_node().ok_or("no node")?;
            Ok(node.get("text").cloned().unwrap_or(Value::Null))
        });
    let results = call_many(&mut context, &one, vec![nodes], 5).unwrap();
    assert_eq!(results[4].as_str(), Some("text 5"));
}

#[test]
fn one_wrong_argument_fails_the_whole_call() {
    let (database, mut nodes) = texts(2);
    let mut context = reading(&database, Setting::default());
    nodes[1] = 7.into();
    let function = batch(&Arc::default());
    match call_many(&mut context, &function, vec![nodes], 2) {
        Err(Fault::Raised(raised)) => assert_eq!(raised.detail, Detail::InvalidArgumentType),
        other => panic!("{other:?}"),
    }
}
