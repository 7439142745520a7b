//! Uniqueness that is built while names come and go.

use crate::{half_way, many, names_are_indexed, unique_names};
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, Error, NodeId, Read, Result, WriteTxn};

fn unique_while(db: &Database, meanwhile: impl FnOnce(&Database)) -> Result<()> {
    let work = |watch: &mut Watch<'_>| db.create_constraint_watched(unique_names(), watch);
    half_way(work, || meanwhile(db))
}

#[test]
fn a_name_given_up_while_uniqueness_is_built_stays_with_its_other_holder() {
    let db = Database::in_memory().unwrap();
    let nodes = many(&db);
    // The first is entered already, the last is not, and for now both have one name.
    let (first, last) = (nodes[0], nodes[4999]);
    let give_up: [fn(&mut WriteTxn, NodeId); 4] = [
        |txn, node| txn.set_property(node, "name", "another").unwrap(),
        |txn, node| txn.remove_property(node, "name").unwrap(),
        |txn, node| txn.remove_label(node, "N").unwrap(),
        |txn, node| txn.delete_node(node).unwrap(),
    ];
    for (round, give_up) in give_up.into_iter().enumerate() {
        let mut txn = db.write().unwrap();
        txn.set_property(last, "name", 0).unwrap();
        txn.add_label(last, "N").unwrap();
        txn.commit().unwrap();
        unique_while(&db, |db| {
            let mut txn = db.write().unwrap();
            give_up(&mut txn, last);
            txn.commit().unwrap();
        })
        .unwrap();
        let read = db.read().unwrap();
        let names = read.index("names").unwrap();
        let found: Vec<_> = names
            .equal(&[0.into()])
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(found, [first.into()], "round {round}");
        let mut txn = db.write().unwrap();
        let refused = txn.create_node(["N"], [("name", 0)]);
        assert!(matches!(refused, Err(Error::ConstraintViolation(_))));
        drop(txn);
        db.drop_constraint("names").unwrap();
    }
}

#[test]
fn uniqueness_is_built_while_writers_go_on() {
    let db = Database::in_memory().unwrap();
    let nodes = many(&db);
    unique_while(&db, |db| {
        let mut txn = db.write().unwrap();
        // A name that is entered is taken; one that is not entered yet is found later.
        let refused = txn.set_property(nodes[4999], "name", 7);
        assert!(matches!(refused, Err(Error::ConstraintViolation(_))));
        txn.set_property(nodes[7], "name", "seven").unwrap();
        txn.set_property(nodes[4999], "name", 7).unwrap();
        txn.delete_node(nodes[8]).unwrap();
        txn.delete_node(nodes[4998]).unwrap();
        txn.create_node(["N"], [("name", 8)]).unwrap();
        txn.commit().unwrap();
        assert!(matches!(
            db.read().unwrap().index("names"),
            Err(Error::IndexNotReady { .. })
        ));
    })
    .unwrap();
    names_are_indexed(&db);
    db.drop_constraint("names").unwrap();
    let refused = unique_while(&db, |db| {
        let mut txn = db.write().unwrap();
        txn.create_node(["N"], [("name", 4500)]).unwrap();
        txn.commit().unwrap();
    });
    assert!(matches!(refused, Err(Error::ConstraintViolation(_))));
    let read = db.read().unwrap();
    assert_eq!(read.catalog().constraints().count(), 0);
    assert_eq!(read.catalog().indexes().count(), 0);
}
