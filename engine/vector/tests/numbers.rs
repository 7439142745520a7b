//! V7: numbers that are none, numbers that are hardly any, and vectors as long as can be.

mod shared;

use fastrand::Rng;
use shared::{CODINGS, METRICS, Told, rounds};
use stratigraph_vector::{Coding, Effort, Index, IndexError, Metric, Query, Settings};

const EFFORTS: [Effort; 4] = [
    Effort::Exact,
    Effort::Scan,
    Effort::Breadth(16),
    Effort::Recall(0.9),
];

fn index(dimensions: usize, metric: Metric, coding: Coding) -> Index {
    let settings = Settings::new(dimensions, metric)
        .coding(coding)
        .links(4)
        .breadth(16);
    settings.memory_limit(16 << 20).build().unwrap()
}

/// What any answer must be like, whatever the numbers.
fn assert_ordered(index: &Index, query: &[f32], k: usize) {
    for effort in EFFORTS {
        let answer = index.search(&Query::new(query, k).effort(effort)).unwrap();
        assert_eq!(answer.hits.len(), k.min(index.len()));
        let sign = if index.metric() == Metric::Euclidean {
            1.0
        } else {
            -1.0
        };
        for hit in &answer.hits {
            let _told = Told(format!("{effort:?} {hit:?} of {query:?}"));
            assert!(hit.score.is_finite());
            assert_ne!(hit.score.to_bits(), (-0.0_f32).to_bits());
            match index.metric() {
                Metric::Cosine => assert!((-1.0..=1.0).contains(&hit.score)),
                Metric::Euclidean => assert!(hit.score >= 0.0),
                Metric::Dot => {}
            }
        }
        let order = |hit: &stratigraph_vector::Hit| (sign * hit.score, hit.id);
        assert!(
            answer
                .hits
                .is_sorted_by(|left, right| order(left) < order(right)),
            "{answer:?}"
        );
    }
}

#[test]
fn what_is_no_finite_number_is_refused_and_changes_nothing() {
    for metric in METRICS {
        for coding in CODINGS {
            let index = index(3, metric, coding);
            index.insert(1, 1, &[1.0, 2.0, 3.0]).unwrap();
            let before = index.search(&Query::new(&[1.0, 1.0, 1.0], 9)).unwrap();
            for number in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                for place in 0..3 {
                    let mut vector = [1.0; 3];
                    vector[place] = number;
                    let want = IndexError::NotFinite {
                        place,
                        value: number.to_string(),
                    };
                    assert_eq!(index.insert(2, 1, &vector).unwrap_err(), want);
                    assert_eq!(index.insert(2, 2, &vector).unwrap_err(), want);
                    for effort in EFFORTS {
                        let query = Query::new(&vector, 3).effort(effort);
                        assert_eq!(index.search(&query).unwrap_err(), want);
                    }
                }
            }
            assert_eq!(
                index.search(&Query::new(&[1.0, 1.0, 1.0], 9)).unwrap(),
                before
            );
            assert_eq!((index.len(), index.latest()), (1, 1));
        }
    }
}

#[test]
fn a_vector_without_direction_has_no_cosine() {
    for coding in CODINGS {
        for zero in [[0.0; 3], [-0.0; 3], [0.0, -0.0, 0.0]] {
            let cosine = index(3, Metric::Cosine, coding);
            assert_eq!(
                cosine.insert(1, 1, &zero).unwrap_err(),
                IndexError::NoDirection
            );
            assert_eq!(
                cosine.search(&Query::new(&zero, 1)).unwrap_err(),
                IndexError::NoDirection
            );
            for metric in [Metric::Dot, Metric::Euclidean] {
                let index = index(3, metric, coding);
                index.insert(1, 1, &zero).unwrap();
                index.insert(1, 2, &[1.0, 0.0, 0.0]).unwrap();
                assert_ordered(&index, &zero, 2);
                assert_ordered(&index, &[-1.0, -0.0, 0.0], 2);
                let hits = index
                    .search(&Query::new(&[-1.0, 0.0, 0.0], 2))
                    .unwrap()
                    .hits;
                assert_eq!(hits[0].id, 1, "{metric:?}");
            }
        }
    }
}

