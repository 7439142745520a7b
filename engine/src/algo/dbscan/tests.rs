//! Both ways to clusters against the definition, the edge of `eps`, and what is refused.

use super::*;
use crate::error::Error;
use crate::storage::cancel::{CancelToken, Progress};
use fastrand::Rng;

fn run(numbers: &[f32], dimension: usize, metric: Metric, options: &DbscanOptions<'_>) -> Clusters {
    let vectors = Vectors::new(numbers, dimension, metric).unwrap();
    dbscan(&vectors, options, &mut Watch::quiet()).unwrap()
}

/// The distance as it is defined, in double precision.
fn distance(a: &[f32], b: &[f32], metric: Metric) -> f64 {
    let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
        (0..a.len()).map(|i| term(a[i].into(), b[i].into())).sum()
    };
    match metric {
        Metric::L2 => sum(&|x, y| (x - y) * (x - y)).sqrt(),
        Metric::Cosine => {
            1.0 - sum(&|x, y| x * y) / (sum(&|x, _| x * x).sqrt() * sum(&|_, y| y * y).sqrt())
        }
    }
}

/// The definition: a table of neighbours, cores, what cores reach, borders.
fn textbook(near: &[Vec<bool>], density: Density<'_>) -> Clusters {
    let rows = near.len();
    let core: Vec<bool> = (0..rows)
        .map(|a| {
            let others = (0..rows).filter(|&b| near[a][b]);
            match density {
                Density::Rows(least) => others.count() >= least as usize,
                Density::Weight { weights, least } => {
                    others.map(|b| f64::from(weights[b])).sum::<f64>() >= least
                }
            }
        })
        .collect();
    let mut cluster = vec![None; rows];
    let mut count = 0;
    for first in 0..rows {
        if !core[first] || cluster[first].is_some() {
            continue;
        }
        cluster[first] = Some(count);
        let mut grows = true;
        while grows {
            grows = false;
            for a in 0..rows {
                if !core[a] || cluster[a] != Some(count) {
                    continue;
                }
                for b in 0..rows {
                    if core[b] && near[a][b] && cluster[b].is_none() {
                        cluster[b] = Some(count);
                        grows = true;
                    }
                }
            }
        }
        count += 1;
    }
    for a in (0..rows).filter(|&a| !core[a]) {
        let lowest = (0..rows).find(|&b| core[b] && near[a][b]);
        cluster[a] = lowest.and_then(|b| cluster[b]);
    }
    Clusters {
        cluster,
        core,
        count,
    }
}

fn table(numbers: &[f32], dimension: usize, metric: Metric, eps: f32) -> Vec<Vec<bool>> {
    let rows: Vec<&[f32]> = numbers.chunks(dimension).collect();
    let near = |a: usize, b: usize| a == b || distance(rows[a], rows[b], metric) <= eps.into();
    (0..rows.len())
        .map(|a| (0..rows.len()).map(|b| near(a, b)).collect())
        .collect()
}

/// Points around a few centres, and some anywhere.
fn random_rows(rng: &mut Rng, rows: usize, dimension: usize) -> Vec<f32> {
    let around_zero = |rng: &mut Rng| rng.f32() * 2.0 - 1.0;
    let centres: Vec<Vec<f32>> = (0..4)
        .map(|_| (0..dimension).map(|_| around_zero(rng)).collect())
        .collect();
    let mut numbers = Vec::new();
    for _ in 0..rows {
        let centre = &centres[rng.usize(..4)];
        let spread = [0.05, 0.3, 1.5][rng.usize(..3)];
        numbers.extend(centre.iter().map(|x| x + spread * around_zero(rng)));
    }
    numbers
}

