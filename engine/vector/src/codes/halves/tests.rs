//! All kernels against the sum as school teaches it, on rows that end where memory ends.

use super::*;
use crate::codes::CodeKernels;
use crate::fenced::Fenced;
use fastrand::Rng;

/// One value per dimension, in natural order: nothing here knows how nibbles are packed.
fn by_the_book(query: &[i8], values: &[u8]) -> i64 {
    let products = query.iter().zip(values);
    products
        .map(|(query, value)| i64::from(*query) * i64::from(*value))
        .sum()
}

/// What the values and the query of a case are drawn from.
#[derive(Clone, Copy, Debug)]
enum Draw {
    Any,
    Extreme,
    /// The largest sums, up and down.
    Most(i8),
}

impl Draw {
    const ALL: [Self; 5] = [
        Self::Any,
        Self::Extreme,
        Self::Most(127),
        Self::Most(-127),
        Self::Most(-128),
    ];

    fn query(self, random: &mut Rng, dimensions: usize) -> Vec<i8> {
        let draw = |random: &mut Rng| match self {
            Self::Any => random.i8(..),
            Self::Extreme => random.choice([-128, -127, 127]).unwrap_or(0),
            Self::Most(query) => query,
        };
        (0..dimensions).map(|_| draw(random)).collect()
    }

    fn values(self, random: &mut Rng, dimensions: usize) -> Vec<u8> {
        let draw = |random: &mut Rng| match self {
            Self::Any => random.u8(..16),
            Self::Extreme => random.choice([0, 15]).unwrap_or(0),
            Self::Most(_) => 15,
        };
        (0..dimensions).map(|_| draw(random)).collect()
    }
}

#[test]
fn every_kernel_gives_the_sum_of_the_products() {
    for seed in 0..60 {
        let mut random = Rng::with_seed(seed);
        // Whole groups and others, from one to sixteen of them.
        let dimensions = match seed % 3 {
            0 => random.usize(1..=16) * GROUP,
            _ => random.usize(1..=2048),
        };
        for draw in Draw::ALL {
            for rows in 0..10 {
                one_case(&mut random, draw, dimensions, rows, seed);
            }
        }
    }
}

fn one_case(random: &mut Rng, draw: Draw, dimensions: usize, rows: usize, seed: u64) {
    let bytes = packed_bytes(dimensions);
    let stride = bytes + random.usize(..70);
    let mut query = draw.query(random, dimensions);
    let values: Vec<_> = (0..rows).map(|_| draw.values(random, dimensions)).collect();
    let want: Vec<_> = values.iter().map(|row| by_the_book(&query, row)).collect();
    // What pads the query must not matter, because what pads the rows is zero.
    query.resize_with(padded(dimensions), || random.i8(..));
    let held = rows.saturating_sub(1) * stride + if rows > 0 { bytes } else { 0 };
    let mut fenced = Fenced::new(held);
    fenced.bytes().fill(0xff);
    for (place, values) in values.iter().enumerate() {
        let row = &mut fenced.bytes()[place * stride..][..bytes];
        pack(values.iter().copied(), row);
    }
    let held = &*fenced.bytes();
    let places: Vec<u32> = match u32::try_from(rows) {
        Ok(0) | Err(_) => Vec::new(),
        Ok(count) => (0..random.usize(..10))
            .map(|_| random.u32(..count))
            .collect(),
    };
    for kernels in HalfKernels::available() {
        let case = format!(
            "{} seed {seed} {draw:?} {dimensions} dimensions {rows} rows {places:?}",
            kernels.name()
        );
        for (place, want) in want.iter().enumerate() {
            let row = &held[place * stride..][..bytes];
            let dot = kernels.dot(&query, row).unwrap();
            assert_eq!(i64::from(dot), *want, "{case}: dot");
        }
        let mut found = vec![-1; rows];
        kernels.dot_rows(&query, held, stride, &mut found).unwrap();
        let found: Vec<_> = found.into_iter().map(i64::from).collect();
        assert_eq!(found, want, "{case}: in order");
        let mut found = vec![-1; places.len()];
        kernels
            .dot_gathered(&query, held, stride, &places, &mut found)
            .unwrap();
        for (found, place) in found.into_iter().zip(&places) {
            assert_eq!(i64::from(found), want[*place as usize], "{case}: gathered");
        }
    }
}

