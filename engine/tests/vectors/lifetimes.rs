//! Indexes that are made, suspended, given up and dropped while others go on.

use super::beside::*;
use super::*;
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;
use stratigraph::clock::{Clock as _, SystemClock};
use stratigraph::{Effort, Error, ServedBy, VectorIndexState};

#[test]
fn a_load_that_began_while_an_index_is_made_is_in_it() {
    let db = Database::in_memory().unwrap();
    add(&db, 0..1500, 32);
    db.create_vector_index_in_background(VectorIndex::on_nodes("N", "v", 32).named("n"))
        .unwrap();
    let mut load = db.bulk_load().unwrap();
    for id in 1500..2500 {
        load.add_node(["N"], [("v", value(row(id, 32)))]).unwrap();
    }
    // Until it waits for the writer's place.
    sleep(3000);
    load.finish(&mut Watch::quiet()).unwrap();
    wait(&db);
    let query = row(1, 32);
    let search = VectorSearch::new(&query, 5000).effort(Effort::Exact);
    let answer = db.read().unwrap().search_vectors("n", &search).unwrap();
    assert_eq!(answer.served_by, ServedBy::Index);
    assert_eq!(answer.hits.len(), 2500, "{}", findings(&db));
}

fn one_more(db: &Database, id: u64) -> Result<(), Error> {
    let mut txn = db.write()?;
    txn.create_node(["N"], [("v", value(row(id, 128)))])?;
    txn.commit().map(drop)
}

#[test]
fn who_loses_the_writers_place_does_not_let_the_index_answer() {
    let folder = tempfile::tempdir().unwrap();
    let builder = Database::builder().create_if_missing(true);
    let db = builder.open(folder.path()).unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", 128).named("n"))
        .unwrap();
    for from in 0..10 {
        add(&db, from * 2000..from * 2000 + 2000, 128);
    }
    db.tend_vector_index("n").unwrap();
    db.close().unwrap();
    let builder = Database::builder().transaction_idle_limit(Duration::from_millis(50));
    let db = builder.open(folder.path()).unwrap();
    wait(&db);
    let rows = fs::read_dir(folder.path().join("vectors")).unwrap();
    let rows = rows.map(|entry| entry.unwrap().path());
    let rows = rows
        .into_iter()
        .find(|path| path.extension().unwrap() == "rows");
    let file = fs::OpenOptions::new()
        .write(true)
        .open(rows.unwrap())
        .unwrap();
    let zeros = vec![0; 20_000 * 128 * 4];
    std::os::unix::fs::FileExt::write_all_at(&file, &zeros, 0).unwrap();
    let query = row(5, 128);
    let answer = db.read().unwrap();
    let answer = answer
        .search_vectors("n", &VectorSearch::new(&query, 1))
        .unwrap();
    assert_eq!(answer.served_by, ServedBy::VectorsWhileMending);
    let mut id = 20_000;
    while !matches!(
        db.vector_indexes().unwrap()[0].state,
        VectorIndexState::Ready
    ) {
        // On a busy machine this writer loses its place as well.
        match one_more(&db, id) {
            Ok(()) => id += 1,
            Err(Error::TransactionExpired { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        sleep(1);
    }
    let search = VectorSearch::new(&query, 50_000).effort(Effort::Exact);
    let answer = db.read().unwrap().search_vectors("n", &search).unwrap();
    assert_eq!(answer.served_by, ServedBy::Index);
    assert_eq!(answer.hits.len() as u64, id, "{}", findings(&db));
}

#[test]
fn what_was_there_before_is_not_taken_back() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    txn.create_node(["N"], [("v", value([1.0; 3]))]).unwrap();
    txn.commit().unwrap();
    let index = || VectorIndex::on_nodes("N", "v", 2).named("n");
    db.create_vector_index_in_background(index()).unwrap();
    idle();
    db.create_vector_index(index().if_missing()).unwrap_err();
    let there = db.vector_indexes().unwrap().len();
    assert_eq!(
        there, 1,
        "`if_missing` leaves everything as it is if there is one"
    );
}

#[test]
fn an_index_that_was_dropped_before_it_was_begun_is_gone() {
    let db = Database::builder()
        .write_queue_timeout(Duration::from_secs(3))
        .in_memory()
        .unwrap();
    add(&db, 0..2000, 4);
    let mut dropped = false;
    let mut report = |_: stratigraph::storage::cancel::Progress<'_>| {
        if !dropped {
            dropped = true;
            db.drop_vector_index("n").unwrap();
        }
    };
    let index = VectorIndex::on_nodes("N", "v", 4).filterable(["year"]);
    let watch = &mut Watch::new(&mut report, CancelToken::new());
    let outcome = db.create_vector_index_watched(index.named("n"), watch);
    assert!(dropped && outcome.is_err());
    idle();
    let names: Vec<_> = db.vector_indexes().unwrap();
    assert_eq!(names.len(), 0, "{names:?}");
}

#[test]
fn what_is_no_vector_does_not_keep_its_node_from_changing() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let node = txn.create_node(["N"], [("v", 5)]).unwrap();
    txn.commit().unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", 2).named("n"))
        .unwrap();
    let mut txn = db.write().unwrap();
    txn.set_property(node, "name", "other").unwrap();
    txn.commit().unwrap();
}

#[test]
fn what_is_given_up_is_not_made_further() {
    let db = Database::in_memory().unwrap();
    add(&db, 0..20_000, 32);
    let cancel = CancelToken::new();
    let token = cancel.clone();
    let mut report = move |progress: stratigraph::storage::cancel::Progress<'_>| {
        if progress.done > 0 {
            token.cancel();
        }
    };
    let watch = &mut Watch::new(&mut report, cancel);
    let index = VectorIndex::on_nodes("N", "v", 32).breadth(400).named("n");
    let error = db.create_vector_index_watched(index, watch).unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error}");
    sleep(500);
    assert_eq!(jobs(), 0, "it is dropped, and still being made");
}

#[test]
fn a_close_does_not_wait_until_an_index_has_caught_up() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::create(folder.path()).unwrap();
    db.create_vector_index(VectorIndex::on_nodes("N", "v", 32).breadth(400).named("n"))
        .unwrap();
    let mut load = db.bulk_load().unwrap();
    for id in 0..20_000 {
        load.add_node(["N"], [("v", value(row(id, 32)))]).unwrap();
    }
    load.finish(&mut Watch::quiet()).unwrap();
    let clock = SystemClock::new();
    let began = clock.now();
    db.close().unwrap();
    let took = clock.now() - began;
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn an_index_that_was_dropped_while_it_was_made_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::create(folder.path()).unwrap();
    add(&db, 0..4000, 32);
    // Dropped before it has made its file, or after.
    for _ in 0..20 {
        db.create_vector_index_in_background(VectorIndex::on_nodes("N", "v", 32).named("n"))
            .unwrap();
        db.drop_vector_index("n").unwrap();
    }
    idle();
    let mut left = BTreeMap::new();
    files(&folder.path().join("vectors"), &mut left);
    assert_eq!(left, BTreeMap::new());
}
