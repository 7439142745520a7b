#![expect(unsafe_code, reason = "it counts what the allocator gives out")]
//! What an index says it takes, against what the allocator has given it and the system has mapped for it.
//! One test at a time: others would be counted too.

mod shared;

use fastrand::Rng;
use shared::{Space, Told};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use stratigraph_vector::{Coding, Effort, Index, IndexError, Metric, Query, Rerank, Settings};

struct Counting;

static GIVEN: AtomicUsize = AtomicUsize::new(0);

// SAFETY: it only counts and leaves the rest to the system's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        GIVEN.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's own contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        GIVEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's own contract.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What does not grow: settings, signs of the rotation, the queue of rooms, notes of searches.
const FIXED: usize = 32 << 10;

fn given() -> usize {
    GIVEN.load(Ordering::Relaxed)
}

/// How many bytes of memory the process has of its own, as the system sees it: what is of files the system can take back.
fn own() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: Vec<usize> = { pages.split_whitespace() }
        .map(|count| count.parse().unwrap())
        .collect();
    (pages[1] - pages[2]) * 4096
}

fn assert_counted(index: &Index, before: usize, what: &str) {
    let memory = index.memory();
    let counted = memory.ids + memory.upper + memory.rooms + memory.tending;
    let given = given() - before;
    assert!(
        given <= counted + FIXED && counted <= given,
        "{what}: {given} bytes are given, {counted} counted: {memory:?}"
    );
}

#[test]
fn memory_is_what_is_counted() {
    counts_what_is_given();
    counts_what_is_mapped();
    a_full_index_goes_on();
    churn_takes_no_more();
}

fn counts_what_is_given() {
    for coding in [Coding::Halves, Coding::Bytes, Coding::Whole] {
        let mut random = Rng::with_seed(1);
        let space = Space::new(&mut random, 48);
        let before = given();
        let settings = Settings::new(48, Metric::Cosine)
            .coding(coding)
            .memory_limit(64 << 20);
        let index = settings.threads(2).build().unwrap();
        assert_counted(&index, before, "empty");
        for id in 0..12_000 {
            index.insert(id, id, &space.vector(&mut random)).unwrap();
        }
        assert_counted(&index, before, "grown");
        index.tend(0);
        assert_counted(&index, before, "linked");
        let slots = (0..12_000).filter(|slot| slot % 3 == 0).collect();
        for k in [1, 10, 3000, 12_000] {
            let vector = space.vector(&mut random);
            let query = Query::new(&vector, k);
            for effort in [
                Effort::Scan,
                Effort::Exact,
                Effort::Breadth(30),
                Effort::Recall(0.9),
            ] {
                index.search(&query.effort(effort)).unwrap();
                index.search(&query.effort(effort).within(&slots)).unwrap();
            }
            assert_counted(&index, before, &format!("searched for {k}"));
        }
        for id in 0..5000 {
            index.remove(20_000, id).unwrap();
        }
        index.tend(20_000);
        assert_counted(&index, before, "shrunk");
        drop(index);
        assert!(given() < before + FIXED, "all is given back");
    }
}

fn counts_what_is_mapped() {
    let mut random = Rng::with_seed(2);
    let space = Space::new(&mut random, 384);
    let vectors = space.vectors(&mut random, 500);
    let dir = std::env::temp_dir().join(format!("vector-memory-{}", std::process::id()));
    for rerank in [Rerank::Memory, Rerank::File(dir.clone())] {
        let _told = Told(format!("{rerank:?}"));
        let file = matches!(rerank, Rerank::File(_));
        let index = Settings::new(384, Metric::Cosine)
            .rerank(rerank)
            .build()
            .unwrap();
        let before = (own(), index.memory());
        for id in 0..30_000 {
            index.insert(1, id, &vectors[id as usize % 500]).unwrap();
        }
        let memory = index.memory();
        let each = 512 + 4;
        assert_eq!(
            memory.blocks,
            30_000 * each,
            "192 bytes twice, 32 links, and what the codes leave out"
        );
        assert_eq!(memory.slots, 30_000 * 24);
        let each = if file { 8 } else { 384 * 4 };
        assert_eq!(memory.originals, 30_000 * each, "a seal, or the vector");
        let counted = memory.total() - before.1.total();
        let mapped = own() - before.0;
        // Five mappings, each of which ends in the middle of a huge page.
        let most = counted + 6 * (2 << 20);
        assert!(
            mapped <= most,
            "{mapped} bytes are mapped, {counted} counted"
        );
        assert!(
            mapped + (2 << 20) >= counted,
            "{mapped} bytes are mapped, {counted} counted"
        );
    }
    std::fs::remove_file(dir).unwrap();
}

fn a_full_index_goes_on() {
    let mut random = Rng::with_seed(3);
    let space = Space::new(&mut random, 16);
    for limit in [0, 1000, 100 << 10, 1 << 20] {
        let _told = Told(format!("limit {limit}"));
        let index = Settings::new(16, Metric::Dot)
            .links(4)
            .memory_limit(limit)
            .build()
            .unwrap();
        let mut count = 0;
        let full = loop {
            let vector = space.vector(&mut random);
            if let Err(full) = index.insert(5, count, &vector) {
                break full;
            }
            count += 1;
        };
        let wanted = IndexError::Full {
            limit_bytes: limit,
            vectors: count as usize,
        };
        assert_eq!(full, wanted);
        assert!(count == 0 || index.memory().total() <= limit);
        assert_eq!(index.len() as u64, count);
        let vector = space.vector(&mut random);
        let hits = index.search(&Query::new(&vector, 7)).unwrap().hits.len();
        assert_eq!(hits as u64, count.min(7));
        index.tend(5);
        if count < 1500 {
            continue;
        }
        // Nothing can be written over, either, until something was removed and tended to; tending and
        // searching take memory too, so somewhat more must go than comes.
        assert_eq!(index.insert(6, 0, &vector).unwrap_err(), wanted);
        assert_eq!(index.latest(), 5, "what is refused changes nothing");
        for id in 0..count / 2 {
            assert!(index.remove(7, id).unwrap());
        }
        assert!(index.insert(7, count, &vector).is_err());
        assert!(index.tend(7).unlinked > 0);
        for id in 0..count / 3 {
            index.insert(8, id, &vector).unwrap();
        }
        assert_eq!(index.len() as u64, count - count / 2 + count / 3);
    }
}

fn churn_takes_no_more() {
    let mut random = Rng::with_seed(4);
    let space = Space::new(&mut random, 16);
    let index = Settings::new(16, Metric::Cosine)
        .memory_limit(64 << 20)
        .build()
        .unwrap();
    let mut sequence = 0;
    let mut taken = None;
    for generation in 0..20 {
        for id in 0..2500 {
            sequence += 1;
            index
                .insert(
                    sequence,
                    (generation % 3) * 1_000_000 + id,
                    &space.vector(&mut random),
                )
                .unwrap();
        }
        if generation > 0 {
            for id in 0..2500 {
                sequence += 1;
                index
                    .remove(sequence, ((generation - 1) % 3) * 1_000_000 + id)
                    .unwrap();
            }
        }
        index.tend(sequence);
        index.tend(sequence);
        let memory = index.memory();
        if generation == 6 {
            taken = Some(memory);
        }
        if let Some(taken) = taken {
            let now = memory.total() as f64 / taken.total() as f64;
            assert!(
                now < 1.02,
                "generation {generation}: {memory:?}, {taken:?} before"
            );
        }
    }
}
