//! All kernels against the sum as school teaches it.

use super::*;
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
            let stride = dimensions + random.usize(0..70);
            let rows = 11;
            // No byte to spare after the last code, for a tool that finds reading beyond it.
            let held = codes(&mut random, stride * (rows - 1) + dimensions, extreme);
            let code = |row: usize| &held[row * stride..][..dimensions];
            let want: Vec<i64> = (0..rows)
                .map(|row| by_the_book(&query, code(row)))
                .collect();
            let places: Vec<u32> = (0..23).map(|_| random.u32(..rows as u32)).collect();
            for kernels in CodeKernels::available() {
                let place = format!("{} {dimensions}", kernels.name());
                let strided = Strided {
                    first: held.as_ptr(),
                    stride,
                };
                for (row, want) in want.iter().enumerate() {
                    let dot = kernels.dot(&query, code(row)).unwrap();
                    assert_eq!(i64::from(dot), *want, "{place}");
                }
                let mut found = vec![0; rows];
                // SAFETY: `held` has so many codes.
                unsafe { kernels.in_order(&query, strided, &mut found) };
                assert!(
                    found.iter().zip(&want).all(|(f, w)| i64::from(*f) == *w),
                    "{place}"
                );
                let mut found = vec![0; places.len()];
                // SAFETY: every place is below the number of codes.
                unsafe { kernels.gathered(&query, strided, &places, &mut found) };
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