#[test]
fn both_ways_agree_with_the_textbook() {
    let (mut clusters, mut noise, mut border) = (0, 0, 0);
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        // Most fit one block of 64 rows, and some take three.
        let dimension = [1, 2, 3, 16, 17, 70, 4096][rng.usize(..7)];
        let rows = if dimension == 4096 {
            rng.usize(..20)
        } else {
            let most = [60, 150][rng.usize(..2)];
            rng.usize(..most)
        };
        let numbers = random_rows(&mut rng, rows, dimension);
        let metric = [Metric::Cosine, Metric::L2][rng.usize(..2)];
        // The distance of two of the rows, rounded up or down: that pair is on the edge, nearer to
        // it than single precision can tell.
        let eps = if rows == 0 {
            0.5
        } else {
            let (a, b) = (rng.usize(..rows), rng.usize(..rows));
            let [a, b] = [a, b].map(|row| &numbers[row * dimension..][..dimension]);
            distance(a, b, metric).max(0.0) as f32
        };
        let weights: Vec<f32> = (0..rows).map(|_| rng.f32()).collect();
        let density = if rng.bool() {
            Density::Rows(rng.u32(1..8))
        } else {
            let least = rng.f64() * 4.0 + 0.01;
            Density::Weight {
                weights: &weights,
                least,
            }
        };
        let expected = textbook(&table(&numbers, dimension, metric, eps), density);
        let context = format!("seed {seed}: {rows} rows of {dimension}, {metric:?}, {eps}");
        for threads in 1..4 {
            let options = DbscanOptions {
                eps,
                density,
                threads,
            };
            assert_eq!(
                run(&numbers, dimension, metric, &options),
                expected,
                "{context}"
            );
        }
        let options = DbscanOptions {
            eps,
            density,
            threads: 1,
        };
        let vectors = Vectors::new(&numbers, dimension, metric).unwrap();
        let over = dbscan_over(&vectors, &options, &mut Watch::quiet()).unwrap();
        assert_eq!(over, expected, "{context}, asking");

        clusters += usize::from(expected.count > 1);
        noise += usize::from(expected.cluster.contains(&None));
        let kinds = expected.cluster.iter().zip(&expected.core);
        border += kinds
            .filter(|(cluster, core)| cluster.is_some() && !**core)
            .count();
    }
    // The cases must be worth something.
    assert!(
        clusters > 30 && noise > 60 && border > 80,
        "{clusters} {noise} {border}"
    );
}

#[test]
fn many_blocks_and_threads_agree_with_the_textbook() {
    for seed in 0..2 {
        let mut rng = Rng::with_seed(seed);
        let numbers = random_rows(&mut rng, 600, 2);
        let density = Density::Rows(6);
        let expected = textbook(&table(&numbers, 2, Metric::L2, 0.06), density);
        assert!(expected.count > 3);
        for threads in [1, 2, 7] {
            let options = DbscanOptions {
                eps: 0.06,
                density,
                threads,
            };
            assert_eq!(
                run(&numbers, 2, Metric::L2, &options),
                expected,
                "seed {seed}"
            );
        }
    }
}

#[test]
fn eps_is_inclusive() {
    // 3, 4, 5 is exact in any precision.
    let two = |eps| {
        run(
            &[0.0, 0.0, 3.0, 4.0],
            2,
            Metric::L2,
            &DbscanOptions::new(eps, 2),
        )
        .count
    };
    assert_eq!((two(5.0), two(5.0f32.next_down())), (1, 0));
    // A right angle has cosine distance 1.
    let two = |eps| {
        run(
            &[7.0, 0.0, 0.0, 0.3],
            2,
            Metric::Cosine,
            &DbscanOptions::new(eps, 2),
        )
        .count
    };
    assert_eq!((two(1.0), two(1.0f32.next_down())), (1, 0));
    let two = |eps| {
        run(
            &[7.0, 0.1, -7.0, -0.1],
            2,
            Metric::Cosine,
            &DbscanOptions::new(eps, 2),
        )
        .count
    };
    assert_eq!((two(2.0), two(1.999)), (1, 0));
}

