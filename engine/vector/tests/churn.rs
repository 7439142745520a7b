//! Hazards of coming and going, by their numbers in `reliability.md`: V2, that who was removed is found; V3, that
//! an id that is used again scores as its old vector; V4, that filters and removals together find too few.

mod shared;

use fastrand::Rng;
use roaring::RoaringBitmap;
use shared::model::{Model, Wish};
use shared::{METRICS, Space, Told, rounds};
use std::collections::HashMap;
use stratigraph_vector::{Coding, Effort, How, Index, Kernels, Metric, Query, Settings};

/// 50,000 mixed operations; a million with 20 rounds.
#[test]
fn who_was_removed_is_never_found() {
    for seed in 0..rounds() {
        let _told = Told(format!("seed {seed}"));
        let mut random = Rng::with_seed(seed);
        let space = Space::new(&mut random, 16);
        let metric = METRICS[seed as usize % 3];
        let index = Settings::new(16, metric)
            .links(8)
            .breadth(48)
            .memory_limit(64 << 20)
            .build()
            .unwrap();
        let mut living: HashMap<u64, Vec<f32>> = HashMap::new();
        let mut found = 0;
        for sequence in 0..50_000 {
            let id = random.u64(..6000);
            match random.u8(..10) {
                0..4 => {
                    let vector = space.vector(&mut random);
                    index.insert(sequence, id, &vector).unwrap();
                    living.insert(id, vector);
                }
                4..7 => {
                    let removed = index.remove(sequence, id).unwrap();
                    assert_eq!(removed, living.remove(&id).is_some());
                }
                _ => {
                    let query = space.vector(&mut random);
                    let k = random.usize(1..20);
                    let answer = index.search(&Query::new(&query, k)).unwrap();
                    assert_eq!(answer.hits.len(), k.min(living.len()));
                    for hit in &answer.hits {
                        let Some(vector) = living.get(&hit.id) else {
                            panic!("{} was removed, at {sequence}", hit.id);
                        };
                        assert_eq!(index.slot(hit.id), Some(hit.slot));
                        let off = (hit.score - score(metric, &query, vector)).abs();
                        assert!(
                            off <= 1e-5 * hit.score.abs().max(1.0),
                            "{hit:?} is off by {off}"
                        );
                        found += 1;
                    }
                }
            }
            if random.u32(..400) == 0 {
                index.tend(sequence);
            }
        }
        assert_eq!(index.len(), living.len());
        assert!(found > 50_000);
    }
}

fn score(metric: Metric, left: &[f32], right: &[f32]) -> f32 {
    let kernels = Kernels::best();
    match metric {
        Metric::Cosine => kernels.cosine(left, right).unwrap().unwrap(),
        Metric::Dot => kernels.dot(left, right).unwrap(),
        Metric::Euclidean => kernels.squared_l2(left, right).unwrap(),
    }
}

/// 5,000 times; a hundred thousand with 20 rounds.
#[test]
fn an_id_that_is_used_again_has_its_new_vector() {
    let mut random = Rng::with_seed(7);
    let space = Space::new(&mut random, 12);
    for coding in [Coding::Bytes, Coding::Halves, Coding::Whole] {
        let index = Settings::new(12, Metric::Euclidean)
            .coding(coding)
            .links(6)
            .breadth(32)
            .memory_limit(32 << 20)
            .build()
            .unwrap();
        for id in 0..2000 {
            index.insert(0, id, &space.vector(&mut random)).unwrap();
        }
        let mut sequence = 0;
        for round in 0..1700 * rounds() {
            let id = random.u64(..2000);
            let vector = space.vector(&mut random);
            sequence += 1;
            assert!(index.remove(sequence, id).unwrap());
            if round % 3 == 0 {
                index.tend(sequence);
            }
            sequence += random.u64(..2);
            index.insert(sequence, id, &vector).unwrap();
            if round % 7 == 0 {
                index.tend(sequence);
            }
            let hit = index.search(&Query::new(&vector, 1)).unwrap().hits[0];
            assert!(
                hit.id == id && hit.score == 0.0,
                "{coding:?} round {round}: {hit:?}"
            );
            // From far away, it is where it is now.
            let from = space.vector(&mut random);
            let slot = index.slot(id).unwrap();
            let query = Query::new(&from, 1);
            let only = RoaringBitmap::from([slot]);
            let hit = index.search(&query.within(&only)).unwrap().hits[0];
            let want = Kernels::best().squared_l2(&from, &vector).unwrap();
            assert!(
                (hit.score - want).abs() <= 1e-5 * want,
                "{coding:?} round {round}: {hit:?}"
            );
            assert_eq!(hit.id, id);
        }
    }
}

