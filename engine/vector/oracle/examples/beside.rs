//! Our kernels and numkong's in one run, one row per call, as numkong offers it.
//!
//! Its `f32` sums are `f64`, so they are more exact than ours; its `i8` are two signed ones, so it has
//! to take off what an offset adds, which our index does once per query.

use fastrand::Rng;
use measure::{Aligned, IN_MEMORY_BYTES, Set};
use numkong::{Dot, Euclidean};
use std::hint::black_box;
use stratigraph_vector::halves::{self, HalfKernels};
use stratigraph_vector::{CodeKernels, Kernels};

#[path = "../../examples/kernels/measure.rs"]
mod measure;

fn main() {
    println!("one core reads {:.1} GB/s", measure::stream());
    measure::title();
    for dimensions in [128, 384, 768, 1536] {
        floats(dimensions);
        numbers(dimensions);
    }
}

/// Measures one call per row.
fn show<T, R: Copy + Default>(
    names: (&str, &str, &str),
    (dimensions, row): (usize, usize),
    held: &[T],
    mut call: impl FnMut(&[T]) -> R,
) {
    let row_bytes = row * size_of::<T>();
    let costs = Set::in_cache_and_memory(row_bytes).map(|set| {
        let mut results = vec![R::default(); set.rows()];
        Some(measure::cost(&set, 1, |_| {
            for (row, result) in held.chunks_exact(row).zip(&mut results) {
                *result = call(row);
            }
            black_box(&results);
        }))
    });
    measure::line(names, (dimensions, row_bytes), costs);
}

fn floats(dimensions: usize) {
    let mut rng = Rng::with_seed(1);
    let held = Aligned::new(IN_MEMORY_BYTES / size_of::<f32>(), || rng.f32() - 0.5);
    let query = Aligned::new(dimensions, || rng.f32() - 0.5);
    let (held, query, sizes) = (held.all(), query.all(), (dimensions, dimensions));
    let ours = Kernels::best();
    let names = |kernel, machine| (kernel, machine, "single");
    show(names("f32 dot", ours.name()), sizes, held, |row| {
        ours.dot(query, row).unwrap_or(0.0)
    });
    show(names("f32 dot", "numkong"), sizes, held, |row| {
        f32::dot(query, row).unwrap_or(0.0)
    });
    show(names("f32 l2", ours.name()), sizes, held, |row| {
        ours.squared_l2(query, row).unwrap_or(0.0)
    });
    show(names("f32 l2", "numkong"), sizes, held, |row| {
        f32::sqeuclidean(query, row).unwrap_or(0.0)
    });
}

fn numbers(dimensions: usize) {
    let mut rng = Rng::with_seed(2);
    let held = Aligned::new(IN_MEMORY_BYTES, || rng.i8(-127..));
    let codes = Aligned::new(IN_MEMORY_BYTES, || rng.u8(1..));
    let query = Aligned::new(dimensions, || rng.i8(-127..));
    let (held, codes, query) = (held.all(), codes.all(), query.all());
    let (sizes, half) = (
        (dimensions, dimensions),
        (dimensions, halves::packed_bytes(dimensions)),
    );
    let names = |kernel, machine| (kernel, machine, "single");
    for ours in CodeKernels::available().into_iter().skip(1) {
        show(names("i8 dot", ours.name()), sizes, codes, |row| {
            ours.dot(query, row).unwrap_or(0)
        });
    }
    show(names("i8 dot", "numkong"), sizes, held, |row| {
        i8::dot(query, row).unwrap_or(0)
    });
    for ours in HalfKernels::available().into_iter().skip(1) {
        show(names("half dot", ours.name()), half, codes, |row| {
            ours.dot(query, row).unwrap_or(0)
        });
    }
}
