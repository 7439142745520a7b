//! The ring of what is fresh, and the notes of who searches, in all orders in which threads can run.
//!
//! It is a build of its own, in which nothing else can be tested:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p stratigraph-vector --lib --release --target-dir target/loom models
//! ```
//!
//! `cargo xtask test` runs it. `LOOM_MAX_PREEMPTIONS` limits how often a thread is interrupted; three find
//! what is here, and take seconds.

use crate::index::fresh::Fresh;
use crate::index::pins::{Pin, Pins};
use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use loom::thread;
use std::sync::Arc as StdArc;

fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    builder.check(model);
}

/// One adds, one links and takes, one reads. Slots are numbered from 1 on in the order in which they come.
struct Ring {
    fresh: Fresh,
    /// How many were added and told of.
    told: AtomicU32,
    /// Which are linked, each as a word of its own, as links are.
    linked: [AtomicBool; 5],
}

impl Ring {
    fn new() -> Self {
        Self {
            fresh: Fresh::new(2),
            told: AtomicU32::new(0),
            linked: std::array::from_fn(|_| AtomicBool::new(false)),
        }
    }

    fn add(&self) {
        let slot = self.told.load(Ordering::Relaxed) + 1;
        if self.fresh.add(slot) {
            self.told.store(slot, Ordering::Release);
        }
    }

    fn link(&self, most: usize) {
        let mut slots = Vec::new();
        self.fresh.first(most, &mut slots);
        for slot in &slots {
            self.linked[*slot as usize].store(true, Ordering::Relaxed);
        }
        self.fresh.take(slots.len());
    }

    /// What a search does: all that was told of before it is fresh, or found by links.
    fn read(&self) {
        let told = self.told.load(Ordering::Acquire);
        let mut slots = Vec::new();
        self.fresh.read(&mut slots);
        assert!(slots.is_sorted_by(|left, right| left < right), "{slots:?}");
        assert!(slots.iter().all(|slot| *slot > 0), "{slots:?}");
        for slot in 1..=told {
            let linked = self.linked[slot as usize].load(Ordering::Relaxed);
            assert!(
                linked || slots.contains(&slot),
                "{slot} of {told} is lost: {slots:?}"
            );
        }
    }
}

/// Lets threads meet. All are spawned: the checker tries fewer orders for the one that does that.
fn meet<T: Send + Sync + 'static>(what: &Arc<T>, threads: &[fn(&T)]) {
    let spawned: Vec<_> = threads
        .iter()
        .map(|thread| {
            let (what, thread) = (Arc::clone(what), *thread);
            thread::spawn(move || thread(&what))
        })
        .collect();
    for thread in spawned {
        thread.join().unwrap();
    }
}

#[test]
fn models_of_the_ring_miss_nobody() {
    check(|| {
        let ring = Arc::new(Ring::new());
        ring.add();
        meet(
            &ring,
            &[
                |ring| (0..2).for_each(|_| ring.add()),
                |ring| (0..2).for_each(|_| ring.link(2)),
                Ring::read,
            ],
        );
        ring.read();
    });
}

#[test]
fn models_of_a_ring_that_is_overtaken() {
    check(|| {
        let ring = Arc::new(Ring::new());
        ring.add();
        ring.add();
        // One that takes and adds, and so comes round.
        let comes_round = |ring: &Ring| {
            for _ in 0..2 {
                ring.link(1);
                ring.add();
            }
        };
        meet(&ring, &[comes_round, Ring::read]);
        ring.read();
    });
}

/// A slot that a link leads to, until it is taken out.
struct Place {
    pins: Pins,
    notes: [StdArc<Pin>; 2],
    link: AtomicBool,
    /// Who lives there. The checker complains if it is written while somebody reads.
    life: UnsafeCell<u32>,
}

// SAFETY: what is tested; the checker watches who reads and who writes.
#[expect(unsafe_code, reason = "as above")]
unsafe impl Sync for Place {}

impl Place {
    fn new() -> Self {
        let pins = Pins::default();
        // The checker lets a sequentially consistent read see what a number was made with, though there is
        // a newer value; so neither the epoch nor the notes begin with that.
        pins.next_epoch();
        let notes = [(); 2].map(|()| {
            let pin = pins.add();
            pin.leave();
            pin
        });
        Self {
            pins,
            notes,
            link: AtomicBool::new(true),
            life: UnsafeCell::new(1),
        }
    }

    fn search(&self, pin: &Pin) {
        self.pins.enter(pin);
        if self.link.load(Ordering::Acquire) {
            // SAFETY: what is tested.
            #[expect(unsafe_code, reason = "the checker watches who reads and who writes")]
            let life = self.life.with(|life| unsafe { *life });
            assert_eq!(life, 1, "the link led to who was there");
        }
        pin.leave();
    }

    fn take_out(&self) {
        self.link.store(false, Ordering::Release);
        let epoch = self.pins.next_epoch();
        for _ in 0..2 {
            if self.pins.all_since(epoch) {
                // SAFETY: what is tested.
                #[expect(unsafe_code, reason = "as above")]
                self.life.with_mut(|life| unsafe { *life = 2 });
                return;
            }
            thread::yield_now();
        }
    }
}

#[test]
fn models_of_a_slot_that_is_used_again() {
    check(|| {
        let place = Arc::new(Place::new());
        let searches = |place: &Place| {
            place.search(&place.notes[0]);
            place.search(&place.notes[0]);
        };
        meet(&place, &[searches, Place::take_out]);
    });
}

#[test]
fn models_of_a_slot_that_two_search() {
    check(|| {
        let place = Arc::new(Place::new());
        meet(
            &place,
            &[
                |place| place.search(&place.notes[0]),
                |place| place.search(&place.notes[1]),
                Place::take_out,
            ],
        );
    });
}
