//! All kernels against the order as the documentation states it, bit by bit.

use super::*;
use fastrand::Rng;

/// The documented order, written from its sentence and not from the loop.
fn by_the_book(left: &[f32], right: &[f32], term: impl Fn(f32, f32, f32) -> f32) -> f32 {
    let mut lanes = [0.0_f32; 16];
    for i in 0..left.len().div_ceil(16) * 16 {
        let (a, b) = (
            left.get(i).copied().unwrap_or(0.0),
            right.get(i).copied().unwrap_or(0.0),
        );
        lanes[i % 16] = term(a, b, lanes[i % 16]);
    }
    for step in [8, 4, 2, 1] {
        for j in 0..step {
            lanes[j] += lanes[j + step];
        }
    }
    if lanes[0].is_nan() {
        f32::NAN
    } else {
        lanes[0] + 0.0
    }
}

fn dot_by_the_book(left: &[f32], right: &[f32]) -> f32 {
    by_the_book(left, right, f32::mul_add)
}

fn l2_by_the_book(left: &[f32], right: &[f32]) -> f32 {
    by_the_book(left, right, |a, b, sum| (a - b).mul_add(a - b, sum))
}

/// Numbers of all sizes; with `special` also those that go wrong.
fn number(rng: &mut Rng, special: bool) -> f32 {
    const SPECIAL: [f32; 12] = [
        0.0,
        -0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-45,
        -1e-45,
        1e-23,
        -1e-23,
    ];
    match rng.u32(..20) {
        0 if special => SPECIAL[rng.usize(..SPECIAL.len())],
        1 if special => f32::from_bits(rng.u32(..)),
        2 | 3 => (rng.f32() - 0.5) * 10_f32.powi(rng.i32(-20..18)),
        _ => rng.f32() - 0.5,
    }
}

