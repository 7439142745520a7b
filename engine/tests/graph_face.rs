//! The graph as its users hold it: the end of ids, marks of another transaction, and the short ways to
//! what is asked for often.

use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{Database, Error, NO_PROPERTIES, NodeId, Read, RelationshipId};

fn watched<T>(work: impl FnOnce(&mut Watch<'_>) -> T) -> T {
    let mut report = |_: Progress<'_>| {};
    work(&mut Watch::new(&mut report, CancelToken::new()))
}

/// The last id that anything can have.
const LAST: u64 = (1 << 63) - 1;

#[track_caller]
fn assert_no_ids_left<T>(outcome: Result<T, Error>) {
    match outcome {
        Err(Error::TooMany { limit, .. }) => assert_eq!(limit, LAST + 1),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("an id beyond the last"),
    }
}

#[test]
fn ids_end_with_a_typed_error() {
    let db = Database::in_memory().unwrap();
    let mut load = db.bulk_load().unwrap();
    for beyond in [LAST + 1, u64::MAX - 1, u64::MAX] {
        assert_no_ids_left(load.add_node_with_id(NodeId::new(beyond), ["A"], NO_PROPERTIES));
    }
    let node = load.add_node(["A"], NO_PROPERTIES).unwrap();
    let last = NodeId::new(LAST);
    load.add_node_with_id(last, ["A"], NO_PROPERTIES).unwrap();
    assert_no_ids_left(load.add_node(["A"], NO_PROPERTIES));
    for beyond in [LAST + 1, u64::MAX] {
        let beyond = RelationshipId::new(beyond);
        assert_no_ids_left(load.add_relationship_with_id(beyond, node, "T", last, NO_PROPERTIES));
    }
    let of = RelationshipId::new(LAST);
    load.add_relationship_with_id(of, node, "T", last, NO_PROPERTIES)
        .unwrap();
    watched(|watch| load.finish(watch)).unwrap();

    let mut txn = db.write().unwrap();
    assert_no_ids_left(txn.create_node(["A"], NO_PROPERTIES));
    assert_no_ids_left(txn.create_relationship(node, "T", last, NO_PROPERTIES));
    // What needs no id goes on.
    txn.set_property(last, "p", 1).unwrap();
    txn.commit().unwrap();
    assert!(watched(|watch| db.check(watch)).unwrap().is_clean());
    // And such a database can be dumped and loaded.
    let mut text = Vec::new();
    watched(|watch| db.dump(&mut text, watch)).unwrap();
    let again = Database::in_memory().unwrap();
    watched(|watch| again.load(&text[..], &Default::default(), watch)).unwrap();
    assert!(again.read().unwrap().contains(last).unwrap());
}

#[test]
fn a_mark_of_another_transaction_is_unknown() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let foreign = txn.savepoint().unwrap();
    drop(txn);
    let mut txn = db.write().unwrap();
    txn.create_node(["A"], NO_PROPERTIES).unwrap();
    let own = txn.savepoint().unwrap();
    txn.create_node(["A"], NO_PROPERTIES).unwrap();
    assert!(matches!(
        txn.rollback_to(foreign),
        Err(Error::UnknownSavepoint)
    ));
    assert!(matches!(txn.release(foreign), Err(Error::UnknownSavepoint)));
    assert_eq!(txn.node_count(None).unwrap(), 2);
    txn.rollback_to(own).unwrap();
    assert_eq!(txn.node_count(None).unwrap(), 1);
}
