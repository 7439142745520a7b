//! Projections of a database: what is kept, what is built once, and how building ends early.

use super::cache::Found;
use super::*;
use crate::algo::random_graph::cancelled_after;
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
fn a_projection_may_grow_while_others_push_it_out() {
    let db = database(300, 0, &[]);
    let read = db.read().unwrap();
    let tiny = read.project(&Selection::all().label("Nobody")).unwrap();
    for _ in 0..400 {
        let large = read.project(&Selection::all()).unwrap();
        let cache = ProjectionCache::new(large.bytes() + tiny.bytes() - 1);
        let ask = |selection, projection| {
            let found = cache.find(read.commit_seq(), &selection, &mut Watch::quiet());
            if let Found::Missing(claim) = found.unwrap() {
                claim.keep(projection);
            }
        };
        let begin = Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                begin.wait();
                large.incoming().unwrap();
            });
            begin.wait();
            while large.incoming_if_built().is_none() {
                ask(named("large"), &large);
                ask(named("tiny"), &tiny);
            }
        });
    }
}

#[test]
fn what_is_kept_stays_within_the_limit_though_it_grows() {
    let limit = 200_000;
    let db = database(3000, limit, &[]);
    let read = db.read().unwrap();
    let project = || -> Vec<Arc<Projection>> {
        let names = ["first", "second", "third"];
        names.map(|name| read.project(&named(name)).unwrap()).into()
    };
    let first = project();
    assert!(first.iter().map(|one| one.bytes()).sum::<u64>() <= limit);
    for projection in &first {
        projection.incoming().unwrap();
    }
    assert!(first.iter().map(|one| one.bytes()).sum::<u64>() > limit);
    let second = project();
    let pairs = first.iter().zip(&second);
    let kept: u64 = pairs
        .filter(|(before, after)| Arc::ptr_eq(before, after))
        .map(|(before, _)| before.bytes())
        .sum();
    assert!(kept <= limit, "{kept} bytes are kept, over {limit}");
}

