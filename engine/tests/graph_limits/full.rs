//! Transactions that are full, of large things or of many small ones.

use crate::{commit, refused, with_room};
use stratigraph::{
    Database, Error, HierarchyOptions, Index, NO_LABELS, NO_PROPERTIES, NodeId, Read,
};

fn assert_too_large(error: &Error) {
    assert!(
        matches!(error, Error::TransactionTooLarge { .. }),
        "{error:?}"
    );
}

#[test]
fn a_transaction_that_is_full_still_commits() {
    let db = with_room(1 << 20);
    db.create_index(Index::on_nodes("A", ["p"]).named("by_p"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let text = "y".repeat(4000);
    let (mut nodes, error) = (
        Vec::new(),
        loop {
            let error = match txn.create_node(["A"], [("p", text.as_str())]) {
                Ok(_) => continue,
                Err(error) => error,
            };
            break error;
        },
    );
    assert!(
        matches!(
            error,
            Error::TransactionTooLarge {
                limit_bytes: 1_048_576,
                ..
            }
        ),
        "{error:?}"
    );
    for node in txn.node_ids().unwrap() {
        nodes.push(node.unwrap());
    }
    let large = "z".repeat(1 << 20);
    let errors = [
        refused(&mut txn, |txn| {
            txn.create_node(["A"], [("p", text.as_str())])
        }),
        refused(&mut txn, |txn| {
            txn.set_property(nodes[0], "q", large.as_str())
        }),
        refused(&mut txn, |txn| {
            txn.create_relationship(nodes[0], "T", nodes[1], [("q", large.as_str())])
        }),
    ];
    for error in errors {
        assert_too_large(&error);
    }
    assert!(nodes.len() > 50, "only {} nodes", nodes.len());
    commit(&db, txn);
    let read = db.read().unwrap();
    assert_eq!(read.node_count(Some("A")).unwrap(), nodes.len() as u64);
}

#[test]
fn a_transaction_that_is_full_of_small_changes_still_commits() {
    let db = with_room(1 << 20);
    db.create_hierarchy(HierarchyOptions::new("outline", "HAS"))
        .unwrap();
    let mut txn = db.write().unwrap();
    // Each relationship changes two degrees and two levels, which are written at the end.
    let error = loop {
        let label = format!("L{}", txn.node_count(None).unwrap());
        let made = txn.create_node([&label], NO_PROPERTIES).and_then(|from| {
            let to = txn.create_node(NO_LABELS, NO_PROPERTIES)?;
            txn.create_relationship(from, "HAS", to, NO_PROPERTIES)
        });
        if let Err(error) = made {
            break error;
        }
    };
    assert_too_large(&error);
    commit(&db, txn);
    let read = db.read().unwrap();
    assert!(read.relationship_count(None).unwrap() > 500);
    let outline = read.hierarchy("outline").unwrap();
    assert_eq!(
        outline.members(1).unwrap().len(),
        read.relationship_count(None).unwrap()
    );
}

/// A node whose relationships take far more to delete than most do: their index entries are long.
fn costly(db: &Database) -> NodeId {
    db.create_index(Index::on_relationships("HAS", ["text"]).named("by_text"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let node = txn.create_node(["A"], NO_PROPERTIES).unwrap();
    txn.commit().unwrap();
    for portion in 0..10 {
        let mut txn = db.write().unwrap();
        for number in 0..12 {
            let text = format!("{}{portion}-{number}", "t".repeat(7000));
            txn.create_relationship(node, "HAS", node, [("text", text)])
                .unwrap();
        }
        txn.commit().unwrap();
    }
    node
}

#[test]
fn deleting_what_does_not_fit_changes_nothing() {
    let db = with_room(300 << 10);
    let node = costly(&db);
    let mut txn = db.write().unwrap();
    let error = refused(&mut txn, |txn| txn.detach_delete_node(node));
    assert!(matches!(error, Error::TooConnected { .. }), "{error:?}");
    let error = refused(&mut txn, |txn| txn.delete_relationships_of(node, 100));
    assert_too_large(&error);
    // A savepoint keeps the way back, which takes room too.
    let savepoint = txn.savepoint().unwrap();
    let error = refused(&mut txn, |txn| txn.delete_relationships_of(node, 30));
    assert_too_large(&error);
    txn.release(savepoint).unwrap();
    commit(&db, txn);
    loop {
        let mut txn = db.write().unwrap();
        let deleted = txn.delete_relationships_of(node, 20).unwrap();
        commit(&db, txn);
        if deleted == 0 {
            break;
        }
    }
    let mut txn = db.write().unwrap();
    txn.delete_node(node).unwrap();
    txn.commit().unwrap();
    assert_eq!(
        db.read()
            .unwrap()
            .index("by_text")
            .unwrap()
            .entries()
            .unwrap(),
        0
    );
}
