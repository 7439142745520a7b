//! A search ends when whoever asked says so, whatever way it takes, and the index answers as before.

use roaring::RoaringBitmap;
use std::sync::atomic::{AtomicU32, Ordering};
use stratigraph_vector::{Coding, Effort, IndexError, Metric, Query, Settings};

const VECTORS: u64 = 6000;
const DIMENSIONS: usize = 8;

#[test]
fn a_search_ends_when_it_is_stopped() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut vector = || -> Vec<f32> { (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect() };
    for coding in [Coding::Halves, Coding::Bytes, Coding::Whole] {
        let settings = Settings::new(DIMENSIONS, Metric::Euclidean).coding(coding);
        let index = settings.memory_limit(64 << 20).build().unwrap();
        for id in 0..VECTORS {
            index.insert(id + 1, id, &vector()).unwrap();
        }
        index.tend(VECTORS);
        let some: RoaringBitmap = (0..4000).collect();
        let query = vector();
        for effort in [
            Effort::Exact,
            Effort::Scan,
            Effort::Breadth(100),
            Effort::Breadth(5000),
        ] {
            for within in [None, Some(&some)] {
                let mut plain = Query::new(&query, 20).effort(effort);
                if let Some(within) = within {
                    plain = plain.within(within);
                }
                let asked = AtomicU32::new(0);
                let counts = || {
                    asked.fetch_add(1, Ordering::Relaxed);
                    false
                };
                let answer = index.search(&plain.stop_when(&counts)).unwrap();
                assert_eq!(answer, index.search(&plain).unwrap());
                let asked = asked.into_inner();
                let compared = answer.compared;
                assert!(
                    u64::from(asked) * 2500 >= compared,
                    "{coding:?} {effort:?}: asked {asked} times for {compared}"
                );
                for last in [1, asked] {
                    let asked = AtomicU32::new(0);
                    let stops = || asked.fetch_add(1, Ordering::Relaxed) + 1 >= last;
                    let stopped = index.search(&plain.stop_when(&stops));
                    assert_eq!(stopped, Err(IndexError::Stopped), "{coding:?} {effort:?}");
                    assert_eq!(asked.into_inner(), last, "it goes on for nobody");
                }
                assert_eq!(index.search(&plain).unwrap().hits, answer.hits);
            }
        }
    }
}