#[test]
fn equal_rows_are_near_at_eps_zero() {
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let dimension = rng.usize(1..100);
        let row: Vec<f32> = (0..dimension).map(|_| rng.f32() - 0.5).collect();
        let mut numbers = [row.clone(), row.clone()].concat();
        // Another length is no other direction, and another row for L2.
        numbers.extend(row.iter().map(|x| x * 4.0));
        let options = DbscanOptions::new(0.0, 2);
        let found = run(&numbers, dimension, Metric::Cosine, &options);
        assert_eq!(found.cluster, [Some(0); 3], "seed {seed}");
        let found = run(&numbers, dimension, Metric::L2, &options);
        assert_eq!(found.cluster, [Some(0), Some(0), None], "seed {seed}");
    }
}

#[test]
fn extreme_numbers_keep_their_distances() {
    // Squares of these overflow or vanish in single precision.
    for scale in [1e30, 1e-30] {
        let numbers = [0.0, 1.0, 2.0, 4.0, 100.0].map(|x: f32| x * scale);
        let found = run(&numbers, 1, Metric::L2, &DbscanOptions::new(1.5 * scale, 2));
        assert_eq!(
            found.cluster,
            [Some(0), Some(0), Some(0), None, None],
            "{scale}"
        );
    }
}

#[test]
fn a_border_row_joins_its_lowest_core() {
    // 2 is within reach of the cores 0 (far left) and 1 (far right), which share no cluster.
    let numbers = [2.0, -2.0, 0.0, 3.0, 3.5, -3.0, -3.5];
    let found = run(&numbers, 1, Metric::L2, &DbscanOptions::new(2.0, 4));
    assert_eq!(found.core[..3], [true, true, false]);
    assert_eq!(found.cluster[..3], [Some(0), Some(1), Some(0)]);
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    let refused = |numbers: &[f32], dimension, metric| {
        Vectors::new(numbers, dimension, metric)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(&[1.0; 5], 2, Metric::L2),
        "5 numbers do not divide into rows of 2"
    );
    assert_eq!(
        refused(&[], 0, Metric::L2),
        "0 numbers do not divide into rows of 0"
    );
    assert_eq!(
        refused(&[1.0, 0.0, 0.0, -0.0], 2, Metric::Cosine),
        "row 1 is a zero vector, which has no direction: leave it out, or use L2"
    );
    assert_eq!(
        refused(&[1.0, 0.0, 0.0, f32::NAN], 2, Metric::L2),
        "row 1 holds NaN: vectors hold finite numbers only"
    );
    assert!(Vectors::new(&[1.0, 0.0, 0.0, 0.0], 2, Metric::L2).is_ok());
    assert_eq!(
        run(&[], 3, Metric::Cosine, &DbscanOptions::new(0.1, 1)).count,
        0
    );
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let numbers = [1.0, 2.0];
    let vectors = Vectors::new(&numbers, 1, Metric::L2).unwrap();
    let refused = |options: &DbscanOptions<'_>| {
        dbscan(&vectors, options, &mut Watch::quiet())
            .unwrap_err()
            .to_string()
    };
    let good = DbscanOptions::new(1.0, 2);
    for (options, start) in [
        (DbscanOptions { eps: -0.1, ..good }, "option eps = -0.1"),
        (
            DbscanOptions {
                eps: f32::NAN,
                ..good
            },
            "option eps = NaN",
        ),
        (DbscanOptions::new(1.0, 0), "option min_points = 0"),
        (DbscanOptions { threads: 0, ..good }, "option threads = 0"),
    ] {
        let message = refused(&options);
        assert!(message.starts_with(start), "{message}");
    }
    for (weights, least, start) in [
        (&[1.0][..], 1.0, "1 weights for 2 rows"),
        (&[1.0, -1.0], 1.0, "row 1 has weight -1"),
        (&[1.0, 1.0], 0.0, "option least = 0"),
    ] {
        let density = Density::Weight { weights, least };
        let message = refused(&DbscanOptions { density, ..good });
        assert!(message.starts_with(start), "{message}");
    }
}

