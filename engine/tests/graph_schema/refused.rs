//! What is refused, what it says then, and what can be mended.

use crate::{by_name, half_way, is_clean, many};
use stratigraph::value::ValueKind;
use stratigraph::{Constraint, Database, Error, Index, NodeId, Read, Result, Value, WriteTxn};

#[test]
fn what_is_being_built_says_who_goes_on_with_it() {
    let db = Database::in_memory().unwrap();
    many(&db);
    half_way(
        |watch| db.create_index_watched(by_name(), watch),
        || {
            let again = db.create_index(by_name()).unwrap_err();
            assert!(again.to_string().contains("finish_schema"), "{again}");
        },
    )
    .unwrap();
    let again = db.create_index(by_name()).unwrap_err();
    assert_eq!(again.to_string(), "an index like names is already there");
}

#[test]
fn what_is_in_the_way_of_a_constraint_is_named_as_what_it_is() {
    let db = Database::in_memory().unwrap();
    db.create_constraint(Constraint::on_nodes("P").key(["a"]))
        .unwrap();
    db.create_index(Index::on_nodes("P", ["b"])).unwrap();
    let refused = |properties: [&str; 1]| {
        let unique = Constraint::on_nodes("P").unique(properties);
        db.create_constraint(unique).unwrap_err().to_string()
    };
    assert_eq!(
        refused(["a"]),
        "constraint key_P_a is on the same properties, which have one index at most: drop it first"
    );
    db.drop_constraint("key_P_a").unwrap();
    assert_eq!(
        refused(["b"]),
        "index index_P_b is on the same properties, which have one index at most: drop it first"
    );
    db.drop_index("index_P_b").unwrap();
}

#[test]
fn what_is_not_there_waits_for_no_writer() {
    let drops: [fn(&Database, &str) -> Result<()>; 5] = [
        Database::drop_index,
        Database::drop_constraint,
        Database::drop_hierarchy,
        Database::drop_text_index,
        Database::drop_vector_index,
    ];
    let is_unknown = |db: &Database| {
        for drop in drops {
            let error = drop(db, "none").unwrap_err();
            assert!(matches!(error, Error::UnknownName { .. }), "{error}");
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let db = Database::builder()
        .create_if_missing(true)
        .open(folder.path())
        .unwrap();
    let held = db.write().unwrap();
    is_unknown(&db);
    drop(held);
    db.close().unwrap();
    is_unknown(&Database::builder().open_read_only(folder.path()).unwrap());
}

#[test]
fn a_constraint_that_no_value_can_keep_to_is_refused() {
    let db = Database::in_memory().unwrap();
    for kind in [ValueKind::Null, ValueKind::Map] {
        let refused = db.create_constraint(Constraint::on_nodes("P").kind("a", kind));
        assert!(
            matches!(refused, Err(Error::BadDeclaration { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(db.read().unwrap().catalog().constraints().count(), 0);
}

#[test]
fn what_is_too_long_for_an_index_can_be_mended_while_it_is_built() {
    let db = Database::in_memory().unwrap();
    let nodes = many(&db);
    let mend: [fn(&mut WriteTxn, NodeId); 4] = [
        |txn, node| txn.set_property(node, "name", "short").unwrap(),
        |txn, node| txn.remove_property(node, "name").unwrap(),
        |txn, node| txn.remove_label(node, "N").unwrap(),
        |txn, node| txn.delete_node(node).unwrap(),
    ];
    let vector = stratigraph::Vector::new([1.0]).unwrap();
    let too_much: [Value; 2] = ["y".repeat(9000).into(), vector.into()];
    for (mend, name) in mend
        .iter()
        .flat_map(|mend| too_much.clone().map(|name| (mend, name)))
    {
        let mut txn = db.write().unwrap();
        let odd = txn.create_node(["N"], [("name", name)]).unwrap();
        txn.commit().unwrap();
        half_way(
            |watch| db.create_index_watched(by_name(), watch),
            || {
                let mut txn = db.write().unwrap();
                mend(&mut txn, odd);
                txn.commit().unwrap();
            },
        )
        .unwrap();
        assert!(db.read().unwrap().contains(nodes[0]).unwrap());
        is_clean(&db);
        db.drop_index("names").unwrap();
    }
}
