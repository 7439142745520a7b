//! V6: vectors of the wrong length are refused wherever one comes in, and change nothing.

use stratigraph_vector::{
    Coding, Effort, IndexError, Metric, Query, Rerank, Settings, VectorError,
};

const DIMENSIONS: usize = 24;

#[test]
fn vectors_of_another_length_are_refused_and_change_nothing() {
    for coding in [Coding::Halves, Coding::Bytes, Coding::Whole] {
        for metric in [Metric::Cosine, Metric::Dot, Metric::Euclidean] {
            let settings = Settings::new(DIMENSIONS, metric)
                .coding(coding)
                .memory_limit(8 << 20);
            let index = settings.build().unwrap();
            let vector = |id: u64| -> Vec<f32> {
                (0..DIMENSIONS)
                    .map(|at| ((id * 31 + at as u64 * 17) % 97) as f32 - 40.0)
                    .collect()
            };
            for id in 0..2000 {
                index.insert(id, id, &vector(id)).unwrap();
            }
            index.tend(0);
            let asked = vector(3);
            let state = || {
                let answers = [Effort::Exact, Effort::Breadth(20)].map(|effort| {
                    index
                        .search(&Query::new(&asked, 20).effort(effort))
                        .unwrap()
                });
                (
                    answers,
                    index.len(),
                    index.latest(),
                    index.memory(),
                    index.slot(7),
                )
            };
            state();
            let before = state();
            for found in [0, 1, DIMENSIONS - 1, DIMENSIONS + 1, 65_536] {
                let wrong = vec![1.0; found];
                let want = IndexError::Vector(VectorError::DimensionMismatch {
                    expected: DIMENSIONS,
                    found,
                });
                // A new id, one that there is, and one that would come later.
                for (sequence, id) in [(5000, 9_999), (5000, 7), (u64::MAX - 1, 7)] {
                    assert_eq!(index.insert(sequence, id, &wrong).unwrap_err(), want);
                }
                for k in [0, 1, 10] {
                    for effort in [
                        Effort::Exact,
                        Effort::Scan,
                        Effort::Breadth(9),
                        Effort::Recall(0.9),
                    ] {
                        let query = Query::new(&wrong, k).effort(effort);
                        assert_eq!(index.search(&query).unwrap_err(), want);
                        assert_eq!(index.search(&query.at(0)).unwrap_err(), want);
                    }
                }
            }
            assert_eq!(state(), before, "{coding:?} {metric:?}");
        }
    }
}

#[test]
fn an_empty_index_refuses_them_too() {
    let index = Settings::new(3, Metric::Dot)
        .memory_limit(1 << 20)
        .build()
        .unwrap();
    assert!(index.search(&Query::new(&[1.0], 1)).is_err());
    assert!(index.search(&Query::new(&[], 0)).is_err());
    assert_eq!(
        index.search(&Query::new(&[1.0, 2.0, 3.0], 5)).unwrap().hits,
        []
    );
    assert_eq!(index.latest(), 0);
}

#[test]
fn sequences_that_go_back_are_refused_and_change_nothing() {
    let index = Settings::new(1, Metric::Dot)
        .memory_limit(1 << 20)
        .build()
        .unwrap();
    index.insert(10, 1, &[1.0]).unwrap();
    for sequence in [0, 9, u64::MAX] {
        let error = IndexError::SequenceGoesBack {
            sequence,
            latest: 10,
        };
        assert_eq!(index.insert(sequence, 1, &[2.0]).unwrap_err(), error);
        assert_eq!(index.remove(sequence, 1).unwrap_err(), error);
    }
    assert_eq!((index.latest(), index.len()), (10, 1));
    assert_eq!(
        index.search(&Query::new(&[1.0], 1)).unwrap().hits[0].score,
        1.0
    );
    // The last that there can be.
    index.insert(u64::MAX - 1, 1, &[3.0]).unwrap();
    assert_eq!(
        index.search(&Query::new(&[1.0], 2)).unwrap().hits[0].score,
        3.0
    );
    assert_eq!(
        index
            .search(&Query::new(&[1.0], 2).at(u64::MAX))
            .unwrap()
            .hits
            .len(),
        1
    );
    assert_eq!(
        index.search(&Query::new(&[1.0], 2).at(11)).unwrap().hits[0].score,
        1.0
    );
    assert!(index.remove(u64::MAX - 1, 1).unwrap());
    assert_eq!(index.search(&Query::new(&[1.0], 2)).unwrap().hits, []);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |settings: Settings| {
        let error = settings.memory_limit(1 << 20).build().unwrap_err();
        assert!(matches!(error, IndexError::BadSetting { .. }), "{error}");
    };
    for dimensions in [0, 65_536, usize::MAX] {
        refused(Settings::new(dimensions, Metric::Cosine));
    }
    let plain = || Settings::new(4, Metric::Cosine);
    [0, 1, 257]
        .into_iter()
        .for_each(|links| refused(plain().links(links)));
    [0, 10_001]
        .into_iter()
        .for_each(|breadth| refused(plain().breadth(breadth)));
    [0, 1025]
        .into_iter()
        .for_each(|threads| refused(plain().threads(threads)));
    let nowhere = Rerank::File("/nowhere/at/all".into());
    let error = plain().rerank(nowhere).build().unwrap_err();
    assert!(matches!(error, IndexError::Original { .. }), "{error}");
}

#[test]
fn the_most_dimensions_that_there_can_be() {
    for coding in [Coding::Halves, Coding::Bytes, Coding::Whole] {
        for metric in [Metric::Cosine, Metric::Dot, Metric::Euclidean] {
            let settings = Settings::new(65_535, metric)
                .coding(coding)
                .memory_limit(64 << 20);
            let index = settings.build().unwrap();
            for id in 0..6 {
                // All numbers as large as they get, but for a sixth of them.
                let vector: Vec<f32> = (0..65_535)
                    .map(|at| if at % 6 == id { -1.0 } else { 1.0 })
                    .collect();
                index.insert(id, id, &vector).unwrap();
            }
            let query: Vec<f32> = (0..65_535)
                .map(|at| if at % 6 == 2 { -1.0 } else { 1.0 })
                .collect();
            for effort in [Effort::Exact, Effort::Scan, Effort::Breadth(3)] {
                let answer = index.search(&Query::new(&query, 6).effort(effort)).unwrap();
                assert_eq!(answer.hits.len(), 6);
                assert_eq!(answer.hits[0].id, 2, "{coding:?} {metric:?} {effort:?}");
            }
        }
    }
}
