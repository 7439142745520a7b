//! What vector indexes are filtered by: it stays as long as they, whatever is built, refused, given up and dropped
//! meanwhile.

use super::beside::sleep;
use super::*;
use stratigraph::storage::cancel::Progress;
use stratigraph::{Constraint, Error, Index};

/// The steps of builds.
const FILL: &str = "fill the index";
const CHECK: &str = "check what is there";

/// Nodes with two vectors each, and with these numbers.
fn numbered(numbers: impl IntoIterator<Item = Option<i64>>) -> Database {
    let db = Database::in_memory().unwrap();
    fill(&db, numbers);
    db
}

fn fill(db: &Database, numbers: impl IntoIterator<Item = Option<i64>>) {
    let mut txn = db.write().unwrap();
    for number in numbers {
        let vector = || value([1.0, 2.0]);
        let mut properties = vec![("v", vector()), ("w", vector())];
        properties.extend(number.map(|number| ("id", Value::Int(number))));
        txn.create_node(["A"], properties).unwrap();
    }
    txn.commit().unwrap();
}

/// A vector index that can be filtered by the numbers.
fn a() -> VectorIndex {
    let index = VectorIndex::on_nodes("A", "v", 2);
    index.filterable(["id"]).named("a")
}

/// Another one.
fn b() -> VectorIndex {
    let index = VectorIndex::on_nodes("A", "w", 2);
    index.filterable(["id"]).named("b")
}

fn ids() -> Index {
    Index::on_nodes("A", ["id"]).named("ids")
}

fn once() -> Constraint {
    Constraint::on_nodes("A").unique(["id"]).named("once")
}

/// How many a vector index finds with the number 1.
fn found(db: &Database, index: &str) -> usize {
    let search = VectorSearch::new(&[1.0, 2.0], 9).where_equal("id", 1);
    let read = db.read().unwrap();
    read.search_vectors(index, &search).unwrap().hits.len()
}

/// The property indexes that are there, and how many `b` finds with one of them.
fn left(db: &Database) -> (String, usize) {
    (index_names(db).join(", "), found(db, "b"))
}

/// Declares something, and does something else when that comes to a step. The token gives it up.
fn while_built<T>(
    step: &str,
    declare: impl FnOnce(&mut Watch<'_>) -> T,
    meanwhile: impl FnOnce(&CancelToken),
) -> T {
    let cancel = CancelToken::new();
    let mut meanwhile = Some(meanwhile);
    let mut report = |progress: Progress<'_>| {
        if progress.step == step
            && let Some(meanwhile) = meanwhile.take()
        {
            meanwhile(&cancel);
        }
    };
    let outcome = declare(&mut Watch::new(&mut report, cancel.clone()));
    assert!(meanwhile.is_none(), "no step was {step:?}");
    outcome
}

#[test]
fn what_a_vector_index_is_filtered_by_stays_as_long_as_it() {
    let db = numbered([Some(0), Some(1), Some(2)]);

    // An index that somebody has asked for is in the way of a constraint until it is dropped.
    db.create_index(ids()).unwrap();
    db.create_vector_index(b()).unwrap();
    let error = db.create_constraint(once()).unwrap_err();
    assert!(matches!(error, Error::PropertiesIndexed { .. }), "{error}");
    db.drop_index("ids").unwrap();
    assert_eq!(left(&db), ("ids".to_owned(), 1));
    db.create_constraint(once()).unwrap();
    db.drop_constraint("once").unwrap();
    db.drop_vector_index("b").unwrap();
    assert!(index_names(&db).is_empty());

    db.create_constraint(once()).unwrap();
    db.create_vector_index(b()).unwrap();
    let error = db.drop_constraint("once").unwrap_err();
    assert_eq!(
        error.to_string(),
        "constraint once is needed: vector index b is filtered by it; drop that one first"
    );
    assert_eq!(found(&db, "b"), 1);
    db.drop_vector_index("b").unwrap();
    db.drop_constraint("once").unwrap();

    // Of two that share one, the other inherits it.
    db.create_vector_index(a()).unwrap();
    db.create_vector_index(b()).unwrap();
    assert_eq!(index_names(&db), ["index_A_id"]);
    db.drop_vector_index("a").unwrap();
    assert_eq!(left(&db), ("index_A_id".to_owned(), 1));
    let error = db.drop_index("index_A_id").unwrap_err();
    assert!(matches!(error, Error::IndexOfVectorIndex { .. }), "{error}");
    db.drop_vector_index("b").unwrap();
    assert!(index_names(&db).is_empty());
    assert!(db.check(&mut Watch::quiet()).unwrap().is_clean());
}

#[test]
fn what_is_handed_on_is_there_after_an_open() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::builder()
        .create_if_missing(true)
        .open(folder.path())
        .unwrap();
    fill(&db, [Some(1), Some(2)]);
    db.create_index(ids()).unwrap();
    db.create_vector_index(a()).unwrap();
    db.create_vector_index(b()).unwrap();
    let reopened = |db: Database| {
        db.close().unwrap();
        let db = Database::open(folder.path()).unwrap();
        wait(&db);
        assert_eq!(left(&db), ("ids".to_owned(), 1));
        db
    };
    db.drop_index("ids").unwrap();
    let db = reopened(db);
    db.drop_vector_index("a").unwrap();
    let db = reopened(db);
    assert!(db.check(&mut Watch::quiet()).unwrap().is_clean());
    db.drop_vector_index("b").unwrap();
    assert!(index_names(&db).is_empty());
}