#[test]
fn the_key_is_what_is_projected_not_how() {
    let db = database(50, 1 << 20, &[]);
    let read = db.read().unwrap();
    let plain = Selection::all().label("A").label("B").threads(1);
    let other = Selection::all().label("B").label("A").label("B").threads(7);
    assert!(same(&read, &plain, &other));
    assert!(same(
        &read,
        &Selection::all()
            .relationship_type("T")
            .relationship_type("U"),
        &Selection::all()
            .relationship_type("U")
            .relationship_type("T"),
    ));
    assert!(!same(&read, &plain, &Selection::all().label("A")));

    // Less memory may be allowed than before, as long as it is enough.
    let projection = read.project(&plain).unwrap();
    let enough = plain.clone().max_bytes(projection.bytes());
    assert!(same(&read, &plain, &enough));
    let little = plain.clone().max_bytes(projection.bytes() - 1);
    let refused = read.project(&little).unwrap_err();
    assert!(matches!(refused, AlgoError::TooLarge { .. }), "{refused}");
    // And more: then it may grow more.
    let tight = Selection::all().max_bytes(1 << 24);
    let roomy = Selection::all().max_bytes(1 << 30);
    assert!(!same(&read, &tight, &roomy));
    assert!(same(&read, &tight, &roomy));
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
fn two_who_ask_at_once_get_one_projection() {
    let (one, other) = at_the_same_time(false);
    assert!(Arc::ptr_eq(&one.unwrap(), &other.unwrap()));
}

#[test]
fn who_waits_builds_it_if_the_builder_gives_up() {
    let (one, other) = at_the_same_time(true);
    assert!(matches!(one, Err(AlgoError::Engine(Error::Cancelled))));
    assert_eq!(other.unwrap().len(), 200);
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
fn reading_a_column_may_be_stopped_and_what_was_read_is_not_kept() {
    let db = database(5000, 1 << 24, &[(7, Value::Float(2.0))]);
    let read = db.read().unwrap();
    let weight = read.catalog().properties.id("w").unwrap();
    // Where it is stopped is seen with the next few thousand.
    for (of, entries, values, looks) in [
        (ColumnOf::Nodes, 5000, 1, 2),
        (ColumnOf::Relationships(None), 10_000, 2, 3),
    ] {
        let column = |watch: &mut Watch<'_>| read.column(&of, weight, usize::MAX, watch);
        for steps in 0..looks - 1 {
            let stopped = cancelled_after(steps, column);
            assert!(matches!(stopped, Err(Error::Cancelled)), "{of:?}, {steps}");
        }
        let whole = column(&mut Watch::quiet()).unwrap().unwrap();
        assert_eq!(whole.codes().len(), entries, "{of:?}");
        assert_eq!(whole.values().len(), values, "{of:?}");
        // What is kept is not read again, and nobody is asked.
        let kept = cancelled_after(0, column).unwrap().unwrap();
        assert!(Arc::ptr_eq(&whole, &kept), "{of:?}");
    }
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

#[test]
fn a_property_without_vectors_is_named() {
    let db = database(2, 0, &[]);
    let read = db.read().unwrap();
    for property in ["emb", "w"] {
        let table = VectorTable::read(&read, property, None).unwrap();
        let error = table.rows().unwrap_err();
        let expected = format!("no node has a vector in property {property}");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn vectors_are_read_within_a_limit() {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    for at in 0..100_u8 {
        let vector = Value::Vector(Vector::new(vec![f32::from(at); 30]).unwrap());
        txn.create_node(["A"], [("emb", vector)]).unwrap();
    }
    let within = |read: &ReadTxn, bytes| VectorTable::read_within(read, "emb", None, bytes);
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let whole = VectorTable::read(&read, "emb", None).unwrap();
    assert_eq!((whole.nodes().len(), whole.dimension()), (100, 30));
    // A row is an id and thirty numbers.
    let enough = within(&read, 100 * 128).unwrap();
    assert_eq!(enough.components(), whole.components());
    for bytes in [0, 1, 127, 128 * 50, 128 * 100 - 1] {
        let error = within(&read, bytes).unwrap_err();
        assert!(
            matches!(error, Error::VectorsTooLarge { limit_bytes, .. } if limit_bytes == bytes)
        );
        assert_eq!(error.kind(), crate::ErrorKind::Request);
    }
    let few: RoaringTreemap = whole.nodes()[..50].iter().map(|node| node.get()).collect();
    let few = VectorTable::read_within(&read, "emb", Some(&few), 128 * 50).unwrap();
    assert_eq!(few.components(), &whole.components()[..1500]);
}

/// Nodes that lie together, alone, or far apart; some without a vector, some with one of another length.
#[test]
fn the_vectors_of_some_nodes_are_those_of_all() {
    let mut random = fastrand::Rng::with_seed(11);
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let mut own = Vec::new();
    for at in 0..600_u16 {
        let length = match random.u8(0..10) {
            0 => None,
            1 => Some(4),
            _ => Some(3),
        };
        let components = length.map(|length| vec![f32::from(at); length]);
        let vector = components
            .clone()
            .map(|of| ("emb", Value::Vector(Vector::new(of).unwrap())));
        own.push((txn.create_node(["A"], vector).unwrap(), components));
    }
    txn.commit().unwrap();
    let check = |read: &dyn Fn(&[NodeId]) -> VectorTable, random: &mut fastrand::Rng| {
        for share in [1, 2, 9, 30, 200] {
            let (mut wanted, mut at) = (Vec::new(), 0);
            while at < own.len() {
                // Runs, as children of one node are.
                let run = random.usize(1..40).min(own.len() - at);
                if random.usize(0..share) == 0 {
                    wanted.extend(own[at..at + run].iter());
                }
                at += run;
            }
            let nodes: Vec<NodeId> = wanted.iter().map(|(node, _)| *node).collect();
            let table = read(&nodes);
            let mut fits: Vec<&(NodeId, Option<Vec<f32>>)> = wanted;
            fits.retain(|(_, of)| of.as_ref().is_some_and(|of| of.len() == 3));
            let expected: Vec<NodeId> = fits.iter().map(|(node, _)| *node).collect();
            assert_eq!(table.nodes(), expected);
            let all: Vec<f32> = fits
                .iter()
                .flat_map(|(_, of)| of.clone().unwrap())
                .collect();
            assert_eq!(table.components(), all);
        }
    };
    let read = db.read().unwrap();
    let txn = db.write().unwrap();
    for _ in 0..20 {
        let stored = |nodes: &[NodeId]| VectorTable::of_nodes(&read, "emb", nodes, 3).unwrap();
        check(&stored, &mut random);
        let written = |nodes: &[NodeId]| VectorTable::of_nodes(&txn, "emb", nodes, 3).unwrap();
        check(&written, &mut random);
    }
}

#[test]
fn recover_over_a_hierarchy_ends_with_it() {
    let db = Database::in_memory().unwrap();
    db.create_hierarchy(HierarchyOptions::new("outline", "T"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let [top, middle, low] = [(); 3].map(|()| txn.create_node(["A"], NO_PROPERTIES).unwrap());
    txn.create_relationship(top, "T", middle, NO_PROPERTIES)
        .unwrap();
    txn.create_relationship(middle, "T", low, NO_PROPERTIES)
        .unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let outline = read.hierarchy("outline").unwrap();
    let run = |last: u32, from: NodeId| {
        let score = |node: NodeId, _| Ok(Some(if node == low { 0.9 } else { 0.1 }));
        let keep = || Keep::all().only(Where::Above(0.5));
        let mut steps = GraphSteps::new(&read, Direction::Outgoing, Some("T")).unwrap();
        Traverse::from([from])
            .levels(0, Some(last))
            .scorer(NodeScorer(score))
            .keep(keep())
            .recover(Recover::new(HierarchyMembers::new(&outline), keep()))
            .run(&mut steps, &SystemClock::new())
            .unwrap()
    };
    for (last, levels) in [(0, 1), (1, 2), (2, 3), (100_000, 3)] {
        let found = run(last, top);
        assert_eq!(found.summary.levels, levels, "to {last}");
        assert!(!found.summary.truncated);
        let expected: &[NodeId] = if last < 2 { &[] } else { &[low] };
        assert_eq!(found.rows.nodes(), expected);
    }
}
