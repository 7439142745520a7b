//! Projections of a database: what is kept, what is built once, and how building ends early.

use super::cache::Found;
use super::*;
use crate::algo::random_graph::watched;
use crate::algo::traverse::{Keep, NodeScorer, Recover, Traverse, Where};
use crate::algo::{AlgoError, Projection};
use crate::clock::SystemClock;
use crate::storage::cancel::{CancelToken, Progress, Watch};
use crate::value::{NodeId, Value, Vector};
use crate::{Database, Direction, Error, HierarchyOptions, NO_PROPERTIES, Read, ReadTxn};
use roaring::RoaringTreemap;
use std::sync::{Arc, Barrier, mpsc};
use std::time::Duration;

/// A database of so many nodes labelled A, with two relationships of type T from each, of weight 1
/// but for those in `weights`.
fn database(nodes: usize, cache_bytes: u64, weights: &[(usize, Value)]) -> Database {
    let builder = Database::builder().projection_cache_bytes(cache_bytes);
    let db = builder.in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let ids: Vec<NodeId> = (0..nodes)
        .map(|_| txn.create_node(["A"], NO_PROPERTIES).unwrap())
        .collect();
    for at in 0..nodes * 2 {
        let weight = weights.iter().find(|(of, _)| *of == at);
        let weight = weight.map_or(Value::Float(1.0), |(_, weight)| weight.clone());
        let (from, to) = (ids[at % nodes], ids[at * 13 % nodes]);
        txn.create_relationship(from, "T", to, [("w", weight)])
            .unwrap();
    }
    txn.commit().unwrap();
    db
}

/// The same projection by as many keys as one likes.
fn named(name: &str) -> Selection {
    Selection::all()
        .relationship_type("T")
        .relationship_type(name)
}

fn same(read: &ReadTxn, one: &Selection, other: &Selection) -> bool {
    Arc::ptr_eq(&read.project(one).unwrap(), &read.project(other).unwrap())
}

#[test]
fn more_threads_than_make_sense_are_not_started() {
    let most = Selection::all().threads(usize::MAX);
    assert_eq!(most, Selection::all().threads(64));
    assert_eq!(Selection::all().threads(0), Selection::all().threads(1));
}

/// Projects on one thread, and on a second one as soon as the first is at work; the first goes on, or
/// is cancelled, once the second has reported something.
fn at_the_same_time(
    cancel_first: bool,
) -> (
    Result<Arc<Projection>, AlgoError>,
    Result<Arc<Projection>, AlgoError>,
) {
    let db = database(200, 1 << 20, &[]);
    let read = &db.read().unwrap();
    let token = CancelToken::new();
    let (started, start) = mpsc::channel();
    let (answered, answer) = mpsc::channel();
    std::thread::scope(|scope| {
        let other = scope.spawn(move || {
            start.recv().unwrap();
            let mut report = |_: Progress<'_>| answered.send(()).unwrap();
            let watch = &mut Watch::new(&mut report, CancelToken::new());
            read.project_watched(&Selection::all(), watch)
        });
        let mut waits = true;
        let mut report = |_: Progress<'_>| {
            if std::mem::take(&mut waits) {
                started.send(()).unwrap();
                answer.recv_timeout(Duration::from_secs(20)).unwrap();
                if cancel_first {
                    token.cancel();
                }
            }
        };
        let watch = &mut Watch::new(&mut report, token.clone());
        let one = read.project_watched(&Selection::all(), watch);
        (one, other.join().unwrap())
    })
}

#[test]
fn the_true_error_comes_out_whoever_meets_it() {
    // The first relationship of the second portion: the first portion is stopped by it.
    let db = database(1000, 0, &[(1000, Value::Float(-1.0))]);
    let read = db.read().unwrap();
    for _ in 0..50 {
        let error = read.project(&Selection::all().weight("w")).unwrap_err();
        assert!(
            matches!(error, AlgoError::BadWeight { weight, .. } if weight == -1.0),
            "{error}"
        );
    }
}

#[test]
fn a_weight_that_is_no_number_is_named_by_its_kind() {
    let db = database(20, 0, &[(7, "heavy".into())]);
    let read = db.read().unwrap();
    let error = read.project(&Selection::all().weight("w")).unwrap_err();
    let expected = "property w of relationship 7 is a string: weights are numbers";
    assert_eq!(error.to_string(), expected);
    let elsewhere = Selection::all().label("Nobody").weight("w");
    assert_eq!(read.project(&elsewhere).unwrap().skipped(), 40);
}

#[test]
fn reading_relationships_is_reported_and_may_be_cancelled() {
    let db = database(20_000, 0, &[]);
    let read = db.read().unwrap();
    for selection in [Selection::all(), Selection::all().weight("w")] {
        for threads in [1, 2] {
            let token = CancelToken::new();
            let mut steps = Vec::new();
            let mut report = |progress: Progress<'_>| {
                if progress.step == "read the relationships" && progress.done > 0 {
                    assert!(progress.done <= progress.total);
                    token.cancel();
                }
                steps.push(progress.step.to_owned());
            };
            let watch = &mut Watch::new(&mut report, token.clone());
            let result = read.project_watched(&selection.clone().threads(threads), watch);
            assert!(matches!(result, Err(AlgoError::Engine(Error::Cancelled))));
            assert_eq!(steps.last().unwrap(), "read the relationships");
        }
    }
}
