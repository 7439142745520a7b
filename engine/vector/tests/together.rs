//! V10: four write, four read, one tends. What was written before a search began and has not been removed is
//! found; what a search sees at a sequence never changes.

mod shared;

use fastrand::Rng;
use shared::{Space, Told, rounds};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use stratigraph_vector::{Effort, Index, IndexError, Metric, Query, Settings};

const WRITERS: u64 = 4;
const READERS: u64 = 4;
const DIMENSIONS: usize = 24;

fn index() -> Arc<Index> {
    let settings = Settings::new(DIMENSIONS, Metric::Euclidean)
        .links(8)
        .breadth(48);
    Arc::new(settings.memory_limit(256 << 20).build().unwrap())
}

/// What was acknowledged and is not being removed: the vector of each id.
type Written = Mutex<HashMap<u64, Arc<[f32]>>>;

/// Writes, replaces and removes ids that nobody else writes.
fn write(
    index: &Index,
    told: &Written,
    sequence: &AtomicU64,
    space: &Space,
    writer: u64,
    count: u64,
) {
    let mut random = Rng::with_seed(writer);
    // Sequences must not go back, and another may have gone on.
    let again = |write: &dyn Fn(u64) -> Result<(), IndexError>| loop {
        let now = sequence.fetch_add(1, Ordering::SeqCst);
        match write(now) {
            Err(IndexError::SequenceGoesBack { .. }) => {}
            done => break done.unwrap(),
        }
    };
    for _ in 0..count {
        let id = random.u64(..1500) * WRITERS + writer;
        told.lock().unwrap().remove(&id);
        if random.u8(..10) < 3 {
            again(&|now| index.remove(now, id).map(drop));
        } else {
            let vector: Arc<[f32]> = space.vector(&mut random).into();
            again(&|now| index.insert(now, id, &vector));
            told.lock().unwrap().insert(id, vector);
        }
    }
}

#[derive(Debug, Default)]
struct Found {
    asked: AtomicUsize,
    missed: AtomicUsize,
}

/// Looks for vectors that are there, by themselves.
fn read(index: &Index, told: &Written, done: &AtomicBool, found: &[Found; 2], reader: u64) {
    let mut random = Rng::with_seed(100 + reader);
    while !done.load(Ordering::Relaxed) {
        let some = {
            let told = told.lock().unwrap();
            let at = random.usize(..told.len().max(1));
            told.iter()
                .nth(at)
                .map(|(id, vector)| (*id, Arc::clone(vector)))
        };
        let Some((id, vector)) = some else {
            thread::yield_now();
            continue;
        };
        for (wide, found) in found.iter().enumerate() {
            if wide == 1 && random.u8(..8) > 0 {
                continue;
            }
            let breadth = if wide == 1 { index.len() } else { 48 };
            let query = Query::new(&vector, 3).effort(Effort::Breadth(breadth));
            let answer = index.search(&query).unwrap();
            let ids: BTreeSet<u64> = answer.hits.iter().map(|hit| hit.id).collect();
            assert_eq!(ids.len(), answer.hits.len(), "{answer:?}");
            let there = answer
                .hits
                .iter()
                .any(|hit| hit.id == id && hit.score == 0.0);
            let still = told
                .lock()
                .unwrap()
                .get(&id)
                .is_some_and(|now| Arc::ptr_eq(now, &vector));
            if still {
                found.asked.fetch_add(1, Ordering::Relaxed);
                found
                    .missed
                    .fetch_add(usize::from(!there), Ordering::Relaxed);
            }
        }
    }
}

