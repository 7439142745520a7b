//! Readers beside a writer: they see whole batches, and time goes forward only.

use super::{BOTH, Open, Subject, get, scan};
use crate::storage::batch::Batch;
use crate::storage::family::Family;
use crate::storage::range::{Direction, KeyRange};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The two families that every batch changes alike.
const TWINS: [Family; 2] = [Family::Out, Family::In];
const KEYS: u64 = 100;
const ROUNDS: u64 = 300;
const READERS: usize = 3;

/// Raises a flag when it is dropped, so that one side also stops when the other panics.
struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// In round `r` every key gets the value `r`, except one in three, which is deleted: a different
/// third each time, and the same one in both families.
fn round(number: u64) -> Batch {
    let mut batch = Batch::new();
    for key in 0..KEYS {
        for family in TWINS {
            if key % 3 == number % 3 {
                batch.delete(family, &key.to_be_bytes());
            } else {
                batch.put(family, &key.to_be_bytes(), &number.to_be_bytes());
            }
        }
    }
    batch
}

pub(super) fn readers_see_whole_batches(open: Open) {
    let subject = Subject::open(open);
    subject.append(&round(0));
    let (done, reader_left) = (AtomicBool::new(false), AtomicBool::new(false));
    let looks = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for reader in 0..READERS {
            let (subject, done, looks, reader_left) = (&subject, &done, &looks, &reader_left);
            scope.spawn(move || {
                let _raise = Raise(reader_left);
                let direction = BOTH[reader % 2];
                while !done.load(Ordering::Acquire) {
                    let snapshot = subject.snapshot();
                    let [out, incoming] =
                        TWINS.map(|family| scan(&*snapshot, family, &KeyRange::all(), direction));
                    assert_eq!(out, incoming, "half a batch: the families differ");
                    let value = &out[0].1;
                    assert!(
                        out.iter().all(|(_, other)| other == value),
                        "half a batch: {out:?}"
                    );
                    let number = u64::from_be_bytes(value[..].try_into().expect("eight bytes"));
                    let left = (0..KEYS).filter(|key| key % 3 != number % 3);
                    assert_eq!(out.len(), left.count(), "half a batch: keys are missing");
                    for (key, _) in out.iter().step_by(7) {
                        let found = TWINS.map(|family| get(&*snapshot, family, key));
                        assert_eq!(found, [Some(value.clone()), Some(value.clone())]);
                    }
                    looks.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let _raise = Raise(&done);
        let mut number = 0;
        // Go on until the readers had their share, so that a slow machine proves as much.
        while number < ROUNDS || looks.load(Ordering::Relaxed) < 50 {
            if reader_left.load(Ordering::Acquire) {
                break;
            }
            number += 1;
            subject.append(&round(number));
            if number % 64 == 0 {
                subject.store.flush().expect("flush");
                subject.store.compact(TWINS[0]).expect("compact");
            }
            assert!(number < 1_000_000, "the readers do not get on");
        }
    });
    assert_eq!(subject.store.metrics().snapshots, 0);
}

pub(super) fn each_reader_moves_forward_only(open: Open) {
    let subject = Subject::open(open);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..READERS {
            let (subject, done) = (&subject, &done);
            scope.spawn(move || {
                let mut seen = 0;
                while !done.load(Ordering::Acquire) {
                    let snapshot = subject.snapshot();
                    let count = get(&*snapshot, Family::Meta, b"count");
                    let count = count.map_or(0, |bytes| {
                        u64::from_be_bytes(bytes.try_into().expect("eight bytes"))
                    });
                    assert!(
                        count >= seen,
                        "a snapshot saw {count} after another saw {seen}"
                    );
                    seen = count;
                    let rows = scan(
                        &*snapshot,
                        Family::Journal,
                        &KeyRange::all(),
                        Direction::Forward,
                    );
                    assert_eq!(rows.len() as u64, count, "as many rows as the count says");
                }
            });
        }
        let _raise = Raise(&done);
        for count in 1..=ROUNDS {
            let mut batch = Batch::new();
            batch.put(Family::Journal, &count.to_be_bytes(), b"row");
            batch.put(Family::Meta, b"count", &count.to_be_bytes());
            subject.append(&batch);
            let found = subject.get(Family::Meta, b"count");
            assert_eq!(
                found,
                Some(count.to_be_bytes().to_vec()),
                "the writer sees its own write"
            );
        }
    });
}
