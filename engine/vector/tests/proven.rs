//! What codes rule out by a proven bound: the answer is that of comparing all vectors whole, bit for bit.

mod shared;

use fastrand::Rng;
use roaring::RoaringBitmap;
use shared::{CODINGS, METRICS, Space, Told, rounds};
use std::collections::BTreeMap;
use stratigraph_vector::{
    Coding, Effort, How, Index, Measure, Metric, Query, Settings, Sifting, Strategy,
};

/// An index with a past: vectors that were replaced, removed, linked and not linked, many of them equal.
fn index(
    random: &mut Rng,
    (dimensions, metric, coding): (usize, Metric, Coding),
) -> (Index, Space, BTreeMap<u64, Vec<f32>>) {
    let space = Space::new(random, dimensions);
    let settings = Settings::new(dimensions, metric).coding(coding).links(6);
    let index = settings.memory_limit(64 << 20).build().unwrap();
    let mut model = BTreeMap::new();
    let few: Vec<Vec<f32>> = space.vectors(random, 20);
    for sequence in 1..=800 {
        let id = random.u64(..500) * random.u64(1..4);
        if random.u8(..5) == 0 {
            index.remove(sequence, id).unwrap();
            model.remove(&id);
            continue;
        }
        let vector = match random.bool() {
            true => space.vector(random),
            false => few[random.usize(..few.len())].clone(),
        };
        index.insert(sequence, id, &vector).unwrap();
        model.insert(id, vector);
        if sequence == 500 {
            index.tend(400);
        }
    }
    (index, space, model)
}

#[test]
fn the_answer_is_that_of_all_vectors() {
    for seed in 0..4 * rounds() {
        let mut random = Rng::with_seed(seed);
        for metric in METRICS {
            for coding in CODINGS {
                let dimensions = random.usize(1..100);
                let _told = Told(format!("seed {seed}, {metric:?} {coding:?} {dimensions}"));
                let (index, space, _) = index(&mut random, (dimensions, metric, coding));
                for _ in 0..20 {
                    let vector = space.vector(&mut random);
                    let some: RoaringBitmap = (0..800).filter(|_| random.bool()).collect();
                    let mut query = Query::new(&vector, [1, 3, 40, 5000][random.usize(..4)]);
                    if random.bool() {
                        query = query.within(&some);
                    }
                    if random.bool() {
                        query = query.at(random.u64(500..=800));
                    }
                    if random.bool() {
                        let all = index.search(&query.effort(Effort::Exact)).unwrap().hits;
                        if let Some(hit) = all.get(random.usize(..all.len().max(1))) {
                            query = query.threshold(hit.score);
                        }
                    }
                    let exact = index.search(&query.effort(Effort::Exact)).unwrap();
                    let proven = index.search(&query.effort(Effort::Proven)).unwrap();
                    assert_eq!(proven.hits, exact.hits);
                    assert_eq!(proven.how, How::Exact);
                    let codes = coding != Coding::Whole && metric != Metric::Euclidean;
                    if codes && exact.compared > 5000 {
                        assert_eq!(proven.strategy, Strategy::Proven);
                    }
                }
            }
        }
    }
}

#[test]
fn nobody_who_is_wanted_is_sifted_out() {
    let (mut scanned, mut in_doubt) = (0, 0);
    for seed in 0..6 * rounds() {
        let mut random = Rng::with_seed(seed);
        for metric in [Metric::Cosine, Metric::Dot] {
            for coding in [Coding::Halves, Coding::Bytes] {
                let _told = Told(format!("seed {seed}, {metric:?} {coding:?}"));
                let (index, space, model) = index(&mut random, (230, metric, coding));
                for _ in 0..15 {
                    let vector = space.vector(&mut random);
                    let every = random.u8(1..50);
                    // Also some that were never there.
                    let ids: Vec<u64> = (0..1600).filter(|_| random.u8(..every) == 0).collect();
                    let measure = Measure::to(metric, &vector).unwrap();
                    let scores: Vec<Option<f32>> = ids
                        .iter()
                        .map(|id| model.get(id).map(|row| measure.score(row).unwrap()))
                        .collect();
                    let mut known: Vec<f32> = scores.iter().flatten().copied().collect();
                    known.sort_by(|left, right| right.total_cmp(left));
                    let some = known.get(random.usize(..known.len().max(1)));
                    let at_least = some
                        .filter(|_| random.bool())
                        .map(|score| f64::from(*score));
                    let top = random.bool().then(|| random.usize(1..30));
                    let wanted = Sifting {
                        vector: &vector,
                        sequence: 800,
                        at_least,
                        top,
                    };
                    let sifted = index.sift(&ids, wanted).unwrap().unwrap();
                    let last = top.and_then(|top| known.get(top - 1)).copied();
                    for (place, score) in scores.iter().enumerate() {
                        let found = sifted.scored.iter().find(|(at, _)| *at == place);
                        let is_unknown = sifted.unknown.contains(&place);
                        assert_eq!(is_unknown, score.is_none());
                        let Some(score) = *score else { continue };
                        let is_wanted = at_least.is_none_or(|least| f64::from(score) >= least)
                            && last.is_none_or(|last| score >= last);
                        match found {
                            Some((_, found)) => assert_eq!(*found, score),
                            None => assert!(!is_wanted, "{wanted:?}: {score}"),
                        }
                    }
                    assert_eq!(sifted.scanned, known.len() as u64);
                    if at_least.is_some() || top.is_some() {
                        scanned += sifted.scanned;
                        in_doubt += sifted.scored.len() as u64;
                    }
                }
            }
        }
    }
    assert!(in_doubt * 2 < scanned, "{in_doubt} of {scanned} are left");
}

#[test]
fn what_proves_nothing_sifts_nothing() {
    let wanted = Sifting {
        vector: &[1.0, 0.0],
        sequence: 1,
        at_least: Some(0.5),
        top: None,
    };
    for (metric, coding) in [
        (Metric::Euclidean, Coding::Bytes),
        (Metric::Cosine, Coding::Whole),
    ] {
        let settings = Settings::new(2, metric).coding(coding);
        let index = settings.memory_limit(1 << 20).build().unwrap();
        index.insert(1, 7, &[0.0, 1.0]).unwrap();
        assert_eq!(index.sift(&[7], wanted).unwrap(), None);
    }
}
