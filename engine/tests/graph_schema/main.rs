//! Indexes and constraints are built in portions, and hierarchies in a load: what others write,
//! declare and drop meanwhile.

mod build;
mod hierarchies;
mod refused;
mod together;
mod unique;

use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{Constraint, Database, Index, NodeId, Read, Result};

/// Nodes with a name each, more than are looked at in one commit of a declaration.
fn many(db: &Database) -> Vec<NodeId> {
    let mut txn = db.write().unwrap();
    let made = (0..5000).map(|number| txn.create_node(["N"], [("name", number)]).unwrap());
    let made = made.collect();
    txn.commit().unwrap();
    made
}

fn watched<T>(report: &mut dyn FnMut(Progress<'_>), work: impl FnOnce(&mut Watch<'_>) -> T) -> T {
    work(&mut Watch::new(report, CancelToken::new()))
}

/// Does the work, and calls `meanwhile` between its first portion and its second.
fn half_way<T>(work: impl FnOnce(&mut Watch<'_>) -> T, meanwhile: impl FnOnce()) -> T {
    let mut meanwhile = Some(meanwhile);
    let mut report = |progress: Progress<'_>| {
        if progress.done > 0
            && progress.done < progress.total
            && let Some(meanwhile) = meanwhile.take()
        {
            meanwhile();
        }
    };
    let outcome = watched(&mut report, work);
    assert!(meanwhile.is_none(), "nothing happened meanwhile");
    outcome
}

fn by_name() -> Index {
    Index::on_nodes("N", ["name"]).named("names")
}

fn unique_names() -> Constraint {
    Constraint::on_nodes("N").unique(["name"]).named("names")
}

fn is_clean(db: &Database) {
    let report = db.check(&mut Watch::quiet()).unwrap();
    assert!(report.is_clean(), "{:?}", report.findings);
}

/// Every node is found under its name, and nothing else is.
fn names_are_indexed(db: &Database) {
    let read = db.read().unwrap();
    let names = read.index("names").unwrap();
    let nodes = read.nodes_with_label("N").unwrap();
    for node in &nodes {
        let node = NodeId::new(node);
        let name = read.property(node, "name").unwrap();
        let found: Vec<_> = names.equal(&[name]).unwrap().map(Result::unwrap).collect();
        assert_eq!(found, [node.into()]);
    }
    assert_eq!(names.entries().unwrap(), nodes.len());
    drop(read);
    is_clean(db);
}