#[test]
fn a_constraint_that_is_refused_takes_nothing_from_a_vector_index() {
    // The index that proves it is being built, or is built and the constraint is not.
    let doubled = numbered([Some(1), Some(2), Some(2)]);
    let missing = numbered([Some(1), None]);
    let key = Constraint::on_nodes("A").key(["id"]).named("once");
    for (db, constraint, step) in [(doubled, once(), FILL), (missing, key, CHECK)] {
        let refused = while_built(
            step,
            |watch| db.create_constraint_watched(constraint, watch),
            |_| {
                db.create_vector_index(b()).unwrap();
                assert_eq!(found(&db, "b"), 1, "one of two is ready");
            },
        );
        let refused = refused.unwrap_err();
        assert!(
            matches!(refused, Error::ConstraintViolation(_)),
            "{refused}"
        );
        assert_eq!(left(&db), ("index_A_id".to_owned(), 1));
        assert!(db.check(&mut Watch::quiet()).unwrap().is_clean());
    }
}

#[test]
fn an_index_that_is_given_up_takes_nothing_from_a_vector_index() {
    let db = numbered([Some(1), Some(2), Some(2)]);
    let meanwhile = |cancel: &CancelToken| {
        db.create_vector_index(b()).unwrap();
        assert_eq!(found(&db, "b"), 1, "one of two is ready");
        cancel.cancel();
    };
    let given_up = |outcome: Result<(), Error>, index: &str| {
        assert!(matches!(outcome, Err(Error::Cancelled)), "{outcome:?}");
        assert_eq!(left(&db), (index.to_owned(), 1));
        db.drop_vector_index("b").unwrap();
        assert!(index_names(&db).is_empty());
    };
    let declare = |watch: &mut Watch<'_>| db.create_index_watched(ids(), watch);
    given_up(while_built(FILL, declare, meanwhile), "index_A_id");
    // The first owner of one that two could share.
    let declare = |watch: &mut Watch<'_>| db.create_vector_index_watched(a(), watch);
    given_up(while_built(FILL, declare, meanwhile), "index_A_id_2");
}

#[test]
fn an_heir_is_looked_for_also_while_a_constraint_is_built() {
    let db = numbered([Some(1), Some(2), Some(2)]);
    db.create_vector_index(a()).unwrap();
    db.create_vector_index(b()).unwrap();
    let refused = while_built(
        FILL,
        |watch| db.create_constraint_watched(once(), watch),
        |_| db.drop_vector_index("a").unwrap(),
    );
    assert!(
        matches!(refused, Err(Error::ConstraintViolation(_))),
        "{refused:?}"
    );
    assert_eq!(left(&db), ("index_A_id".to_owned(), 1));
}

#[test]
fn whoever_joins_the_build_of_a_proof_does_not_take_it_from_its_constraint() {
    let db = numbered([Some(1), Some(2)]);
    while_built(
        FILL,
        |watch| db.create_constraint_watched(once(), watch),
        |_| {
            let cancel = CancelToken::new();
            cancel.cancel();
            let mut report = |_: Progress<'_>| {};
            let watch = &mut Watch::new(&mut report, cancel);
            let joined = db.create_index_watched(ids().if_missing(), watch);
            assert!(matches!(joined, Err(Error::Cancelled)), "{joined:?}");
        },
    )
    .unwrap();
    assert!(db.check(&mut Watch::quiet()).unwrap().is_clean());
}

#[test]
fn whether_an_index_is_needed_is_asked_when_nobody_else_can_declare_anything() {
    type Dropping = fn(&Database) -> Result<(), Error>;
    let db = numbered([Some(1), Some(2)]);
    let drops: [Dropping; 2] = [|db| db.drop_index("ids"), |db| db.drop_constraint("once")];
    for (drop_it, is_constraint) in drops.into_iter().zip([false, true]) {
        match is_constraint {
            false => db.create_index(ids()).unwrap(),
            true => db.create_constraint(once()).unwrap(),
        }
        let held = db.write().unwrap();
        let dropped = std::thread::scope(|scope| {
            let declared = scope.spawn(|| db.create_vector_index(b()));
            sleep(200);
            // It comes after the other, and what it sees first is without the vector index.
            let dropped = scope.spawn(|| drop_it(&db));
            sleep(200);
            drop(held);
            declared.join().unwrap().unwrap();
            dropped.join().unwrap()
        });
        assert_eq!(found(&db, "b"), 1, "{dropped:?}");
        db.drop_vector_index("b").unwrap();
        match dropped {
            Err(Error::NeededForFilter { .. }) => drop_it(&db).unwrap(),
            // On a busy machine it may have come before the other.
            outcome => outcome.unwrap(),
        }
        assert!(index_names(&db).is_empty());
    }
}
