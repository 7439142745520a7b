//! What a distance costs: nanoseconds per row and bytes per nanosecond, by kernel, machine, number
//! of dimensions, and where the rows lie. Run it with
//! `cargo run --release -p stratigraph-vector --example kernels`; numkong's figures come from
//! `cargo run --release --example beside` in `engine/vector/oracle`, which takes minutes to build.

use fastrand::Rng;
use measure::{Aligned, IN_MEMORY_BYTES, Set};
use std::hint::black_box;
use stratigraph_vector::halves::{self, HalfKernels};
use stratigraph_vector::{CodeKernels, Kernels, Rows, VectorError};

mod measure;

const DIMENSIONS: [usize; 3] = [128, 384, 768];
const QUERIES: usize = 64;
/// Not worth the wait where rows come from memory.
const SLOW: &str = "scalar";

fn main() -> Result<(), VectorError> {
    println!("one core reads {:.1} GB/s", measure::stream());
    measure::title();
    for dimensions in DIMENSIONS {
        floats(dimensions)?;
        codes(dimensions);
        half_codes(dimensions);
    }
    Ok(())
}

/// Measures one form of a kernel on the rows of both sets.
fn show(names: (&str, &str, &str), sizes: (usize, usize), mut work: impl FnMut(&Set, &mut Room)) {
    let [cache, memory] = Set::in_cache_and_memory(sizes.1);
    let mut room = Room::default();
    let mut cost = |set: &Set| {
        room.floats.resize(set.rows(), 0.0);
        room.numbers.resize(set.rows(), 0);
        measure::cost(set, 1, |set| {
            work(set, &mut room);
            black_box(&room);
        })
    };
    let cache = cost(&cache);
    let memory = (names.1 != SLOW).then(|| cost(&memory));
    measure::line(names, sizes, [Some(cache), memory]);
}

/// Room for results.
#[derive(Default)]
struct Room {
    floats: Vec<f32>,
    numbers: Vec<i32>,
}

fn floats(dimensions: usize) -> Result<(), VectorError> {
    let mut rng = Rng::with_seed(1);
    let mut draw = || rng.f32() - 0.5;
    let row_bytes = dimensions * size_of::<f32>();
    let sizes = (dimensions, row_bytes);
    let held = Aligned::new(IN_MEMORY_BYTES / row_bytes * dimensions, &mut draw);
    let all = Rows::new(held.all(), dimensions)?;
    let rows = |set: &Set| all.part(0, set.rows()).unwrap_or(all);
    let query = Aligned::new(dimensions, &mut draw);
    let query = query.all();
    let queries = Aligned::new(QUERIES * dimensions, &mut draw);
    let queries = Rows::new(queries.all(), dimensions)?;
    for kernels in Kernels::available() {
        let named = |kernel, form| (kernel, kernels.name(), form);
        show(named("f32 dot", "single"), sizes, |set, room| {
            for (at, result) in room.floats.iter_mut().enumerate().take(set.rows()) {
                if let Some(row) = all.row(at) {
                    *result = kernels.dot(query, row).unwrap_or(f32::NAN);
                }
            }
        });
        show(named("f32 dot", "in order"), sizes, |set, room| {
            let _ = kernels.dot_rows(query, rows(set), &mut room.floats);
        });
        show(named("f32 dot", "gathered"), sizes, |set, room| {
            let _ = kernels.dot_gathered(query, all, &set.places, &mut room.floats);
        });
        show(named("f32 l2", "in order"), sizes, |set, room| {
            let _ = kernels.squared_l2_rows(query, rows(set), &mut room.floats);
        });
        show(named("f32 l2", "gathered"), sizes, |set, room| {
            let _ = kernels.squared_l2_gathered(query, all, &set.places, &mut room.floats);
        });
        let [set, _] = Set::in_cache_and_memory(row_bytes);
        let mut pairs = vec![0.0; QUERIES * set.rows()];
        let cost = measure::cost(&set, QUERIES, |set| {
            let _ = kernels.dot_pairs(queries, rows(set), &mut pairs);
            black_box(&pairs);
        });
        measure::line(named("f32 dot", "pairs"), sizes, [Some(cost), None]);
    }
    Ok(())
}

fn codes(dimensions: usize) {
    let mut rng = Rng::with_seed(2);
    let sizes = (dimensions, dimensions);
    let held = Aligned::new(IN_MEMORY_BYTES / dimensions * dimensions, || rng.u8(1..));
    let all = held.all();
    let query = Aligned::new(dimensions, || rng.i8(-127..));
    let query = query.all();
    for kernels in CodeKernels::available() {
        let named = |form| ("i8 dot", kernels.name(), form);
        show(named("single"), sizes, |_, room| {
            let rows = all.chunks_exact(dimensions);
            for (row, result) in rows.zip(&mut room.numbers) {
                *result = kernels.dot(query, row).unwrap_or(0);
            }
        });
        show(named("in order"), sizes, |_, room| {
            let _ = kernels.dot_rows(query, all, dimensions, &mut room.numbers);
        });
        show(named("gathered"), sizes, |set, room| {
            let results = &mut room.numbers;
            let _ = kernels.dot_gathered(query, all, dimensions, &set.places, results);
        });
    }
}

fn half_codes(dimensions: usize) {
    let mut rng = Rng::with_seed(2);
    let stride = halves::packed_bytes(dimensions);
    let sizes = (dimensions, stride);
    let held = Aligned::new(IN_MEMORY_BYTES / stride * stride, || rng.u8(..));
    let all = held.all();
    let query = Aligned::new(halves::padded(dimensions), || rng.i8(-127..));
    let query = query.all();
    for kernels in HalfKernels::available() {
        let named = |form| ("half dot", kernels.name(), form);
        show(named("single"), sizes, |_, room| {
            for (row, result) in all.chunks_exact(stride).zip(&mut room.numbers) {
                *result = kernels.dot(query, row).unwrap_or(0);
            }
        });
        show(named("in order"), sizes, |_, room| {
            let _ = kernels.dot_rows(query, all, stride, &mut room.numbers);
        });
        show(named("gathered"), sizes, |set, room| {
            let results = &mut room.numbers;
            let _ = kernels.dot_gathered(query, all, stride, &set.places, results);
        });
    }
}
