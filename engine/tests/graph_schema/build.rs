//! What is dropped, joined or held up while it is built, and what others write meanwhile.

use crate::{by_name, half_way, is_clean, many, names_are_indexed};
use stratigraph::storage::cancel::Watch;
use stratigraph::value::ValueKind;
use stratigraph::{Constraint, Database, Error, Read, Result};

/// Builds something, has it dropped half-way, and then something written that would break it.
fn dropped_half_way(
    create: impl FnOnce(&Database, &mut Watch<'_>) -> Result<()>,
    drop: impl FnOnce(&Database) -> Result<()>,
) {
    let db = Database::in_memory().unwrap();
    many(&db);
    let outcome = half_way(
        |watch| create(&db, watch),
        || {
            drop(&db).unwrap();
            let mut txn = db.write().unwrap();
            txn.create_node(["N"], [("name", 3)]).unwrap();
            txn.create_node(["N"], [("other", 4999)]).unwrap();
            txn.commit().unwrap();
        },
    );
    let read = db.read().unwrap();
    let catalog = read.catalog();
    assert_eq!(catalog.indexes().count() + catalog.constraints().count(), 0);
    assert!(catalog.dropped().is_empty());
    assert!(
        matches!(&outcome, Err(Error::DroppedMeanwhile { name, .. }) if **name == *"names"),
        "{outcome:?}"
    );
    is_clean(&db);
}

#[test]
fn an_index_that_is_dropped_while_it_is_built_stays_dropped() {
    dropped_half_way(
        |db, watch| db.create_index_watched(by_name(), watch),
        |db| db.drop_index("names"),
    );
}

#[test]
fn a_constraint_that_is_dropped_while_it_is_built_stays_dropped() {
    let on = || Constraint::on_nodes("N");
    let constraints = [
        on().unique(["name"]),
        on().exists("name"),
        on().key(["name"]),
        on().kind("name", ValueKind::Integer),
    ];
    for constraint in constraints {
        dropped_half_way(
            |db, watch| db.create_constraint_watched(constraint.named("names"), watch),
            |db| db.drop_constraint("names"),
        );
    }
}

#[test]
fn an_index_that_takes_the_place_of_a_dropped_one_is_not_disturbed() {
    let db = Database::in_memory().unwrap();
    many(&db);
    let first = half_way(
        |watch| db.create_index_watched(by_name(), watch),
        || {
            db.drop_index("names").unwrap();
            db.create_index(by_name()).unwrap();
        },
    );
    assert!(
        matches!(first, Err(Error::DroppedMeanwhile { .. })),
        "{first:?}"
    );
    names_are_indexed(&db);
}
