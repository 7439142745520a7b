//! Tending: what is fresh is linked, what has died is taken out, and its slots are given to others.
//!
//! None of it changes what a search finds, only how fast. One thread at a time tends; it may use others.

use super::{Index, Tender};
use crate::graph::blocks::NO_SLOT;
use crate::graph::link::{Linker, Linking};
use crate::graph::prune::Choice;
use crate::graph::upper::batch_after;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// So many fresh are worth linking: looking at them costs a search about a tenth of what it takes anyway.
pub(super) const MANY_FRESH: usize = 256;
/// With so many fresh, who writes helps to link: a search would have to look at too many.
const TOO_MANY_FRESH: usize = 4096;
/// As long as there are no more, all are looked at.
const FEW: usize = 1024;
/// The dead are taken out when one in so many slots is dead.
const DEAD_SHARE: usize = 50;

/// What only one who tends may touch.
#[derive(Debug, Default)]
pub(crate) struct Tended {
    pub(super) linkers: Vec<Linker>,
    /// How many are linked.
    pub(super) linked: usize,
    /// How many were linked when the upper levels were made, and how many came or went since.
    raised_at: usize,
    changed: usize,
    /// Slots that were taken out of the graph, with the epoch in which that was.
    left: Vec<(u64, Vec<u32>)>,
    /// Slots that were taken out, but that the upper levels still know.
    held: Vec<u32>,
    /// The checksum of each part when it was last copied.
    pub(crate) checksums: Vec<u64>,
}

impl Tended {
    fn bytes(&self) -> usize {
        let linkers: usize = self.linkers.iter().map(Linker::bytes).sum();
        let left: usize = self.left.iter().map(|(_, left)| left.capacity()).sum();
        let slots = left + self.held.capacity();
        linkers + slots * size_of::<u32>() + self.checksums.capacity() * size_of::<u64>()
    }

    /// Slots that were taken out and cannot be used again yet.
    pub(crate) fn unused(&self) -> impl Iterator<Item = u32> + '_ {
        let left = self.left.iter().flat_map(|(_, left)| left);
        left.chain(&self.held).copied()
    }

    /// Goes on from a snapshot.
    pub(crate) fn restore(&mut self, linked: usize, held: Vec<u32>, checksums: Vec<u64>) {
        self.linked = linked;
        self.raised_at = linked;
        self.held = held;
        self.checksums = checksums;
    }
}

/// What tending has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tending {
    /// How many were linked.
    pub linked: usize,
    /// How many dead were taken out.
    pub unlinked: usize,
    /// How many slots can be used again.
    pub freed: usize,
}

impl Index {
    /// Links what is fresh, takes the dead out if there are many, and frees their slots. Nobody can search at a
    /// sequence before `oldest` any more: what died since may be gone, and such a search is refused then.
    ///
    /// A search finds the same before and after, but faster. Returns what was done.
    pub fn tend(&self, oldest: u64) -> Tending {
        let done = self.tend_links(oldest);
        self.measure_again();
        done
    }

    fn tend_links(&self, oldest: u64) -> Tending {
        let tended = &mut *self.tended.lock();
        let mut done = Tending::default();
        while self.is_worth_linking(tended, 1) {
            done.linked += self.link_batch(tended);
        }
        done.unlinked = self.unlink_dead(tended, oldest);
        if tended.changed * 4 > tended.raised_at {
            self.raise(tended);
        }
        done.freed = self.free(tended);
        self.tending_bytes.store(tended.bytes(), Ordering::Relaxed);
        done
    }

    /// Tends in a thread of its own whenever there is enough to do, until what is returned is dropped.
    /// `oldest` tells the oldest sequence at which somebody may still search.
    ///
    /// # Errors
    ///
    /// Those of starting a thread.
    pub fn tend_in_background(
        self: &Arc<Self>,
        oldest: impl Fn() -> u64 + Send + 'static,
    ) -> std::io::Result<Tender> {
        Tender::start(Arc::clone(self), oldest)
    }

    /// Helps to link while more are fresh than searches should have to look at. Who has written so many with
    /// [`insert_unlinked`](Self::insert_unlinked) calls this where nobody waits for it, lest writing be faster
    /// than linking. Twice as many are linked at most, and some: what others have left is not all for one to do.
    pub fn link_overdue(&self, written: usize) {
        let mut linked = 0;
        while linked < written.saturating_mul(2) && self.fresh.len() >= TOO_MANY_FRESH {
            linked += self.link_some();
        }
    }

