//! Random operations on the graph against a plain one in ordered maps, on both stores.
//!
//! Every operation is made on both; the plain graph says beforehand whether it is refused and how.
//! Then everything readable is compared: inside the write transaction, after each commit, in old
//! snapshots long afterwards, and after reopening. A failure prints its seed.
//!
//! `GRAPH_MODEL_SEED=17` runs that sequence alone, `GRAPH_MODEL_SEQUENCES=5000` that many.

#[path = "graph_model/compare.rs"]
mod compare;
#[path = "graph_model/compare_declared.rs"]
mod compare_declared;
#[path = "graph_model/declare.rs"]
mod declare;
#[path = "graph_model/machine.rs"]
mod machine;
#[path = "graph_model/plain.rs"]
mod plain;
#[path = "graph_model/refusal.rs"]
mod refusal;
#[path = "graph_model/values.rs"]
mod values;
#[path = "graph_model/writer.rs"]
mod writer;

use machine::{Home, Machine};
use std::ops::Range;

/// Says which sequence failed, and how to run it again.
struct Told(u64);

impl Drop for Told {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "sequence failed: run it again with GRAPH_MODEL_SEED={}",
                self.0
            );
        }
    }
}

/// The seeds to run: one that was asked for, or as many as were asked for.
fn seeds(unless_told: u64) -> Range<u64> {
    let number = |name| {
        let text = std::env::var(name).ok()?;
        Some(text.parse().expect("a number"))
    };
    match (number("GRAPH_MODEL_SEED"), number("GRAPH_MODEL_SEQUENCES")) {
        (Some(seed), _) => seed..seed + 1,
        (None, count) => 0..count.unwrap_or(unless_told),
    }
}

/// Runs one sequence, and returns how many operations it had.
fn run(home: &Home, seed: u64, steps: u32) -> u64 {
    let told = Told(seed);
    let mut machine = Machine::new(home.clone(), seed);
    machine.run(steps);
    let operations = machine.operations;
    drop((machine, told));
    operations
}

#[test]
fn the_graph_in_memory_is_the_plain_graph() {
    let seeds = seeds(100);
    let sequences = seeds.end - seeds.start;
    let operations: u64 = seeds.map(|seed| run(&Home::Memory, seed, 20)).sum();
    println!("{operations} operations in {sequences} sequences");
}

#[test]
fn the_graph_on_disk_is_the_plain_graph() {
    /// Most of the time is spent waiting for the disk.
    const THREADS: u64 = 4;
    let folder = tempfile::tempdir().unwrap();
    let seeds = seeds(20);
    let sequences = seeds.end - seeds.start;
    let operations: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|first| {
                let mine = seeds.clone().filter(move |seed| seed % THREADS == first);
                let folder = folder.path();
                scope.spawn(move || {
                    let mut operations = 0;
                    for seed in mine {
                        let home = folder.join(seed.to_string());
                        operations += run(&Home::Folder(home.clone()), seed, 60);
                        std::fs::remove_dir_all(home).unwrap();
                    }
                    operations
                })
            })
            .collect();
        let ended = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        ended
            .map(|ended| ended.expect("every sequence succeeds"))
            .sum()
    });
    println!("{operations} operations in {sequences} sequences");
}
