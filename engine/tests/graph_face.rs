//! The graph as its users hold it: the end of ids, marks of another transaction, and the short ways to
//! what is asked for often.

use stratigraph::storage::cancel::Watch;
use stratigraph::{
    Database, Error, HierarchyOptions, NO_PROPERTIES, NodeId, Read, RelationshipId, Value,
};

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
    load.finish(&mut Watch::quiet()).unwrap();

    let mut txn = db.write().unwrap();
    assert_no_ids_left(txn.create_node(["A"], NO_PROPERTIES));
    assert_no_ids_left(txn.create_relationship(node, "T", last, NO_PROPERTIES));
    // What needs no id goes on.
    txn.set_property(last, "p", 1).unwrap();
    txn.commit().unwrap();
    assert!(db.check(&mut Watch::quiet()).unwrap().is_clean());
    // And such a database can be dumped and loaded.
    let mut text = Vec::new();
    db.dump(&mut text, &mut Watch::quiet()).unwrap();
    let again = Database::in_memory().unwrap();
    again
        .load(&text[..], &Default::default(), &mut Watch::quiet())
        .unwrap();
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

#[test]
fn what_lies_between_two_nodes_is_found_without_a_walk() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let mut node = || txn.create_node(["A"], NO_PROPERTIES).unwrap();
    let (hub, far, other) = (node(), node(), node());
    let mut add = |source, of: &str, target| {
        txn.create_relationship(source, of, target, NO_PROPERTIES)
            .unwrap()
    };
    add(hub, "T", other);
    let first = add(hub, "T", far);
    let second = add(hub, "T", far);
    let gone = add(hub, "T", far);
    add(far, "T", hub);
    let itself = add(hub, "T", hub);
    txn.commit().unwrap();

    fn found(read: &impl Read, from: NodeId, to: NodeId, of: Option<&str>) -> Vec<RelationshipId> {
        let found = read.relationships_between(from, to, of).unwrap();
        found.map(|found| found.unwrap().relationship).collect()
    }
    let mut txn = db.write().unwrap();
    txn.delete_relationship(gone).unwrap();
    let third = txn
        .create_relationship(hub, "U", far, NO_PROPERTIES)
        .unwrap();
    assert_eq!(found(&txn, hub, far, Some("T")), [first, second]);
    assert_eq!(found(&txn, hub, far, None), [first, second, third]);
    assert_eq!(found(&txn, hub, hub, None), [itself]);
    assert_eq!(found(&txn, other, hub, None), []);
    assert_eq!(found(&txn, hub, far, Some("NEVER")), []);
    assert_eq!(
        found(&db.read().unwrap(), hub, far, None),
        [first, second, gone]
    );
}

#[test]
fn a_hierarchy_knows_who_is_next_to_a_node() {
    let db = Database::in_memory().unwrap();
    db.create_hierarchy(HierarchyOptions::new("parts", "HAS"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let nodes: Vec<NodeId> = (0..4)
        .map(|_| txn.create_node(["A"], NO_PROPERTIES).unwrap())
        .collect();
    for (parent, of, child) in [
        (0, "HAS", 2),
        (0, "HAS", 2),
        (1, "HAS", 2),
        (2, "HAS", 3),
        (2, "SEES", 0),
    ] {
        txn.create_relationship(nodes[parent], of, nodes[child], NO_PROPERTIES)
            .unwrap();
    }
    let parts = txn.hierarchy("parts").unwrap();
    assert_eq!(
        parts.parents(nodes[2]).unwrap().iter().collect::<Vec<_>>(),
        [0, 1]
    );
    assert_eq!(
        parts.children(nodes[2]).unwrap().iter().collect::<Vec<_>>(),
        [3]
    );
    assert!(parts.children(nodes[3]).unwrap().is_empty());
}

#[test]
fn values_come_from_what_programs_have() {
    assert_eq!(Value::from(0.5_f32).as_float(), Some(0.5));
    assert_eq!(
        Value::from(&b"\x00\xff"[..]).as_bytes(),
        Some(&[0, 255][..])
    );
    assert_eq!(
        Value::try_from(i64::MAX as u64).unwrap().as_int(),
        Some(i64::MAX)
    );
    assert!(Value::try_from(1_u64 << 63).is_err());
}