    /// Links a part of what is fresh. Returns how many.
    pub(super) fn link_some(&self) -> usize {
        let _waiting = self.pace.wait();
        let tended = &mut *self.tended.lock();
        let linked = match self.fresh.len() {
            MANY_FRESH.. => self.link_batch(tended),
            _ => 0,
        };
        self.tending_bytes.store(tended.bytes(), Ordering::Relaxed);
        linked
    }

    /// Whether so many are fresh, and a graph is worth having.
    fn is_worth_linking(&self, tended: &Tended, fresh: usize) -> bool {
        self.fresh.len() >= fresh && tended.linked + self.fresh.len() > FEW
    }

    fn link_batch(&self, tended: &mut Tended) -> usize {
        if tended.changed > tended.raised_at && tended.linked >= FEW {
            self.raise(tended);
        }
        let mut new = Vec::new();
        self.fresh.first(batch_after(tended.linked), &mut new);
        new.sort_unstable();
        let lives = |slot| self.slots.lives(slot);
        let ground = self.ground(&lives);
        let held = tended.held.iter().copied().collect();
        self.graph
            .link(&ground, self.linking(), &held, &new, &mut tended.linkers);
        self.fresh.take(new.len());
        tended.linked += new.len();
        tended.changed += new.len();
        new.len()
    }

    fn unlink_dead(&self, tended: &mut Tended, oldest: u64) -> usize {
        let (gone, mut idle) = {
            let mut writer = self.writer.lock();
            let mut fresh = Vec::new();
            self.fresh.read(&mut fresh);
            let fresh: HashSet<u32> = fresh.into_iter().collect();
            let can_go = |slot: &u32| self.slots.died(*slot) <= oldest && !fresh.contains(slot);
            if writer.dead.iter().filter(|slot| can_go(slot)).count() < self.many_dead() {
                return 0;
            }
            let mut gone: Vec<u32> = writer.dead.extract_if(.., |slot| can_go(slot)).collect();
            gone.sort_unstable();
            let died = gone.iter().map(|slot| self.slots.died(*slot)).max();
            self.forgotten
                .fetch_max(died.unwrap_or_default(), Ordering::SeqCst);
            let idle: Vec<u32> = fresh
                .into_iter()
                .chain(writer.free.iter().copied())
                .collect();
            (gone, idle)
        };
        idle.extend(tended.left.iter().flat_map(|(_, left)| left));
        let lives = |slot| self.slots.lives(slot);
        let ground = self.ground(&lives);
        self.graph
            .unlink(&ground, self.linking(), &gone, &idle, &mut tended.linkers);
        for slot in &gone {
            self.graph.blocks.touch(*slot);
        }
        tended.linked -= gone.len();
        tended.changed += gone.len();
        let upper = self.graph.upper();
        let known: HashSet<u32> = upper.slots().iter().copied().collect();
        let count = gone.len();
        let (held, left) = gone.into_iter().partition(|slot| known.contains(slot));
        tended.held.extend::<Vec<u32>>(held);
        tended.left.push((self.rooms.pins.next_epoch(), left));
        count
    }

    /// So many dead are worth taking out.
    pub(super) fn many_dead(&self) -> usize {
        (self.used() as usize / DEAD_SHARE).max(1)
    }

    /// Makes the upper levels anew.
    fn raise(&self, tended: &mut Tended) {
        let is_linked = |slot: &u32| {
            // In this order: whoever sees that a slot was given to somebody else sees that its links are gone.
            self.slots.lives(*slot) && {
                let first = self.graph.blocks.links(*slot).first();
                let first = first.map(|link| link.load(Ordering::Relaxed));
                first.is_some_and(|first| first != NO_SLOT)
            }
        };
        let linked = (0..self.used()).filter(is_linked);
        self.graph
            .raise(linked, self.linking(), &mut tended.linkers);
        tended.raised_at = tended.linked;
        tended.changed = 0;
        if !tended.held.is_empty() {
            let held = std::mem::take(&mut tended.held);
            tended.left.push((self.rooms.pins.next_epoch(), held));
        }
    }

    /// Gives slots back that no search can come by any more.
    fn free(&self, tended: &mut Tended) -> usize {
        let pins = &self.rooms.pins;
        let mut freed = Vec::new();
        tended.left.retain_mut(|(epoch, left)| {
            let stays = !pins.all_since(*epoch);
            if !stays {
                freed.append(left);
            }
            stays
        });
        self.writer.lock().free.extend_from_slice(&freed);
        freed.len()
    }

    pub(super) fn linking(&self) -> Linking<'_> {
        Linking {
            choice: Choice {
                metric: self.settings.metric,
            },
            breadth: self.settings.breadth,
            links: self.settings.links,
            threads: self.settings.threads,
            pace: &self.pace,
        }
    }
}