#[test]
fn the_largest_sum_fits() {
    for query in [vec![-128_i8; MAX_DIMENSIONS], vec![127; MAX_DIMENSIONS]] {
        let row = vec![0xff; packed_bytes(MAX_DIMENSIONS)];
        for kernels in HalfKernels::available() {
            let dot = kernels.dot(&query, &row).unwrap();
            let want = by_the_book(&query, &vec![15; MAX_DIMENSIONS]);
            assert_eq!(i64::from(dot), want, "{}", kernels.name());
        }
    }
}

#[test]
fn packing_is_as_the_picture_shows() {
    let mut out = vec![0xff; packed_bytes(200)];
    pack((0..200_u8).map(|dimension| dimension / 13), &mut out);
    assert_eq!(out.len(), 128);
    let value = |dimension: u8| dimension / 13;
    for byte in 0..64_u8 {
        let at = usize::from(byte);
        assert_eq!(out[at], value(64 + byte) << 4 | value(byte), "byte {byte}");
        let second = match byte {
            0..8 => value(192 + byte) << 4 | value(128 + byte),
            _ => value(128 + byte),
        };
        assert_eq!(out[64 + at], second, "byte {} of the second", byte);
    }
}

#[test]
fn packing_round_trips() {
    let mut random = Rng::with_seed(7);
    for dimensions in 0..700 {
        let values: Vec<u8> = (0..dimensions).map(|_| random.u8(..16)).collect();
        let mut out = vec![0xff; packed_bytes(dimensions)];
        pack(values.iter().copied(), &mut out);
        let mut back = vec![0xff; padded(dimensions)];
        unpack(&out, &mut back);
        let (back, padding) = back.split_at(dimensions);
        assert_eq!(back, values);
        assert!(padding.iter().all(|value| *value == 0), "{dimensions}");
    }
}

#[test]
fn both_halves_are_the_whole_code() {
    let mut random = Rng::with_seed(8);
    for dimensions in (GROUP..2000).step_by(GROUP) {
        let query: Vec<i8> = (0..dimensions).map(|_| random.i8(-127..)).collect();
        let code: Vec<u8> = (0..dimensions).map(|_| random.u8(1..)).collect();
        let mut halves = [(); 2].map(|()| vec![0; packed_bytes(dimensions)]);
        pack(code.iter().map(|code| code >> 4), &mut halves[0]);
        pack(code.iter().copied(), &mut halves[1]);
        let [high, low] = halves.map(|half| HalfKernels::best().dot(&query, &half).unwrap());
        let whole = CodeKernels::best().dot(&query, &code).unwrap();
        assert_eq!(16 * high + low, whole, "{dimensions}");
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let kernels = HalfKernels::best();
    let (query, rows) = ([1; GROUP], [1; 5 * GROUP_BYTES]);
    let mismatch = |expected, found| Err(VectorError::DimensionMismatch { expected, found });
    assert_eq!(kernels.dot(&query, &rows), mismatch(640, 128));
    assert_eq!(kernels.dot(&query[1..], &rows[..64]), mismatch(128, 127));
    assert_eq!(kernels.dot(&query, &rows[..63]), mismatch(126, 128));
    let long = vec![1; MAX_DIMENSIONS + GROUP];
    let found = long.len();
    let result = kernels.dot(&long, &vec![1; packed_bytes(found)]);
    assert_eq!(result, mismatch(MAX_DIMENSIONS, found));

    let mut six = [0; 6];
    let refused = kernels.dot_rows(&query, &rows, GROUP_BYTES, &mut six);
    assert_eq!(refused, Err(VectorError::NoSuchRow { place: 5, rows: 5 }));
    let refused = kernels.dot_rows(&query, &rows, GROUP_BYTES + 1, &mut six[..5]);
    assert_eq!(refused, Err(VectorError::NoSuchRow { place: 4, rows: 4 }));
    let refused = kernels.dot_rows(&query, &rows, GROUP_BYTES - 1, &mut six);
    assert!(matches!(refused, Err(VectorError::BadShape { .. })));
    let refused = kernels.dot_rows(&query, &rows[..63], GROUP_BYTES, &mut six[..1]);
    assert_eq!(refused, Err(VectorError::NoSuchRow { place: 0, rows: 0 }));
    let refused = kernels.dot_gathered(&query, &rows, GROUP_BYTES, &[4, 5], &mut six[..2]);
    assert_eq!(refused, Err(VectorError::NoSuchRow { place: 5, rows: 5 }));
    let refused = kernels.dot_gathered(&query, &rows, GROUP_BYTES, &[4], &mut six);
    assert_eq!(refused, Err(VectorError::WrongRoom { rows: 1, room: 6 }));
}
