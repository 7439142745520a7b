//! V15: an answer says which way it was found, and about how much of the truth it has.

mod shared;

use fastrand::Rng;
use roaring::RoaringBitmap;
use shared::Space;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use stratigraph_vector::{
    Answer, Coding, Effort, How, Index, IndexError, Metric, Originals, Query, Rerank, Settings,
    Strategy, Wanted,
};

const COUNT: u64 = 12_000;

fn filled(random: &mut Rng, space: &Space, coding: Coding) -> Index {
    let settings = Settings::new(space.dimensions, Metric::Cosine)
        .coding(coding)
        .links(6)
        .breadth(40);
    let index = settings.memory_limit(64 << 20).build().unwrap();
    for id in 0..COUNT {
        index.insert(id, id, &space.vector(random)).unwrap();
    }
    index.tend(0);
    index
}

fn recall(
    index: &Index,
    queries: &[Vec<f32>],
    k: usize,
    effort: Effort,
    within: Option<&RoaringBitmap>,
) -> (f32, Answer) {
    let (mut right, mut all, mut last) = (0, 0, None);
    for query in queries {
        let mut query = Query::new(query, k);
        if let Some(within) = within {
            query = query.within(within);
        }
        let answer = index.search(&query.effort(effort)).unwrap();
        let truth = index.search(&query.effort(Effort::Exact)).unwrap().hits;
        right += truth.iter().filter(|hit| answer.hits.contains(hit)).count();
        all += truth.len();
        last = Some(answer);
    }
    (right as f32 / all as f32, last.unwrap())
}

#[test]
fn estimates_are_near_the_truth() {
    let mut random = Rng::with_seed(1);
    let space = Space::new(&mut random, 32);
    for coding in [Coding::Halves, Coding::Bytes, Coding::Whole] {
        let index = filled(&mut random, &space, coding);
        let queries = space.vectors(&mut random, 200);
        let before = index.search(&Query::new(&queries[0], 10)).unwrap();
        assert_eq!(
            (before.estimated_recall, before.how),
            (None, How::Approximate)
        );
        index.calibrate().unwrap();
        let third: RoaringBitmap = (0..COUNT as u32).filter(|slot| slot % 3 == 0).collect();
        for (k, effort, within) in [
            (10, Effort::Breadth(10), None),
            (10, Effort::Breadth(30), None),
            (10, Effort::Breadth(100), None),
            (30, Effort::Breadth(60), None),
            (10, Effort::Breadth(30), Some(&third)),
            (10, Effort::Recall(0.9), None),
            (10, Effort::Scan, None),
        ] {
            let (truth, answer) = recall(&index, &queries, k, effort, within);
            let estimate = answer.estimated_recall.unwrap();
            println!(
                "{coding:?} {k} {effort:?} {:?}: {estimate}, {truth}",
                answer.strategy
            );
            // A filter may make a search work harder than was estimated; for more than ten it is modest.
            let most = if within.is_some() || k > 10 {
                0.2
            } else {
                0.07
            };
            assert!(
                estimate - truth < 0.07 && truth - estimate < most,
                "{estimate}, truly {truth}"
            );
            if let Effort::Recall(wanted) = effort {
                assert!(truth >= wanted - 0.04, "{truth}");
            }
        }
    }
}

