//! Where the nearest lie so densely that codes cannot tell them apart, they are found all the same.

mod shared;

use fastrand::Rng;
use roaring::RoaringBitmap;
use shared::{METRICS, Space, Told};
use stratigraph_vector::{Coding, Effort, Index, Metric, Query, Settings, Strategy};

const COUNT: u64 = 3000;
const K: usize = 10;

fn filled(random: &mut Rng, space: &Space, coding: Coding, metric: Metric) -> Index {
    let settings = Settings::new(space.dimensions, metric).coding(coding);
    let index = settings.memory_limit(64 << 20).build().unwrap();
    for id in 0..COUNT {
        index.insert(1, id, &space.vector(random)).unwrap();
    }
    index.tend(1);
    index
}

/// The slots of the nearest to the farthest.
fn ranked(index: &Index, query: &[f32]) -> Vec<u32> {
    let all = Query::new(query, COUNT as usize).effort(Effort::Exact);
    let hits = index.search(&all).unwrap().hits;
    hits.iter().map(|hit| hit.slot).collect()
}

/// Whoever is allowed begins at some rank: the farther, the less the first few differ.
#[test]
fn sets_far_from_the_query_are_searched_as_well() {
    let mut random = Rng::with_seed(9);
    for (dimensions, coding) in [
        (384, Coding::Halves),
        (100, Coding::Halves),
        (100, Coding::Bytes),
        (20, Coding::Bytes),
        (20, Coding::Whole),
    ] {
        let space = Space::new(&mut random, dimensions);
        for metric in METRICS {
            let index = filled(&mut random, &space, coding, metric);
            let (mut right, mut all) = (0, 0);
            for query in space.vectors(&mut random, 10) {
                let ranked = ranked(&index, &query);
                for first in [0, 30, 300, 1500, 2700] {
                    let allowed: RoaringBitmap = ranked[first..].iter().copied().collect();
                    let query = Query::new(&query, K).within(&allowed);
                    let answer = index.search(&query.effort(Effort::Scan)).unwrap();
                    assert_eq!(answer.hits.len(), K);
                    let truth = &ranked[first..first + K];
                    let hits = answer.hits.iter();
                    right += hits.filter(|hit| truth.contains(&hit.slot)).count();
                    all += K;
                }
            }
            let _told = Told(format!("{dimensions} {coding:?} {metric:?}"));
            assert!(right * 1000 >= all * 995, "{right} of {all}");
        }
    }
}

#[test]
fn a_set_around_the_query_is_found_by_a_walk_although_it_is_small() {
    let mut random = Rng::with_seed(10);
    let space = Space::new(&mut random, 24);
    let settings = Settings::new(24, Metric::Cosine).links(8).breadth(40);
    let index = settings.memory_limit(64 << 20).build().unwrap();
    for id in 0..20_000 {
        index.insert(1, id, &space.vector(&mut random)).unwrap();
    }
    index.tend(1);
    let (mut right, mut walks) = (0, 0);
    for query in space.vectors(&mut random, 20) {
        let all = Query::new(&query, 5000).effort(Effort::Scan);
        let near = index.search(&all).unwrap().hits;
        let allowed: RoaringBitmap = near.iter().map(|hit| hit.slot).collect();
        let asked = Query::new(&query, K).within(&allowed);
        let answer = index.search(&asked.effort(Effort::Breadth(100))).unwrap();
        let truth = index.search(&asked.effort(Effort::Exact)).unwrap().hits;
        walks += u32::from(answer.strategy == Strategy::WalkAccepting);
        right += truth.iter().filter(|hit| answer.hits.contains(hit)).count();
    }
    assert!(walks >= 18, "{walks} walks");
    assert!(right >= 190, "{right} of 200");
}
