//! What a distance costs: nanoseconds per row, by kernel, number of dimensions, and where the rows
//! lie. Run it with `cargo run --release -p stratigraph-vector --example kernels`.

#![expect(
    clippy::disallowed_methods,
    reason = "a measurement reads the clock; the engine does not"
)]

use fastrand::Rng;
use std::hint::black_box;
use std::time::Instant;
use stratigraph_vector::{Kernels, Rows, VectorError};

const IN_CACHE_BYTES: usize = 512 << 10;
const IN_MEMORY_BYTES: usize = 512 << 20;
const LINE_BYTES: usize = 64;
const QUERIES: usize = 64;
const ROUNDS: usize = 7;

fn main() -> Result<(), VectorError> {
    println!(
        "dimensions kernel   where  one-by-one  in-order  gathered  l2-gathered  pairs  l2-pairs (ns per row)"
    );
    for dimensions in [128, 384, 768] {
        for (place, bytes) in [("cache", IN_CACHE_BYTES), ("memory", IN_MEMORY_BYTES)] {
            let mut rng = Rng::with_seed(1);
            let count = bytes / (dimensions * size_of::<f32>());
            // Where rows start in a cache line is worth a quarter of the time, so it is not left to
            // the allocator.
            let mut values = vec![0.0_f32; count * dimensions + LINE_BYTES / 4];
            let start = values.as_ptr().align_offset(LINE_BYTES) % (LINE_BYTES / 4);
            let values = &mut values[start..][..count * dimensions];
            values.fill_with(|| rng.f32() - 0.5);
            let rows = Rows::new(values, dimensions)?;
            let query: Vec<f32> = (0..dimensions).map(|_| rng.f32() - 0.5).collect();
            let queries: Vec<f32> = (0..QUERIES * dimensions).map(|_| rng.f32() - 0.5).collect();
            let queries = Rows::new(&queries, dimensions)?;
            let mut pairs = vec![0.0; QUERIES * count];
            let mut places: Vec<u32> = (0..count).filter_map(|at| u32::try_from(at).ok()).collect();
            rng.shuffle(&mut places);
            let mut results = vec![0.0; count];
            let repeats = ((64 << 20) / bytes).max(1);
            for kernels in Kernels::available() {
                if kernels.name() == "scalar" && place == "memory" {
                    continue;
                }
                let mut costs = [f64::INFINITY; 6];
                for _ in 0..ROUNDS {
                    let mut measure = |at: usize, work: &mut dyn FnMut(&mut [f32])| {
                        let start = Instant::now();
                        for _ in 0..repeats {
                            work(&mut results);
                            black_box(&results);
                        }
                        #[expect(clippy::cast_precision_loss, reason = "a cost for people to read")]
                        let cost = start.elapsed().as_nanos() as f64 / (repeats * count) as f64;
                        costs[at] = costs[at].min(cost);
                    };
                    measure(0, &mut |results| {
                        for (at, result) in results.iter_mut().enumerate() {
                            if let Some(row) = rows.row(at) {
                                *result = kernels.dot(&query, row).unwrap_or(f32::NAN);
                            }
                        }
                    });
                    measure(1, &mut |results| {
                        let _ = kernels.dot_rows(&query, rows, results);
                    });
                    measure(2, &mut |results| {
                        let _ = kernels.dot_gathered(&query, rows, &places, results);
                    });
                    measure(3, &mut |results| {
                        let _ = kernels.squared_l2_gathered(&query, rows, &places, results);
                    });
                    let mut measure_pairs = |at: usize, work: &mut dyn FnMut(&mut [f32])| {
                        let start = Instant::now();
                        work(&mut pairs);
                        black_box(&pairs);
                        #[expect(clippy::cast_precision_loss, reason = "a cost for people to read")]
                        let cost = start.elapsed().as_nanos() as f64 / pairs.len() as f64;
                        costs[at] = costs[at].min(cost);
                    };
                    measure_pairs(4, &mut |pairs| {
                        let _ = kernels.dot_pairs(queries, rows, pairs);
                    });
                    measure_pairs(5, &mut |pairs| {
                        let _ = kernels.squared_l2_pairs(queries, rows, pairs);
                    });
                }
                let [one, order, gather, l2, dot_pairs, l2_pairs] = costs;
                println!(
                    "{dimensions:>10} {:<8} {place:<6} {one:>10.1} {order:>9.1} {gather:>9.1} {l2:>12.1} {dot_pairs:>6.1} {l2_pairs:>9.1}",
                    kernels.name()
                );
            }
        }
    }
    Ok(())
}