#[test]
fn every_way_that_was_taken_is_told() {
    let mut random = Rng::with_seed(2);
    let space = Space::new(&mut random, 32);
    let index = filled(&mut random, &space, Coding::Bytes);
    let vector = space.vector(&mut random);
    let query = Query::new(&vector, 10);
    let told = |query: Query<'_>| {
        let answer = index.search(&query).unwrap();
        let exact = answer.estimated_recall == Some(1.0);
        assert!(answer.how == How::Approximate || exact, "{answer:?}");
        (answer.strategy, answer.how, answer.steps > 0)
    };
    use How::{Approximate, Exact};
    assert_eq!(
        told(query.effort(Effort::Exact)),
        (Strategy::Exact, Exact, false)
    );
    assert_eq!(
        told(query.effort(Effort::Scan)),
        (Strategy::Scan, Approximate, false)
    );
    assert_eq!(
        told(query.effort(Effort::Breadth(20))),
        (Strategy::Walk, Approximate, true)
    );
    // Wider than it is worth: it is scanned, and said so.
    assert_eq!(
        told(query.effort(Effort::Breadth(5000))),
        (Strategy::Scan, Approximate, false)
    );
    // Nothing that was measured finds so much.
    assert_eq!(
        told(query.effort(Effort::Recall(1.1))),
        (Strategy::Scan, Approximate, false)
    );
    let some: RoaringBitmap = (0..COUNT as u32).filter(|slot| slot % 4 == 0).collect();
    let accepting = query.effort(Effort::Breadth(10)).within(&some);
    assert_eq!(
        told(accepting),
        (Strategy::WalkAccepting, Approximate, true)
    );
    let few: RoaringBitmap = (0..COUNT as u32).step_by(2000).collect();
    assert_eq!(
        told(accepting.within(&few)),
        (Strategy::Exact, Exact, false)
    );
    assert_eq!(
        told(accepting.within(&RoaringBitmap::new())),
        (Strategy::Exact, Exact, false)
    );

    // A walk in vain: only what is farthest is allowed, so it is given up and scanned instead.
    let all = index
        .search(&Query::new(&vector, COUNT as usize).effort(Effort::Exact))
        .unwrap();
    let farthest: RoaringBitmap = all
        .hits
        .iter()
        .rev()
        .take(3000)
        .map(|hit| hit.slot)
        .collect();
    let answer = index.search(&accepting.within(&farthest)).unwrap();
    assert_eq!((answer.strategy, answer.how), (Strategy::Scan, Approximate));
    assert!(answer.steps > 0 && answer.compared > 3000, "{answer:?}");
    assert_eq!(answer.hits.len(), 10);

    let nothing = Settings::new(2, Metric::Dot)
        .memory_limit(1 << 20)
        .build()
        .unwrap();
    let answer = nothing.search(&Query::new(&[1.0, 0.0], 3)).unwrap();
    assert_eq!((answer.how, answer.estimated_recall), (Exact, Some(1.0)));
}

/// Keeps vectors until it breaks; then it fails, shows too few, or shows other shapes.
#[derive(Debug, Default)]
struct Breaking {
    rows: std::sync::Mutex<std::collections::HashMap<u32, Vec<f32>>>,
    broken: [AtomicBool; 4],
}

impl Breaking {
    fn is(&self, how: usize) -> bool {
        self.broken[how].load(Ordering::Relaxed)
    }
}

impl Originals for Breaking {
    fn put(&self, wanted: Wanted, vector: &[f32]) -> Result<(), IndexError> {
        if self.is(3) {
            return Err(IndexError::Original {
                place: "there".to_owned(),
                reason: "full".to_owned(),
            });
        }
        self.rows
            .lock()
            .unwrap()
            .insert(wanted.slot, vector.to_vec());
        Ok(())
    }

    fn visit(
        &self,
        wanted: &[Wanted],
        see: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), IndexError> {
        let rows = self.rows.lock().unwrap();
        for (place, one) in wanted.iter().enumerate() {
            if self.is(0) && place == 1 {
                return Err(IndexError::Original {
                    place: "there".to_owned(),
                    reason: "gone".to_owned(),
                });
            }
            if self.is(1) && place == 1 {
                continue;
            }
            let row = &rows[&one.slot];
            see(place, if self.is(2) { &row[1..] } else { row });
        }
        Ok(())
    }

    fn bytes_each(&self) -> usize {
        0
    }
}

#[test]
fn a_vector_that_cannot_be_read_is_an_error_and_no_shorter_answer() {
    let kept = Arc::new(Breaking::default());
    let settings = Settings::new(4, Metric::Cosine).rerank(Rerank::Custom(Arc::clone(&kept) as _));
    let index = settings.memory_limit(16 << 20).build().unwrap();
    let mut random = Rng::with_seed(3);
    let space = Space::new(&mut random, 4);
    for id in 0..3000 {
        index.insert(id, id, &space.vector(&mut random)).unwrap();
    }
    index.tend(0);
    let vector = space.vector(&mut random);
    let query = Query::new(&vector, 10);
    let before = index.search(&query).unwrap();
    for how in 0..3 {
        kept.broken[how].store(true, Ordering::Relaxed);
        for effort in [Effort::Exact, Effort::Scan, Effort::Breadth(30)] {
            let error = index.search(&query.effort(effort)).unwrap_err();
            assert!(matches!(error, IndexError::Original { .. }), "{error}");
        }
        kept.broken[how].store(false, Ordering::Relaxed);
        assert_eq!(index.search(&query).unwrap(), before);
    }
    // Nor is one written that cannot be kept.
    kept.broken[3].store(true, Ordering::Relaxed);
    assert!(index.insert(9000, 1, &vector).is_err());
    assert!(index.insert(9000, 9000, &vector).is_err());
    assert_eq!(
        (index.latest(), index.len(), index.search(&query).unwrap()),
        (2999, 3000, before)
    );
}
