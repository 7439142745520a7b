//! What a crash may leave of a vector index: it is declared, and the index for its filter is not filled.

use super::*;
use crate::catalog::Readiness;
use crate::storage::cancel::{CancelToken, Progress};
use crate::value::{NodeId, Value, Vector};
use crate::{Index, VectorSearch};

fn wanted() -> VectorIndex {
    let index = VectorIndex::on_nodes("A", "v", 2);
    index.filterable(["id"]).named("a").if_missing()
}

fn on_id() -> Index {
    Index::on_nodes("A", ["id"]).if_missing()
}

/// Nodes with these ids, and what a crash has left.
fn left_behind(ids: impl IntoIterator<Item = Value>) -> Database {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    for id in ids {
        let vector = Value::Vector(Vector::new([1.0, 2.0]).unwrap());
        txn.create_node(["A"], [("v", vector), ("id", id)]).unwrap();
    }
    txn.commit().unwrap();
    leave_behind(&db, &wanted());
    db
}

/// Declares a vector index, as far as a crash has let it.
fn leave_behind(db: &Database, wanted: &VectorIndex) {
    let mut txn = db.write().unwrap();
    let (def, is_new) = txn.declare_vector_index(wanted).unwrap();
    assert!(is_new);
    db.inner.vectors.bind(&def);
    txn.commit().unwrap();
    db.inner.vectors.begin(&def).unwrap();
}

/// How many the vector index finds with the id 1.
fn found(db: &Database) -> Result<usize> {
    let search = VectorSearch::new(&[1.0, 2.0], 9).where_equal("id", 1);
    let answer = db.read()?.search_vectors("a", &search)?;
    Ok(answer.hits.len())
}

/// Does something that is given up before it begins.
fn give_up(work: impl FnOnce(&mut Watch<'_>) -> Result<()>) {
    let cancel = CancelToken::new();
    cancel.cancel();
    let mut report = |_: Progress<'_>| {};
    let outcome = work(&mut Watch::new(&mut report, cancel));
    assert!(matches!(outcome, Err(Error::Cancelled)), "{outcome:?}");
}

#[test]
fn an_index_for_a_filter_stays_whoever_gives_up_building_it() {
    let db = left_behind([Value::Int(1), Value::Int(2)]);
    give_up(|watch| db.finish_schema(watch));
    give_up(|watch| db.create_index_watched(on_id(), watch));
    give_up(|watch| db.create_vector_index_watched(wanted(), watch));
    let refused = found(&db).unwrap_err();
    assert!(matches!(refused, Error::IndexNotReady { .. }), "{refused}");
    db.finish_schema(&mut Watch::quiet()).unwrap();
    assert_eq!(found(&db).unwrap(), 1);
}

#[test]
fn whoever_wants_the_vector_index_finishes_it() {
    let db = left_behind([Value::Int(1), Value::Int(2)]);
    db.create_vector_index(wanted()).unwrap();
    assert_eq!(found(&db).unwrap(), 1);
}

#[test]
fn what_refuses_to_be_filtered_is_in_nobodys_way_and_can_be_mended() {
    let db = left_behind([Value::Int(1), "y".repeat(9000).into()]);
    let mut txn = db.write().unwrap();
    let other = Index::on_nodes("A", ["year"]).named("years");
    txn.declare_index(&other).unwrap();
    txn.commit().unwrap();
    // It has the index for its filter after the one that refuses.
    let behind = VectorIndex::on_nodes("C", "v", 2).filterable(["id"]);
    leave_behind(&db, &behind);
    // Another vector index does not wait for it.
    let beside = VectorIndex::on_nodes("B", "v", 2).filterable(["id"]);
    db.create_vector_index(beside).unwrap();
    let refused = db.finish_schema(&mut Watch::quiet()).unwrap_err();
    assert!(
        matches!(refused, Error::IndexedValueTooLong { .. }),
        "{refused}"
    );
    let read = db.read().unwrap();
    for (name, readiness) in [
        ("years", Readiness::Ready),
        ("index_A_id", Readiness::Building),
        ("index_C_id", Readiness::Ready),
    ] {
        let index = read.catalog().index_named(name).unwrap();
        assert_eq!(index.readiness, readiness, "{name}");
    }
    drop(read);
    let mut txn = db.write().unwrap();
    txn.set_property(NodeId::new(1), "id", 1).unwrap();
    txn.commit().unwrap();
    db.finish_schema(&mut Watch::quiet()).unwrap();
    assert_eq!(found(&db).unwrap(), 2);
}

#[test]
fn an_index_for_a_filter_is_no_constraint_when_it_is_gone() {
    let db = left_behind([Value::Int(1)]);
    let mut is_there = true;
    let mut report = |_: Progress<'_>| {
        if std::mem::take(&mut is_there) {
            db.drop_vector_index("a").unwrap();
        }
    };
    let watch = &mut Watch::new(&mut report, CancelToken::new());
    let gone = db.create_index_watched(on_id(), watch).unwrap_err();
    assert_eq!(
        gone.to_string(),
        "index index_A_id was dropped while it was being built: it is not there"
    );
}
