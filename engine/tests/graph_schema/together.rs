//! Much that is declared at once: in one commit where nothing is there yet, and one after the other where something is.

use crate::{by_name, is_clean, many, names_are_indexed, unique_names};
use stratigraph::storage::cancel::Watch;
use stratigraph::{
    Constraint, Database, Declaration, Error, HierarchyOptions, Index, NO_PROPERTIES, Read,
    TextIndex, Value, Vector, VectorIndex,
};

/// One of each, all of them fine if they are there already.
fn one_of_each() -> Vec<Declaration> {
    vec![
        unique_names().if_missing().into(),
        Constraint::on_relationships("OF")
            .key(["key"])
            .if_missing()
            .into(),
        Constraint::on_nodes("N").exists("name").if_missing().into(),
        Index::on_nodes("M", ["name"]).if_missing().into(),
        HierarchyOptions::new("parts", "PART").if_missing().into(),
        TextIndex::on_nodes("N", ["text"])
            .named("texts")
            .if_missing()
            .into(),
        VectorIndex::on_nodes("N", "at", 2)
            .filterable(["year"])
            .named("near")
            .if_missing()
            .into(),
    ]
}

#[test]
fn a_new_database_gets_its_schema_in_one_commit() {
    let db = Database::in_memory().unwrap();
    let before = db.read().unwrap().commit_seq().get();
    // What a vector index keeps of itself is a commit of its own.
    let plain = one_of_each().into_iter();
    let plain = plain.filter(|one| !matches!(one, Declaration::VectorIndex(_)));
    db.create_schema(plain).unwrap();
    assert_eq!(db.read().unwrap().commit_seq().get(), before + 1);
    db.create_schema(one_of_each()).unwrap();
    db.create_schema(one_of_each()).unwrap();
    let read = db.read().unwrap();
    let catalog = read.catalog();
    // Of two constraints, of the filter, and one by itself.
    assert_eq!(
        (catalog.indexes().count(), catalog.constraints().count()),
        (4, 3)
    );
    assert_eq!(
        (
            catalog.vector_indexes().count(),
            catalog.text_indexes().count()
        ),
        (1, 1)
    );
    assert!(!catalog.is_building("names") && !catalog.is_building("texts"));
    drop(read);
    db.finish_schema(&mut Watch::quiet()).unwrap();
    // All of it is kept to from then on.
    let mut txn = db.write().unwrap();
    let properties = |name: i64| {
        let at = Vector::new([1.0, 0.5]).unwrap();
        [
            ("name", Value::Int(name)),
            ("text", "stone".into()),
            ("at", at.into()),
            ("year", 7.into()),
        ]
    };
    let one = txn.create_node(["N"], properties(1)).unwrap();
    let refused = txn.create_node(["N"], properties(1)).unwrap_err();
    assert!(
        matches!(refused, Error::ConstraintViolation(_)),
        "{refused}"
    );
    let other = txn.create_node(["N"], properties(2)).unwrap();
    txn.create_relationship(one, "PART", other, NO_PROPERTIES)
        .unwrap();
    let refused = txn
        .create_relationship(other, "PART", one, NO_PROPERTIES)
        .unwrap_err();
    assert!(matches!(refused, Error::HierarchyCycle { .. }), "{refused}");
    txn.commit().unwrap();
    let found = db.query(
        "CALL db.index.fulltext.queryNodes('texts', 'stone') YIELD node RETURN node",
        (),
    );
    assert_eq!(found.unwrap().count(), 2);
    names_are_indexed(&db);
}

#[test]
fn what_is_on_something_is_built_after_the_rest() {
    let db = Database::in_memory().unwrap();
    many(&db);
    db.create_schema([
        by_name().into(),
        Index::on_nodes("M", ["name"]).named("empty").into(),
    ])
    .unwrap();
    names_are_indexed(&db);
    // What breaks a constraint that is wanted takes nothing else back.
    let wanted = [
        Constraint::on_nodes("M")
            .unique(["key"])
            .named("fine")
            .into(),
        Constraint::on_nodes("N")
            .exists("missing")
            .named("broken")
            .into(),
    ];
    let refused = db.create_schema(wanted).unwrap_err();
    assert!(
        matches!(refused, Error::ConstraintViolation(_)),
        "{refused}"
    );
    let read = db.read().unwrap();
    assert!(read.catalog().constraint_named("fine").is_some());
    assert!(read.catalog().constraint_named("broken").is_none());
    drop(read);
    is_clean(&db);
}

#[test]
fn of_what_is_on_nothing_all_comes_or_none() {
    let db = Database::in_memory().unwrap();
    let none: [&str; 0] = [];
    let wanted = [
        by_name().into(),
        VectorIndex::on_nodes("N", "at", 2).named("near").into(),
        Index::on_nodes("N", none).into(),
    ];
    let refused = db.create_schema(wanted).unwrap_err();
    assert!(matches!(refused, Error::BadDeclaration { .. }), "{refused}");
    assert_eq!(db.read().unwrap().catalog().indexes().count(), 0);
    assert!(db.vector_indexes().unwrap().is_empty());
    // Nothing of it is in the way.
    db.create_schema([VectorIndex::on_nodes("N", "at", 2).named("near").into()])
        .unwrap();
    is_clean(&db);
}
