//! How many names there may be, and of what form.

use crate::{commit, refused, too_many};
use stratigraph::catalog::{MAX_NAME_BYTES, MAX_NAMES};
use stratigraph::graph::MAX_LABELS;
use stratigraph::{
    Constraint, Database, Error, HierarchyOptions, Index, NO_LABELS, NO_PROPERTIES, Read,
};

#[test]
fn a_node_has_no_more_labels_than_the_limit() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let labels = |count: usize| (0..count).map(|number| format!("L{number}"));
    let error = refused(&mut txn, |txn| {
        txn.create_node(labels(1_000_000), NO_PROPERTIES)
    });
    let limit = ("labels of a node", MAX_LABELS as u64);
    assert_eq!(too_many(&error), limit);
    assert!(
        txn.catalog().labels.len() <= MAX_LABELS + 1,
        "names were used up in vain"
    );
    let full = txn.create_node(labels(MAX_LABELS), NO_PROPERTIES).unwrap();
    let error = refused(&mut txn, |txn| txn.add_label(full, "one more"));
    assert_eq!(too_many(&error), limit);
    txn.add_label(full, "L0").unwrap();
    // The same label again and again is one label.
    let one = txn
        .create_node(std::iter::repeat_n("L0", 5000), NO_PROPERTIES)
        .unwrap();
    assert_eq!(txn.node(one).unwrap().unwrap().labels().count(), 1);
    commit(&db, txn);
}

#[test]
fn there_are_no_more_names_than_the_limit() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let mut refusals = 0;
    for number in 0..1_000_000 {
        match txn.create_node([format!("L{number}")], NO_PROPERTIES) {
            Ok(node) => assert_eq!(node.get(), number),
            Err(error) => {
                assert_eq!(too_many(&error), ("label", MAX_NAMES as u64));
                refusals += 1;
            }
        }
    }
    assert_eq!(refusals, 1_000_000 - MAX_NAMES);
    let names = MAX_NAMES as u64;
    assert_eq!(txn.node_count(None).unwrap(), names);
    // Names of another kind, and known names, go on.
    let node = txn.create_node(["L7"], [("p", 1)]).unwrap();
    txn.create_relationship(node, "T", node, NO_PROPERTIES)
        .unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    assert_eq!(read.node_count(None).unwrap(), names + 1);
    assert_eq!(read.node_count(Some("L7")).unwrap(), 2);
    assert_eq!(read.nodes_with_label("L65535").unwrap().len(), 1);
    assert!(read.catalog().labels.id("L65536").is_none());
}

#[test]
fn names_are_not_empty_nor_too_long_and_have_no_zero_byte() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let node = txn.create_node(["A"], [("p", 1)]).unwrap();
    let longest = "n".repeat(MAX_NAME_BYTES);
    let too_long = "n".repeat(MAX_NAME_BYTES + 1);
    for bad in ["", "a\0b", &too_long] {
        let errors = [
            refused(&mut txn, |txn| txn.create_node([bad], NO_PROPERTIES)),
            refused(&mut txn, |txn| txn.create_node(NO_LABELS, [(bad, 1)])),
            refused(&mut txn, |txn| txn.add_label(node, bad)),
            refused(&mut txn, |txn| txn.set_property(node, bad, 1)),
            refused(&mut txn, |txn| txn.replace_properties(node, [(bad, 1)])),
            refused(&mut txn, |txn| {
                txn.create_relationship(node, bad, node, NO_PROPERTIES)
            }),
            refused(&mut txn, |txn| {
                txn.create_relationship(node, "T", node, [(bad, 1)])
            }),
        ];
        for error in errors {
            assert!(matches!(error, Error::BadName { .. }), "{error:?}");
            assert!(error.to_string().len() < 200, "{error}");
        }
    }
    txn.add_label(node, &longest).unwrap();
    txn.set_property(node, &longest, 1).unwrap();
    txn.create_relationship(node, &longest, node, [(&longest, 1)])
        .unwrap();
    commit(&db, txn);
    for bad in ["", "a\0b", &too_long] {
        let errors = [
            db.create_index(Index::on_nodes(bad, ["p"])),
            db.create_index(Index::on_nodes("A", [bad])),
            db.create_index(Index::on_nodes("A", ["p"]).named(bad)),
            db.create_constraint(Constraint::on_nodes("A").unique(["p"]).named(bad)),
            db.create_hierarchy(HierarchyOptions::new(bad, "T")),
            db.create_hierarchy(HierarchyOptions::new("h", bad)),
        ];
        for error in errors {
            let error = error.unwrap_err();
            assert!(matches!(error, Error::BadName { .. }), "{error:?}");
        }
    }
    let catalog = db.read().unwrap();
    assert_eq!(catalog.catalog().indexes().count(), 0);
    assert_eq!(catalog.catalog().constraints().count(), 0);
    assert_eq!(catalog.catalog().hierarchies().count(), 0);
}