fn vector(rng: &mut Rng, dimensions: usize, special: bool) -> Vec<f32> {
    (0..dimensions).map(|_| number(rng, special)).collect()
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn every_kernel_returns_the_bits_of_the_documented_order() {
    for kernels in Kernels::available() {
        let mut rng = Rng::with_seed(11);
        for dimensions in 0..=300 {
            for round in 0..12 {
                let (left, right) = (
                    vector(&mut rng, dimensions, round > 5),
                    vector(&mut rng, dimensions, round > 5),
                );
                let case = format!("{} {dimensions} {round} {left:?} {right:?}", kernels.name());
                let dot = dot_by_the_book(&left, &right);
                assert_eq!(
                    kernels.dot(&left, &right).unwrap().to_bits(),
                    dot.to_bits(),
                    "{case}"
                );
                assert_eq!(
                    kernels.squared_l2(&left, &right).unwrap().to_bits(),
                    l2_by_the_book(&left, &right).to_bits(),
                    "{case}"
                );
                let squares = [&left, &right].map(|v| dot_by_the_book(v, v));
                assert_eq!(
                    kernels.norm(&left).to_bits(),
                    squares[0].sqrt().to_bits(),
                    "{case}"
                );
                let is_long = ![dot, squares[0], squares[1]]
                    .iter()
                    .all(|part| part.is_finite());
                let cosine = match is_long {
                    true => cosine_of_long(&left, &right),
                    false => cosine_from_parts(dot, squares[0], squares[1]),
                };
                assert_eq!(
                    kernels.cosine(&left, &right).unwrap().map(f32::to_bits),
                    cosine.map(f32::to_bits),
                    "{case}"
                );
            }
        }
    }
}

#[test]
fn vectors_of_nothing_but_special_numbers_agree_too() {
    for kernels in Kernels::available() {
        let mut rng = Rng::with_seed(12);
        for _ in 0..3000 {
            let dimensions = rng.usize(1..70);
            let pick = |rng: &mut Rng| {
                let one = [
                    0.0,
                    -0.0,
                    1e-45,
                    -1e-23,
                    1e-23,
                    f32::MAX,
                    f32::INFINITY,
                    1.0,
                ];
                (0..dimensions)
                    .map(|_| one[rng.usize(..one.len())])
                    .collect::<Vec<f32>>()
            };
            let (left, right) = (pick(&mut rng), pick(&mut rng));
            assert_eq!(
                kernels.dot(&left, &right).unwrap().to_bits(),
                dot_by_the_book(&left, &right).to_bits(),
                "{} {left:?} {right:?}",
                kernels.name()
            );
        }
    }
}

/// Products too small for any number leave a negative zero in every lane.
#[test]
fn no_result_is_a_negative_zero() {
    for kernels in Kernels::available() {
        let dot = kernels.dot(&[1e-30; 16], &[-1e-30; 16]).unwrap();
        assert_eq!(dot.to_bits(), 0, "{}", kernels.name());
    }
}

#[test]
fn many_rows_give_what_one_row_gives() {
    for kernels in Kernels::available() {
        let mut rng = Rng::with_seed(13);
        for round in 0..300 {
            let dimensions = rng.usize(1..200);
            let stride = dimensions + rng.usize(..20) * usize::from(rng.bool());
            let count = rng.usize(..40);
            let mut values = vector(&mut rng, stride * count, round % 3 == 0);
            if count > 0 && rng.bool() {
                values.truncate(stride * (count - 1) + dimensions);
            }
            let rows = Rows::with_stride(&values, dimensions, stride).unwrap();
            assert_eq!(rows.len(), count);
            let query = vector(&mut rng, dimensions, false);
            let one = |place: usize| {
                let row = rows.row(place).unwrap();
                (dot_by_the_book(&query, row), l2_by_the_book(&query, row))
            };

            let mut results = vec![f32::NAN; count];
            kernels.dot_rows(&query, rows, &mut results).unwrap();
            let expected: Vec<f32> = (0..count).map(|place| one(place).0).collect();
            assert_eq!(bits(&results), bits(&expected), "round {round}");
            kernels.squared_l2_rows(&query, rows, &mut results).unwrap();
            let expected: Vec<f32> = (0..count).map(|place| one(place).1).collect();
            assert_eq!(bits(&results), bits(&expected), "round {round}");

            let wanted = if count == 0 { 0 } else { rng.usize(..60) };
            let places: Vec<u32> = (0..wanted)
                .map(|_| u32::try_from(rng.usize(..count)).unwrap())
                .collect();
            let mut results = vec![f32::NAN; wanted];
            kernels
                .dot_gathered(&query, rows, &places, &mut results)
                .unwrap();
            let expected: Vec<f32> = places.iter().map(|p| one(*p as usize).0).collect();
            assert_eq!(bits(&results), bits(&expected), "round {round}");
            kernels
                .squared_l2_gathered(&query, rows, &places, &mut results)
                .unwrap();
            let expected: Vec<f32> = places.iter().map(|p| one(*p as usize).1).collect();
            assert_eq!(bits(&results), bits(&expected), "round {round}");
        }
    }
}

#[test]
fn many_queries_give_what_one_query_gives() {
    for kernels in Kernels::available() {
        let mut rng = Rng::with_seed(14);
        for round in 0..200 {
            let dimensions = rng.usize(1..150);
            let mut stride = || dimensions + rng.usize(..20) * usize::from(rng.bool());
            let strides = [stride(), stride()];
            let counts = [rng.usize(..12), rng.usize(..12)];
            let matrix = |rng: &mut Rng, at: usize| {
                let values = vector(rng, strides[at] * counts[at], round % 3 == 0);
                (values, strides[at])
            };
            let (queries, rows) = (matrix(&mut rng, 0), matrix(&mut rng, 1));
            let queries = Rows::with_stride(&queries.0, dimensions, queries.1).unwrap();
            let rows = Rows::with_stride(&rows.0, dimensions, rows.1).unwrap();
            let of_pairs = |term: fn(&[f32], &[f32]) -> f32| -> Vec<f32> {
                let every = |query| (0..counts[1]).map(move |row| (query, row));
                (0..counts[0])
                    .flat_map(every)
                    .map(|(query, row)| term(queries.row(query).unwrap(), rows.row(row).unwrap()))
                    .collect()
            };
            let case = format!("{} round {round}", kernels.name());
            let mut results = vec![f32::NAN; counts[0] * counts[1]];
            kernels.dot_pairs(queries, rows, &mut results).unwrap();
            assert_eq!(bits(&results), bits(&of_pairs(dot_by_the_book)), "{case}");
            kernels
                .squared_l2_pairs(queries, rows, &mut results)
                .unwrap();
            assert_eq!(bits(&results), bits(&of_pairs(l2_by_the_book)), "{case}");
        }
    }
}

/// A machine that only runs its own kernels is held to the others by these bits.
#[test]
fn golden_bits() {
    let left: Vec<f32> = (0_u8..200)
        .map(|i| f32::from(i).mul_add(0.37, -31.0))
        .collect();
    let right: Vec<f32> = (0_u8..200).map(|i| 1.0 / (f32::from(i) + 0.7)).collect();
    for kernels in Kernels::available() {
        let seen: Vec<[u32; 3]> = [1, 16, 21, 200]
            .into_iter()
            .map(|n| {
                let (left, right) = (&left[..n], &right[..n]);
                [
                    kernels.dot(left, right).unwrap().to_bits(),
                    kernels.squared_l2(left, right).unwrap().to_bits(),
                    kernels.cosine(left, right).unwrap().unwrap().to_bits(),
                ]
            })
            .collect();
        assert_eq!(seen, GOLDEN, "{}", kernels.name());
    }
}

const GOLDEN: [[u32; 3]; 4] = [
    [3_258_000_531, 1_149_465_495, 3_212_836_864],
    [3_270_413_956, 1_179_363_620, 3_206_685_721],
    [3_271_273_301, 1_182_411_734, 3_206_134_309],
    [3_271_674_305, 1_203_763_410, 3_195_821_871],
];

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let values = [0.0; 10];
    let kernels = Kernels::best();
    for (dimensions, stride) in [(0, 0), (0, 1), (3, 3), (4, 3), (5, 4), (3, 4), (11, 11)] {
        assert!(
            matches!(
                Rows::with_stride(&values, dimensions, stride),
                Err(VectorError::BadShape { .. })
            ),
            "{dimensions} {stride}"
        );
    }
    let rows = Rows::new(&values, 5).unwrap();
    let mut two = [0.0; 2];
    assert_eq!(
        kernels.dot(&values, &values[1..]),
        Err(VectorError::DimensionMismatch {
            expected: 10,
            found: 9
        })
    );
    assert_eq!(
        kernels.dot_rows(&values[..4], rows, &mut two),
        Err(VectorError::DimensionMismatch {
            expected: 5,
            found: 4
        })
    );
    assert_eq!(
        kernels.dot_rows(&values[..5], rows, &mut two[..1]),
        Err(VectorError::WrongRoom { rows: 2, room: 1 })
    );
    assert_eq!(
        kernels.dot_gathered(&values[..5], rows, &[0, 2], &mut two),
        Err(VectorError::NoSuchRow { place: 2, rows: 2 })
    );
    assert_eq!(
        kernels.dot_pairs(Rows::new(&values, 2).unwrap(), rows, &mut two),
        Err(VectorError::DimensionMismatch {
            expected: 5,
            found: 2
        })
    );
    assert_eq!(
        kernels.squared_l2_pairs(rows, rows, &mut two),
        Err(VectorError::WrongRoom { rows: 4, room: 2 })
    );
    assert!(rows.row(2).is_none() && rows.row(usize::MAX).is_none());
    assert!(rows.part(1, 2).is_none() && rows.part(usize::MAX, 2).is_none());
    assert_eq!(rows.part(1, 1).unwrap().row(0), rows.row(1));
}

#[test]
fn a_vector_without_direction_has_no_cosine() {
    let kernels = Kernels::best();
    let some = [1.0, 2.0, 3.0];
    for none in [
        [0.0; 3],
        [-0.0; 3],
        [f32::NAN, 1.0, 1.0],
        [f32::INFINITY, 1.0, 1.0],
    ] {
        assert_eq!(kernels.cosine(&none, &some).unwrap(), None, "{none:?}");
        assert_eq!(kernels.cosine(&some, &none).unwrap(), None, "{none:?}");
    }
    assert_eq!(kernels.cosine(&[], &[]).unwrap(), None);
    // However short, as long as it is something.
    let short = kernels.cosine(&[1e-30; 3], &some).unwrap().unwrap();
    assert!((short - 0.925_820_1).abs() < 1e-6, "{short}");
    assert_eq!(kernels.cosine(&some, &some).unwrap(), Some(1.0));
}
