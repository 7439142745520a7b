//! All kernels against the sum as school teaches it.

use super::*;
use crate::fenced::Fenced;
use fastrand::Rng;

fn by_the_book(query: &[i8], code: &[u8]) -> i64 {
    let products = query.iter().zip(code);
    products
        .map(|(query, code)| i64::from(*query) * i64::from(*code))
        .sum()
}

fn query(random: &mut Rng, dimensions: usize, extreme: bool) -> Vec<i8> {
    let draw = |random: &mut Rng| match extreme {
        true => random.choice([-128, -127, 127]).unwrap_or(0),
        false => random.i8(..),
    };
    (0..dimensions).map(|_| draw(random)).collect()
}

fn codes(random: &mut Rng, bytes: usize, extreme: bool) -> Vec<u8> {
    let draw = |random: &mut Rng| match extreme {
        true => random.choice([0, 255]).unwrap_or(0),
        false => random.u8(..),
    };
    (0..bytes).map(|_| draw(random)).collect()
}

#[test]
fn every_kernel_gives_the_sum_of_the_products() {
    let mut random = Rng::with_seed(11);
    let mut dimensions: Vec<usize> = (0..200).collect();
    dimensions.extend([384, 768, 1000, 1536, 4096]);
    for dimensions in dimensions {
        for extreme in [false, true] {
            let query = query(&mut random, dimensions, extreme);
            let stride = (dimensions + random.usize(0..70)).max(1);
            let rows = 11;
            // Memory ends with the last code.
            let mut fenced = Fenced::new(stride * (rows - 1) + dimensions);
            let held = fenced.bytes();
            held.copy_from_slice(&codes(&mut random, held.len(), extreme));
            let held = &*held;
            let code = |row: usize| &held[row * stride..][..dimensions];
            let want: Vec<i64> = (0..rows)
                .map(|row| by_the_book(&query, code(row)))
                .collect();
            let places: Vec<u32> = (0..23).map(|_| random.u32(..rows as u32)).collect();
            for kernels in CodeKernels::available() {
                let place = format!("{} {dimensions}", kernels.name());
                for (row, want) in want.iter().enumerate() {
                    let dot = kernels.dot(&query, code(row)).unwrap();
                    assert_eq!(i64::from(dot), *want, "{place}");
                }
                let mut found = vec![0; rows];
                kernels.dot_rows(&query, held, stride, &mut found).unwrap();
                assert!(
                    found.iter().zip(&want).all(|(f, w)| i64::from(*f) == *w),
                    "{place}"
                );
                let mut found = vec![0; places.len()];
                kernels
                    .dot_gathered(&query, held, stride, &places, &mut found)
                    .unwrap();
                for (found, place_of) in found.iter().zip(&places) {
                    assert_eq!(i64::from(*found), want[*place_of as usize], "{place}");
                }
            }
        }
    }
}

#[test]
fn the_largest_sum_fits() {
    for query in [vec![-128_i8; MAX_DIMENSIONS], vec![127; MAX_DIMENSIONS]] {
        let code = vec![255; MAX_DIMENSIONS];
        for kernels in CodeKernels::available() {
            let dot = kernels.dot(&query, &code).unwrap();
            assert_eq!(i64::from(dot), by_the_book(&query, &code));
        }
    }
}

#[test]
fn lengths_must_agree() {
    let kernels = CodeKernels::best();
    assert!(kernels.dot(&[1, 2], &[1]).is_err());
    let long = MAX_DIMENSIONS + 1;
    assert!(kernels.dot(&vec![1; long], &vec![1; long]).is_err());
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let kernels = CodeKernels::best();
    let (query, codes, mut six) = ([1; 8], [1; 40], [0; 6]);
    let refused = kernels.dot_rows(&query, &codes, 8, &mut six);
    assert_eq!(refused, Err(VectorError::NoSuchRow { place: 5, rows: 5 }));
    let refused = kernels.dot_rows(&query, &codes, 9, &mut six[..5]);
    assert_eq!(refused, Err(VectorError::NoSuchRow { place: 4, rows: 4 }));
    let refused = kernels.dot_rows(&query, &codes, 7, &mut six[..1]);
    assert!(matches!(refused, Err(VectorError::BadShape { .. })));
    let refused = kernels.dot_gathered(&query, &codes, 8, &[0, 5], &mut six[..2]);
    assert_eq!(refused, Err(VectorError::NoSuchRow { place: 5, rows: 5 }));
    let refused = kernels.dot_gathered(&query, &codes, 8, &[4], &mut six);
    assert_eq!(refused, Err(VectorError::WrongRoom { rows: 1, room: 6 }));
    let long = vec![1; MAX_DIMENSIONS + 1];
    let refused = kernels.dot_rows(&long, &codes, long.len(), &mut []);
    assert!(matches!(
        refused,
        Err(VectorError::DimensionMismatch { .. })
    ));
}