/// An index of which half is gone, most of it still in the graph.
fn half_gone(metric: Metric, random: &mut Rng, space: &Space, tended: bool) -> (Index, Model) {
    let coding = Coding::Bytes;
    let settings = Settings::new(space.dimensions, metric)
        .coding(coding)
        .memory_limit(128 << 20);
    let index = settings.build().unwrap();
    let mut model = Model::new(metric, coding);
    let count = 20_000 * rounds().min(5);
    for id in 0..count {
        let vector = space.vector(random);
        index.insert(id, id, &vector).unwrap();
        model.insert_new(id, id, index.slot(id).unwrap(), &vector);
    }
    index.tend(0);
    for id in (0..count).filter(|id| id % 2 == 0) {
        index.remove(count, id).unwrap();
    }
    model.lives.retain(|life| life.id % 2 == 1);
    if tended {
        index.tend(count);
    }
    (index, model)
}

#[test]
fn a_filter_over_removals_finds_as_many_as_there_are() {
    let mut random = Rng::with_seed(11);
    for (metric, tended) in [(Metric::Cosine, false), (Metric::Euclidean, true)] {
        let space = Space::new(&mut random, 24);
        let (index, model) = half_gone(metric, &mut random, &space, tended);
        let slots: Vec<u32> = model.lives.iter().map(|life| life.slot).collect();
        for share in [0.0001, 0.001, 0.009, 0.1, 0.3, 0.5] {
            let (mut right, mut all) = (0, 0);
            for _ in 0..30 {
                let mut within: RoaringBitmap = slots
                    .iter()
                    .copied()
                    .filter(|_| random.f64() < share)
                    .collect();
                // Those that are gone do not count, though the filter has them.
                within.extend(
                    (0..2000)
                        .map(|_| random.u32(..20_000))
                        .filter(|_| share > 0.2),
                );
                let mut wish = Wish::plain(&space.vector(&mut random), 10);
                wish.within = Some(within);
                let truth = model.truth(&wish);
                let effort = Effort::Breadth(64);
                let answer = index.search(&wish.query(effort)).unwrap();
                let found = model.check(&wish, &truth, effort, &answer);
                if share < 0.01 {
                    assert_eq!(found, truth.nearest.len(), "{metric:?}, share {share}");
                }
                right += found;
                all += truth.nearest.len();
            }
            assert!(
                right as f64 >= 0.95 * all as f64,
                "{metric:?}, share {share}: {right} of {all}"
            );
        }
        only_the_nearest(&index, &model, &space, &mut random);
    }
}

/// A filter that only the true nearest passes, or the true farthest.
fn only_the_nearest(index: &Index, model: &Model, space: &Space, random: &mut Rng) {
    for _ in 0..20 {
        let vector = space.vector(random);
        let ranked = model.truth(&Wish::plain(&vector, usize::MAX)).nearest;
        for (score, id) in [ranked[0], *ranked.last().unwrap()] {
            let within = RoaringBitmap::from([index.slot(id).unwrap()]);
            for effort in [
                Effort::Breadth(1),
                Effort::Scan,
                Effort::Exact,
                Effort::Recall(0.9),
            ] {
                let query = Query::new(&vector, 10).effort(effort).within(&within);
                let answer = index.search(&query).unwrap();
                assert_eq!(answer.hits.len(), 1);
                assert_eq!((answer.hits[0].score, answer.hits[0].id), (score, id));
                assert_eq!(answer.how, How::Exact, "one is compared whole");
            }
        }
    }
}