#[test]
fn the_shortest_and_the_longest_vectors_are_told_apart_by_their_direction() {
    for coding in CODINGS {
        for size in [1e-45, 1e-38, 1e-20, 1.0, 1e18, 1e19, 2e37] {
            let index = index(4, Metric::Cosine, coding);
            let directions = [
                [4.0, 1.0, 0.0, 0.0],
                [1.0, 4.0, 0.0, 0.0],
                [0.0, 0.0, 3.0, 3.0],
                [-2.0, 0.0, 0.0, 4.0],
            ];
            for (id, direction) in directions.iter().enumerate() {
                index
                    .insert(1, id as u64, &direction.map(|one| one * size))
                    .unwrap();
            }
            for (id, direction) in directions.iter().enumerate() {
                for other in [1e-45, 1e-20, 1.0, 1e19] {
                    let query = direction.map(|one| one * other);
                    assert_ordered(&index, &query, 4);
                    for effort in EFFORTS {
                        let hit = index
                            .search(&Query::new(&query, 1).effort(effort))
                            .unwrap()
                            .hits[0];
                        let told = format!("{coding:?}, {size} and {other}: {hit:?}");
                        assert!(hit.id == id as u64 && hit.score > 0.99999, "{told}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_too_long_to_be_compared_by_length_is_refused() {
    for metric in [Metric::Dot, Metric::Euclidean] {
        for coding in CODINGS {
            let index = index(4, metric, coding);
            for long in [[1e19, 0.0, 0.0, 0.0], [1e18; 4], [f32::MAX; 4]] {
                let error = index.insert(1, 1, &long).unwrap_err();
                assert!(matches!(error, IndexError::TooLong { .. }), "{error}");
                let error = index.search(&Query::new(&long, 1)).unwrap_err();
                assert!(matches!(error, IndexError::TooLong { .. }), "{error}");
            }
            // Just short enough, both ways, beside the shortest.
            for (id, one) in [0.49e18, -0.49e18, 1e-45, 1e-20, 1.0]
                .into_iter()
                .enumerate()
            {
                index.insert(1, id as u64, &[one; 4]).unwrap();
            }
            for one in [0.49e18, -0.49e18, 1e-45, 1.0] {
                assert_ordered(&index, &[one; 4], 5);
            }
            let hits = index
                .search(&Query::new(&[0.49e18; 4], 5).effort(Effort::Exact))
                .unwrap()
                .hits;
            assert_eq!((hits[0].id, hits[4].id), (0, 1), "{metric:?}");
        }
    }
}

/// 60,000 numbers of any bits per kind; ten million and more with 20 rounds.
#[test]
fn vectors_of_any_bits_are_refused_or_put_in_order() {
    for seed in 0..rounds() {
        let _told = Told(format!("seed {seed}"));
        let mut random = Rng::with_seed(seed);
        for metric in METRICS {
            for coding in CODINGS {
                let index = index(6, metric, coding);
                let mut refused = 0;
                let vector = |random: &mut Rng| -> [f32; 6] {
                    // Not all: few vectors of nothing but random bits are finite and short.
                    let kind = random.u8(..4);
                    std::array::from_fn(|_| match kind {
                        0 => f32::from_bits(random.u32(..)),
                        1 => f32::from_bits(random.u32(..) & 0x807f_ffff),
                        2 => f32::from_bits(random.u32(..) & 0xdfff_ffff),
                        _ => f32::from(random.i8(-1..=1)) * 10.0_f32.powi(random.i32(-40..=17)),
                    })
                };
                for id in 0..8000 {
                    refused += u64::from(index.insert(id, id, &vector(&mut random)).is_err());
                    if id % 2000 == 1999 {
                        index.tend(id);
                    }
                }
                assert_eq!(index.len() as u64 + refused, 8000);
                assert!((20..6000).contains(&refused), "{refused} refused");
                let mut asked = 0;
                while asked < 60 {
                    let query = vector(&mut random);
                    if index.search(&Query::new(&query, 1)).is_ok() {
                        assert_ordered(&index, &query, 20);
                        asked += 1;
                    }
                }
            }
        }
    }
}