#[test]
fn what_was_written_before_is_found_while_others_write() {
    let index = index();
    let (told, sequence, done) = (
        Written::default(),
        AtomicU64::new(1),
        AtomicBool::new(false),
    );
    let space = Space::new(&mut Rng::with_seed(5), DIMENSIONS);
    let found = [Found::default(), Found::default()];
    let sequence = Arc::new(sequence);
    let oldest = Arc::clone(&sequence);
    let tender = index
        .tend_in_background(move || oldest.load(Ordering::SeqCst))
        .unwrap();
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (index, told, sequence, space) = (&index, &told, &sequence, &space);
                scope.spawn(move || write(index, told, sequence, space, writer, 10_000 * rounds()))
            })
            .collect();
        for reader in 0..READERS {
            let (index, told, done, found) = (&index, &told, &done, &found);
            scope.spawn(move || read(index, told, done, found, reader));
        }
        let ended: Vec<_> = writers
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect();
        done.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok));
    });
    drop(tender);
    println!("{found:?}");
    let count = |number: &AtomicUsize| number.load(Ordering::Relaxed);
    assert!(
        count(&found[0].asked) > 1000 && count(&found[1].asked) > 100,
        "{found:?}"
    );
    assert!(
        count(&found[0].missed) * 1000 <= count(&found[0].asked),
        "{found:?}"
    );
    assert_eq!(count(&found[1].missed), 0, "{found:?}");
    assert_eq!(index.len(), told.lock().unwrap().len());
}

/// The sequences at which somebody searches, each with how many do.
#[derive(Default)]
struct Searched(Mutex<BTreeMap<u64, usize>>);

impl Searched {
    /// Begins a search at the latest sequence of which all is written.
    fn begin(&self, complete: &AtomicU64) -> u64 {
        let mut searched = self.0.lock().unwrap();
        let sequence = complete.load(Ordering::SeqCst);
        *searched.entry(sequence).or_default() += 1;
        sequence
    }

    fn end(&self, sequence: u64) {
        let mut searched = self.0.lock().unwrap();
        let count = searched.get_mut(&sequence).unwrap();
        *count -= 1;
        if *count == 0 {
            searched.remove(&sequence);
        }
    }

    fn oldest(&self, complete: &AtomicU64) -> u64 {
        let searched = self.0.lock().unwrap();
        let complete = complete.load(Ordering::SeqCst);
        searched
            .first_key_value()
            .map_or(complete, |(first, _)| *first)
    }
}

#[test]
fn what_is_seen_at_a_sequence_never_changes() {
    let index = index();
    let space = Space::new(&mut Rng::with_seed(6), DIMENSIONS);
    let complete = Arc::new(AtomicU64::new(0));
    let searched = Arc::new(Searched::default());
    let done = AtomicBool::new(false);
    let tender = {
        let (complete, searched) = (Arc::clone(&complete), Arc::clone(&searched));
        index
            .tend_in_background(move || searched.oldest(&complete))
            .unwrap()
    };
    let compared = AtomicUsize::new(0);
    thread::scope(|scope| {
        for reader in 0..READERS {
            let (index, space, complete, searched) = (&index, &space, &complete, &searched);
            let (done, compared) = (&done, &compared);
            scope.spawn(move || {
                let _told = Told(format!("reader {reader}"));
                let mut random = Rng::with_seed(200 + reader);
                while !done.load(Ordering::Relaxed) {
                    let sequence = searched.begin(complete);
                    let vector = space.vector(&mut random);
                    let query = Query::new(&vector, 20).at(sequence);
                    let exact = || index.search(&query.effort(Effort::Exact)).unwrap().hits;
                    let first = exact();
                    let walked = index
                        .search(&query.effort(Effort::Breadth(60)))
                        .unwrap()
                        .hits;
                    let right = walked.iter().filter(|hit| first.contains(hit)).count();
                    assert_eq!(walked.len(), first.len());
                    assert!(right * 10 >= first.len() * 7, "{right} of {}", first.len());
                    thread::yield_now();
                    assert_eq!(exact(), first, "at {sequence}");
                    searched.end(sequence);
                    compared.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let mut random = Rng::with_seed(7);
        for sequence in 1..=4000 * rounds() {
            // Several changes at one sequence, some of them of the same id.
            for _ in 0..random.u8(1..6) {
                let id = random.u64(..3000);
                if random.u8(..10) < 3 {
                    index.remove(sequence, id).unwrap();
                } else {
                    index
                        .insert(sequence, id, &space.vector(&mut random))
                        .unwrap();
                }
            }
            complete.store(sequence, Ordering::SeqCst);
        }
        done.store(true, Ordering::Relaxed);
    });
    drop(tender);
    assert!(compared.load(Ordering::Relaxed) > 100);
}
