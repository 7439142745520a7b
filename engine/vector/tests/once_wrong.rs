//! What once went wrong, each as small as it can be.

mod shared;

use fastrand::Rng;
use roaring::RoaringBitmap;
use shared::{METRICS, Space};
use stratigraph_vector::{Coding, Effort, How, Metric, Query, Settings};

/// An exact search that may look at nothing gave the hits of the search before it.
#[test]
fn nothing_is_found_where_nothing_is_allowed() {
    let index = Settings::new(2, Metric::Dot)
        .memory_limit(1 << 20)
        .build()
        .unwrap();
    index.insert(1, 1, &[1.0, 0.0]).unwrap();
    let query = Query::new(&[1.0, 1.0], 5).effort(Effort::Exact);
    assert_eq!(index.search(&query).unwrap().hits.len(), 1);
    let nobody = RoaringBitmap::from([7, u32::MAX]);
    assert_eq!(index.search(&query.within(&nobody)).unwrap().hits, []);
    assert_eq!(index.search(&query.at(0)).unwrap().hits, []);
}

/// A slot that there is not, in a set of those that are allowed, took memory for all slots before it, and
/// sets of many of those made a search walk where there was little to find.
#[test]
fn slots_that_are_not_there_cost_nothing() {
    let mut random = Rng::with_seed(1);
    let space = Space::new(&mut random, 8);
    let index = Settings::new(8, Metric::Cosine)
        .links(4)
        .memory_limit(4 << 20)
        .build()
        .unwrap();
    for id in 0..6000 {
        index.insert(1, id, &space.vector(&mut random)).unwrap();
    }
    index.tend(1);
    let query = space.vector(&mut random);
    let mut within: RoaringBitmap = (0..6000).filter(|slot| slot % 3 == 0).collect();
    let query = Query::new(&query, 5).effort(Effort::Breadth(10));
    let before = index.search(&query.within(&within)).unwrap();
    let memory = index.memory().rooms;
    within.insert(u32::MAX);
    assert_eq!(index.search(&query.within(&within)).unwrap(), before);
    assert_eq!(index.memory().rooms, memory);
    within.insert_range(1_000_000..9_000_000);
    let after = index.search(&query.within(&within)).unwrap();
    assert_eq!((after.strategy, after.hits), (before.strategy, before.hits));
}

/// A scan of whole vectors called itself exact though it had chosen among equals by chance.
#[test]
fn of_many_that_are_equal_the_smallest_ids_are_found_or_the_answer_is_not_called_exact() {
    for metric in METRICS {
        let index = Settings::new(3, metric)
            .coding(Coding::Whole)
            .memory_limit(1 << 20)
            .build()
            .unwrap();
        for id in (0..100).rev() {
            index.insert(1, id, &[1.0, 2.0, 3.0]).unwrap();
        }
        let search = |k, effort| {
            let answer = index
                .search(&Query::new(&[1.0, 2.0, 3.5], k).effort(effort))
                .unwrap();
            let ids: Vec<u64> = answer.hits.iter().map(|hit| hit.id).collect();
            (ids, answer.how)
        };
        for k in [1, 5, 20, 100] {
            let wanted: Vec<u64> = (0..k as u64).collect();
            assert_eq!(search(k, Effort::Exact), (wanted.clone(), How::Exact));
            let (ids, how) = search(k, Effort::Scan);
            assert!(
                how == How::Approximate || ids == wanted,
                "{metric:?} {k}: {ids:?}"
            );
        }
    }
}

/// What was measured while the index was small was believed for ever.
#[test]
fn recall_is_measured_again_when_the_index_has_grown() {
    let mut random = Rng::with_seed(3);
    let space = Space::new(&mut random, 16);
    let index = Settings::new(16, Metric::Cosine)
        .links(3)
        .breadth(12)
        .memory_limit(32 << 20)
        .build()
        .unwrap();
    let grow = |ids: std::ops::Range<u64>, random: &mut Rng| {
        for id in ids {
            index.insert(id, id, &space.vector(random)).unwrap();
        }
    };
    let right = |effort, random: &mut Rng| {
        let mut right = 0;
        for query in space.vectors(random, 50) {
            let query = Query::new(&query, 10);
            let found = index.search(&query.effort(effort)).unwrap().hits;
            let truth = index.search(&query.effort(Effort::Exact)).unwrap().hits;
            right += truth.iter().filter(|hit| found.contains(hit)).count();
        }
        right
    };
    grow(0..100, &mut random);
    index.tend(0);
    assert!(right(Effort::Recall(0.97), &mut random) >= 485);
    grow(100..10_000, &mut random);
    let query = space.vector(&mut random);
    let stale = index.search(&Query::new(&query, 10)).unwrap();
    assert_eq!(
        stale.estimated_recall, None,
        "nobody knows how good it is now"
    );
    index.tend(0);
    assert!(
        right(Effort::Breadth(10), &mut random) < 400,
        "it takes more than the least"
    );
    let found = right(Effort::Recall(0.97), &mut random);
    assert!(found >= 475, "{found} of 500");
    let known = index.search(&Query::new(&query, 10)).unwrap();
    assert!(known.estimated_recall.is_some());
}
