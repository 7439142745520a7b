//! Hostile sizes and shapes: each gives its typed error, and the transaction goes on as if nobody had
//! asked.

mod connected;
mod full;
mod names;
mod values;

use stratigraph::{Database, Direction, Error, Read, Result, WriteTxn};

/// Everything that can be read of a small graph.
fn contents(read: &impl Read) -> String {
    let mut contents = format!(
        "{} nodes, {} relationships\n",
        read.node_count(None).unwrap(),
        read.relationship_count(None).unwrap()
    );
    for node in read.node_ids().unwrap() {
        let node = read.node(node.unwrap()).unwrap().unwrap();
        let degree = read.degree(node.id(), Direction::Both, None).unwrap();
        contents += &format!("{node:?} {degree}\n");
    }
    for id in read.relationship_ids().unwrap() {
        contents += &format!("{:?}\n", read.relationship(id.unwrap()).unwrap().unwrap());
    }
    for index in read.catalog().indexes() {
        let index = read.index(&index.name).unwrap();
        let all = index.all(stratigraph::storage::range::Direction::Forward);
        let all: Vec<_> = all.unwrap().map(Result::unwrap).collect();
        contents += &format!("{} {all:?}\n", index.entries().unwrap());
    }
    contents
}

/// Makes sure that a refused operation has changed nothing, and returns its error.
fn refused<T>(txn: &mut WriteTxn, operation: impl FnOnce(&mut WriteTxn) -> Result<T>) -> Error {
    let before = contents(txn);
    let error = operation(txn).err().expect("it is refused");
    assert!(contents(txn) == before, "something changed after: {error}");
    error
}

/// Commits, and makes sure that everything is as the transaction saw it.
fn commit(db: &Database, txn: WriteTxn) {
    let before = contents(&txn);
    txn.commit().unwrap();
    assert!(
        contents(&db.read().unwrap()) == before,
        "the commit differs"
    );
}

fn too_many(error: &Error) -> (&'static str, u64) {
    match error {
        Error::TooMany { what, limit, .. } => (what, *limit),
        other => panic!("{other:?}"),
    }
}

/// A database whose transactions have little room.
fn with_room(transaction_bytes: u64) -> Database {
    Database::builder()
        .transaction_bytes(transaction_bytes)
        .in_memory()
        .unwrap()
}
