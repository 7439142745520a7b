//! How a kernel is measured and shown. The oracle's example shares it, so that its numbers can be
//! laid beside these.

#![expect(
    clippy::disallowed_methods,
    reason = "a measurement reads the clock; the engine does not"
)]

use fastrand::Rng;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What a core keeps to itself.
const IN_CACHE_BYTES: usize = 512 << 10;
/// More than the cache that all cores share has, on most machines.
pub(crate) const IN_MEMORY_BYTES: usize = 256 << 20;
const LINE_BYTES: usize = 64;
const ROUNDS: usize = 7;
/// A round takes at least so long, or the clock is too coarse.
const ROUND: Duration = Duration::from_millis(4);

/// Numbers that begin at a cache line: where rows start in one is worth a quarter of the time, so it
/// is not left to the allocator.
pub(crate) struct Aligned<T> {
    numbers: Vec<T>,
    start: usize,
    count: usize,
}

impl<T: Copy + Default> Aligned<T> {
    pub(crate) fn new(count: usize, mut draw: impl FnMut() -> T) -> Self {
        let spare = LINE_BYTES / size_of::<T>();
        let mut numbers = vec![T::default(); count + spare];
        let start = numbers.as_ptr().align_offset(LINE_BYTES) % spare;
        numbers[start..][..count].fill_with(&mut draw);
        Self {
            numbers,
            start,
            count,
        }
    }

    pub(crate) fn all(&self) -> &[T] {
        &self.numbers[self.start..][..self.count]
    }
}

/// As many rows as fit: the places of all of them in no order.
pub(crate) struct Set {
    pub(crate) places: Vec<u32>,
}

impl Set {
    fn of(bytes: usize, row_bytes: usize) -> Self {
        let rows = bytes / row_bytes;
        let mut places: Vec<u32> = (0..rows).filter_map(|at| u32::try_from(at).ok()).collect();
        Rng::with_seed(3).shuffle(&mut places);
        Self { places }
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.places.len()
    }

    /// The rows that a cache has room for, and those that only memory has.
    pub(crate) fn in_cache_and_memory(row_bytes: usize) -> [Self; 2] {
        [IN_CACHE_BYTES, IN_MEMORY_BYTES].map(|bytes| Self::of(bytes, row_bytes))
    }
}

/// Prints what the lines are about.
pub(crate) fn title() {
    println!(
        "{:<10} {:<12} {:<9} {:>5} | {:>13} {:>7} | {:>14} {:>7}",
        "kernel", "machine", "rows", "dims", "in cache: ns", "GB/s", "in memory: ns", "GB/s"
    );
}

/// Prints what one row costs.
pub(crate) fn line(
    (kernel, machine, form): (&str, &str, &str),
    (dimensions, row_bytes): (usize, usize),
    [cache, memory]: [Option<f64>; 2],
) {
    let shown = |cost: Option<f64>| {
        cost.map_or(["-".to_owned(), "-".to_owned()], |cost| {
            [
                format!("{cost:.1}"),
                format!("{:.1}", per_ns(row_bytes, cost)),
            ]
        })
    };
    let ([cache, cache_speed], [memory, memory_speed]) = (shown(cache), shown(memory));
    println!(
        "{kernel:<10} {machine:<12} {form:<9} {dimensions:>5} | {cache:>13} {cache_speed:>7} | {memory:>14} {memory_speed:>7}",
    );
}

/// Bytes per nanosecond, which is GB/s.
pub(crate) fn per_ns(bytes: usize, ns: f64) -> f64 {
    count(bytes) / ns
}

#[expect(clippy::cast_precision_loss, reason = "a number for people to read")]
fn count(number: usize) -> f64 {
    number as f64
}

/// What `work` costs per row of the set in nanoseconds: the best of several rounds.
pub(crate) fn cost(set: &Set, pairs_per_row: usize, mut work: impl FnMut(&Set)) -> f64 {
    let begun = Instant::now();
    work(set);
    let once = begun.elapsed().max(Duration::from_nanos(1));
    let repeats = (ROUND.as_nanos() / once.as_nanos()).max(1);
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        for _ in 0..repeats {
            work(set);
        }
        let nanoseconds = begun.elapsed().as_secs_f64() * 1e9;
        let times =
            count(set.rows() * pairs_per_row) * count(usize::try_from(repeats).unwrap_or(1));
        best = best.min(nanoseconds / times);
    }
    best
}

/// How fast one core reads memory in GB/s: a plain sum, in as many lanes as any machine has.
pub(crate) fn stream() -> f64 {
    let held = Aligned::new(IN_MEMORY_BYTES / size_of::<u64>(), || 1_u64);
    let set = Set::of(1, 1);
    let cost = cost(&set, 1, |_| {
        let mut sums = [0_u64; 32];
        for numbers in held.all().as_chunks::<32>().0 {
            for (sum, number) in sums.iter_mut().zip(numbers) {
                *sum = sum.wrapping_add(*number);
            }
        }
        black_box(sums);
    });
    per_ns(IN_MEMORY_BYTES, cost)
}
