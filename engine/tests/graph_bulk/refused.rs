//! What is refused at once leaves no trace, and the load goes on.

use crate::{assert_same, assert_sound, databases, declare, finish, small, stored};
use stratigraph::{
    BulkLoad, Database, Entity, Error, NO_LABELS, NO_PROPERTIES, NodeId, Read, Result, Value,
    ViolationReason,
};

/// A person, a city she has, and a city that is gone.
fn ann_and_cities(db: &Database) -> [NodeId; 3] {
    let mut txn = db.write().unwrap();
    let ann = txn
        .create_node(["Person"], [("name", "Ann"), ("email", "ann@x")])
        .unwrap();
    let old = txn.create_node(["City"], NO_PROPERTIES).unwrap();
    let gone = txn.create_node(["City"], NO_PROPERTIES).unwrap();
    txn.create_relationship(ann, "HAS", old, NO_PROPERTIES)
        .unwrap();
    txn.delete_node(gone).unwrap();
    txn.commit().unwrap();
    [ann, old, gone]
}

/// A person who is above Ann.
fn add_bob(load: &mut BulkLoad, ann: NodeId) -> NodeId {
    let bob = load
        .add_node(["Person"], [("name", "Bob"), ("email", "bob@x")])
        .unwrap();
    load.add_relationship(bob, "PART_OF", ann, NO_PROPERTIES)
        .unwrap();
    bob
}

/// A city that its parent has by two relationships.
fn add_child_twice(load: &mut BulkLoad, parent: NodeId) -> NodeId {
    let child = load.add_node(["City"], NO_PROPERTIES).unwrap();
    for _ in 0..2 {
        load.add_relationship(parent, "HAS", child, NO_PROPERTIES)
            .unwrap();
    }
    child
}

#[test]
fn an_item_that_is_refused_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    for db in databases(folder.path(), "db") {
        let [ann, old, gone] = ann_and_cities(&db);
        let mut load = db.bulk_load().unwrap();
        let bob = add_bob(&mut load, ann);
        // Names stay known in any case: what is refused must leave nothing else.
        for name in ["map", "list", "age"] {
            load.property_key(name).unwrap();
        }
        let counts = (load.nodes(), load.relationships());

        let refused = |result: Result<NodeId>| result.unwrap_err();
        let map = Value::map(Default::default()).unwrap();
        assert!(matches!(
            refused(load.add_node(["City"], [("map", map.clone())])),
            Error::NotStorable { .. }
        ));
        assert!(matches!(
            refused(load.add_node([""], NO_PROPERTIES)),
            Error::BadName { .. }
        ));
        assert!(matches!(
            refused(load.add_node(["City"], [("a\0", 1)])),
            Error::BadName { .. }
        ));
        let labels = (0..1025).map(|number| format!("L{number}"));
        assert!(matches!(
            refused(load.add_node(labels, NO_PROPERTIES)),
            Error::TooMany { .. }
        ));
        let huge = "x".repeat(17 << 20);
        assert!(matches!(
            refused(load.add_node(["City"], [("bio", huge)])),
            Error::TooLarge { .. }
        ));
        let long = "x".repeat(9000);
        let refusal = refused(load.add_node(["Person"], [("name", long)]));
        assert!(
            matches!(refusal, Error::IndexedValueTooLong { .. }),
            "{refusal}"
        );
        let refusal = refused(load.add_node(["Person"], [("age", 4)]));
        assert!(refusal.to_string().ends_with("it has no name"), "{refusal}");
        let refusal = refused(load.add_node(["Person"], [("name", "A"), ("email", "ann@x")]));
        let Error::ConstraintViolation(violation) = refusal else {
            panic!("{refusal}")
        };
        assert_eq!(&*violation.constraint, "one_email");
        assert!(
            matches!(violation.reason, ViolationReason::Taken { other: Entity::Node(other), .. } if other == ann)
        );
        let unknown = stratigraph::catalog::NameId::from_number(60_000);
        assert!(matches!(
            refused(load.add_node_of(&[unknown], [] as [(_, Value); 0])),
            Error::UnknownName { .. }
        ));

        let mut relate = |source, of, target| {
            load.add_relationship(source, of, target, [("since", "old")])
                .unwrap_err()
        };
        assert!(
            matches!(relate(ann, "LIKES", NodeId::new(77)), Error::NodeNotFound { node } if node.get() == 77)
        );
        assert!(matches!(relate(gone, "LIKES", ann), Error::NodeNotFound { node } if node == gone));
        assert!(matches!(
            relate(ann, "KNOWS", bob),
            Error::ConstraintViolation(_)
        ));
        assert!(
            matches!(relate(bob, "HAS", old), Error::HierarchyParent { parent, refused, .. } if (parent, refused) == (ann, bob))
        );
        assert!(matches!(
            relate(bob, "HAS", bob),
            Error::HierarchyCycle { .. }
        ));
        assert!(matches!(relate(bob, "", ann), Error::BadName { .. }));
        assert!(matches!(
            load.add_member("nothing", ann),
            Err(Error::UnknownName { .. })
        ));
        assert!(matches!(
            load.add_member("outline", gone),
            Err(Error::NodeNotFound { .. })
        ));
        assert_eq!(counts, (load.nodes(), load.relationships()));

        let child = add_child_twice(&mut load, bob);
        let second = load.add_relationship(ann, "HAS", child, NO_PROPERTIES);
        assert!(matches!(second, Err(Error::HierarchyParent { .. })));
        let report = finish(load).unwrap();
        assert_eq!((report.nodes, report.relationships), (2, 3));
        assert_sound(&db);

        // The same without what was refused.
        let clean = Database::in_memory().unwrap();
        declare(&clean);
        assert_eq!(ann_and_cities(&clean), [ann, old, gone]);
        let mut load = clean.bulk_load().unwrap();
        assert_eq!(add_bob(&mut load, ann), bob);
        for name in ["map", "list", "age", "bio"] {
            load.property_key(name).unwrap();
        }
        for number in 0..1024 {
            load.label(&format!("L{number}")).unwrap();
        }
        load.relationship_type("LIKES").unwrap();
        assert_eq!(add_child_twice(&mut load, bob), child);
        finish(load).unwrap();
        assert_same(&stored(&db), &stored(&clean), "without what was refused");
    }
}

#[test]
fn relationships_of_hierarchies_have_a_limit() {
    let db = Database::in_memory().unwrap();
    declare(&db);
    let mut load = db.bulk_load_with(small(1)).unwrap();
    let root = load.add_node(NO_LABELS, NO_PROPERTIES).unwrap();
    let error = loop {
        let child = load.add_node(NO_LABELS, NO_PROPERTIES).unwrap();
        if let Err(error) = load.add_relationship(root, "HAS", child, NO_PROPERTIES) {
            break error;
        }
    };
    assert!(
        matches!(error, Error::HierarchyTooLarge { limit: 682, .. }),
        "{error}"
    );
    finish(load).unwrap();
    let read = db.read().unwrap();
    assert_eq!(
        read.hierarchy("outline").unwrap().member_count().unwrap(),
        683
    );
}