/// Answers from lists, which may be wrong.
struct Lists(Vec<crate::error::Result<Vec<u32>>>);

impl RangeQuery for Lists {
    fn rows(&self) -> usize {
        self.0.len()
    }

    fn within(&self, row: usize, _eps: f32, out: &mut Vec<u32>) -> crate::error::Result<()> {
        out.extend(self.0[row].clone()?);
        Ok(())
    }
}

#[test]
fn answers_in_any_order_and_with_or_without_the_row_will_do() {
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let rows = rng.usize(1..30);
        let close: Vec<Vec<bool>> = (0..rows)
            .map(|_| (0..rows).map(|_| rng.u8(..6) == 0).collect())
            .collect();
        let near: Vec<Vec<bool>> = (0..rows)
            .map(|a| {
                (0..rows)
                    .map(|b| a == b || close[a.max(b)][a.min(b)])
                    .collect()
            })
            .collect();
        let lists = near.iter().enumerate().map(|(a, near)| {
            let mut list: Vec<u32> = (0..rows as u32).filter(|&b| near[b as usize]).collect();
            if rng.bool() {
                list.retain(|&b| b as usize != a);
            }
            rng.shuffle(&mut list);
            Ok(list)
        });
        let lists = Lists(lists.collect());
        let options = DbscanOptions::new(1.0, rng.u32(1..6));
        let found = dbscan_over(&lists, &options, &mut Watch::quiet()).unwrap();
        assert_eq!(found, textbook(&near, options.density), "seed {seed}");
    }
}

#[test]
fn a_query_that_fails_is_passed_on() {
    let options = DbscanOptions::new(1.0, 1);
    let failing = Lists(vec![Ok(vec![1]), Err(Error::Closed)]);
    let stopped = dbscan_over(&failing, &options, &mut Watch::quiet());
    assert!(matches!(stopped, Err(DbscanError::Stopped(Error::Closed))));
    let wrong = Lists(vec![Ok(vec![]), Ok(vec![0, 2])]);
    let stopped = dbscan_over(&wrong, &options, &mut Watch::quiet());
    assert!(matches!(
        stopped,
        Err(DbscanError::UnknownRow {
            row: 1,
            found: 2,
            rows: 2
        })
    ));
}

#[test]
fn cancelling_stops_at_any_look() {
    let mut rng = Rng::with_seed(1);
    // Five blocks, with fifteen tiles.
    let numbers = random_rows(&mut rng, 300, 16);
    let vectors = Vectors::new(&numbers, 16, Metric::L2).unwrap();
    let weights = [1.0; 300];
    let heavy = Density::Weight {
        weights: &weights,
        least: 3.0,
    };
    // Runs until look `stop_at` has cancelled; says how many looks there were.
    let run = |density, threads, stop_at| {
        let options = DbscanOptions {
            eps: 1.0,
            density,
            threads,
        };
        let cancel = CancelToken::new();
        let (mut looks, token) = (0, cancel.clone());
        let mut report = |_: Progress<'_>| {
            looks += 1;
            if looks == stop_at {
                token.cancel();
            }
        };
        let outcome = dbscan(&vectors, &options, &mut Watch::new(&mut report, cancel));
        (looks, outcome)
    };
    for density in [Density::Rows(3), heavy] {
        let (looks, _) = run(density, 1, u64::MAX);
        assert!(looks > 9, "{looks}");
        for threads in 1..4 {
            for stop_at in 1..looks {
                let (seen, outcome) = run(density, threads, stop_at);
                assert!(seen <= stop_at, "it went on");
                match outcome {
                    Err(DbscanError::Stopped(Error::Cancelled)) => {}
                    // With help, the caller's thread has fewer occasions to look.
                    Ok(_) if threads > 1 => {}
                    other => panic!("{threads} threads, look {stop_at}: {other:?}"),
                }
            }
        }
    }
}
