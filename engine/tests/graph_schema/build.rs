//! What is dropped, joined or held up while it is built, and what others write meanwhile.

use crate::{by_name, half_way, is_clean, many, names_are_indexed, watched};
use std::sync::mpsc;
use std::time::Duration;
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
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

/// Builds an index, and half-way has another thread join, which `meanwhile` gets the tokens of.
fn build_and_join(
    db: &Database,
    join: impl FnOnce(&mut Watch<'_>) -> Result<()> + Send,
    meanwhile: impl FnOnce(&CancelToken, &CancelToken),
) -> [Result<()>; 2] {
    let tokens = [CancelToken::new(), CancelToken::new()];
    let (joined, has_joined) = mpsc::channel();
    std::thread::scope(|scope| {
        let mut other = None;
        let mut go_on = Some((join, joined, meanwhile));
        let mut report = |progress: Progress<'_>| {
            if progress.done == 0 || progress.done == progress.total {
                return;
            }
            let Some((join, joined, meanwhile)) = go_on.take() else {
                return;
            };
            let token = tokens[1].clone();
            other = Some(scope.spawn(move || {
                let mut report = |_: Progress<'_>| joined.send(()).unwrap_or_default();
                join(&mut Watch::new(&mut report, token))
            }));
            has_joined.recv().unwrap();
            meanwhile(&tokens[0], &tokens[1]);
        };
        let first =
            db.create_index_watched(by_name(), &mut Watch::new(&mut report, tokens[0].clone()));
        [first, other.expect("it has joined").join().unwrap()]
    })
}

#[test]
fn whoever_joins_a_build_has_the_index_whatever_comes_of_the_first() {
    let db = Database::in_memory().unwrap();
    many(&db);
    let join = |watch: &mut Watch<'_>| db.create_index_watched(by_name().if_missing(), watch);
    let finish = |watch: &mut Watch<'_>| db.finish_schema(watch);

    let outcomes = build_and_join(&db, join, |_, _| {});
    assert!(matches!(outcomes, [Ok(()), Ok(())]), "{outcomes:?}");
    names_are_indexed(&db);
    db.drop_index("names").unwrap();

    let outcomes = build_and_join(&db, join, |first, _| first.cancel());
    assert!(
        matches!(outcomes, [Err(Error::Cancelled), Ok(())]),
        "{outcomes:?}"
    );
    names_are_indexed(&db);
    db.drop_index("names").unwrap();

    let outcomes = build_and_join(&db, join, |_, second| second.cancel());
    assert!(
        matches!(outcomes, [Ok(()), Err(Error::Cancelled)]),
        "{outcomes:?}"
    );
    names_are_indexed(&db);
    db.drop_index("names").unwrap();

    let outcomes = build_and_join(&db, finish, |_, second| second.cancel());
    assert!(
        matches!(outcomes, [Ok(()), Err(Error::Cancelled)]),
        "{outcomes:?}"
    );
    names_are_indexed(&db);
    db.drop_index("names").unwrap();

    let outcomes = build_and_join(&db, finish, |_, _| db.drop_index("names").unwrap());
    assert!(
        matches!(outcomes, [Err(Error::DroppedMeanwhile { .. }), Ok(())]),
        "{outcomes:?}"
    );
}

#[test]
fn a_report_that_waits_for_its_own_build_is_refused() {
    let db = Database::in_memory().unwrap();
    many(&db);
    half_way(
        |watch| db.create_index_watched(by_name(), watch),
        || {
            let joined = db.create_index(by_name().if_missing());
            assert!(
                matches!(joined, Err(Error::BadDeclaration { .. })),
                "{joined:?}"
            );
        },
    )
    .unwrap();
    names_are_indexed(&db);
}

#[test]
fn a_build_waits_for_other_writers_and_is_not_given_up() {
    let db = Database::builder()
        .write_queue_timeout(Duration::from_millis(20))
        .in_memory()
        .unwrap();
    many(&db);
    let mut steps = 0;
    let mut held = None;
    let mut report = |progress: Progress<'_>| {
        if progress.done > 0 {
            steps += 1;
            held = (steps < 3).then(|| held.take().unwrap_or_else(|| db.write().unwrap()));
        }
    };
    watched(&mut report, |watch| {
        db.create_index_watched(by_name(), watch)
    })
    .unwrap();
    assert!(steps > 3, "it was held up");
    names_are_indexed(&db);

    // It says how far it is, and so can be cancelled while it waits.
    db.drop_index("names").unwrap();
    let cancel = CancelToken::new();
    let mut held = None;
    let mut report = |progress: Progress<'_>| match held.take() {
        Some(_) => cancel.cancel(),
        None => held = (progress.done > 0).then(|| db.write().unwrap()),
    };
    let outcome = db.create_index_watched(by_name(), &mut Watch::new(&mut report, cancel.clone()));
    assert!(matches!(outcome, Err(Error::Cancelled)), "{outcome:?}");
    assert_eq!(db.read().unwrap().catalog().indexes().count(), 0);
}

#[test]
fn entries_are_counted_while_writers_go_on() {
    let db = Database::in_memory().unwrap();
    let nodes = many(&db);
    half_way(
        |watch| db.create_index_watched(by_name(), watch),
        || {
            let mut txn = db.write().unwrap();
            // Of each kind one that is entered already, and one that is not yet.
            for end in [0, 4990] {
                txn.set_property(nodes[end], "name", "new").unwrap();
                txn.set_property(nodes[end], "name", "newer").unwrap();
                txn.remove_property(nodes[end + 1], "name").unwrap();
                txn.remove_label(nodes[end + 2], "N").unwrap();
                txn.delete_node(nodes[end + 3]).unwrap();
                txn.remove_label(nodes[end + 4], "N").unwrap();
                txn.add_label(nodes[end + 4], "N").unwrap();
            }
            txn.create_node(["N"], [("name", "new")]).unwrap();
            txn.commit().unwrap();
            is_clean(&db);
            let mut load = db.bulk_load().unwrap();
            load.add_node(["N"], [("name", "loaded")]).unwrap();
            load.finish(&mut Watch::quiet()).unwrap();
            is_clean(&db);
        },
    )
    .unwrap();
    let read = db.read().unwrap();
    let names = read.index("names").unwrap();
    assert_eq!(names.entries().unwrap(), 5000 - 2 * 3 + 2);
    let distinct = names.distinct().unwrap();
    assert!((4500..5500).contains(&distinct), "{distinct}");
    is_clean(&db);
}
