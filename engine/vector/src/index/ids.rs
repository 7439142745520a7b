//! From an id to the slot in which it lives now: a table of slots that looks the ids up where they are.
//!
//! Four bytes per place, and no more than seven of eight places taken.

use super::slots::Slots;
use crate::memory::prefetch;

const EMPTY: u32 = u32::MAX;
const FEWEST: usize = 16;
/// So many are looked up at once.
const AHEAD: usize = 32;

/// The table.
#[derive(Debug)]
pub(crate) struct Ids {
    places: Vec<u32>,
    taken: usize,
}

impl Default for Ids {
    fn default() -> Self {
        Self {
            places: vec![EMPTY; FEWEST],
            taken: 0,
        }
    }
}

impl Ids {
    pub(crate) fn len(&self) -> usize {
        self.taken
    }

    pub(crate) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<u32>()
    }

    /// How many bytes more another id would take.
    pub(crate) fn growth(&self) -> usize {
        if self.is_crowded() { self.bytes() } else { 0 }
    }

    /// How many bytes a table takes that so many ids were put into.
    pub(crate) fn bytes_for(ids: usize) -> usize {
        let mut places = FEWEST;
        while ids.saturating_mul(8) > places * 7 {
            places *= 2;
        }
        places * size_of::<u32>()
    }

    /// How many bytes more so many other ids would take.
    pub(crate) fn growth_for(&self, ids: usize) -> usize {
        let taken = self.taken.saturating_add(ids).saturating_add(1);
        let mut places = self.places.len();
        while taken.saturating_mul(8) > places.saturating_mul(7) && places < usize::MAX / 2 {
            places *= 2;
        }
        (places - self.places.len()).saturating_mul(size_of::<u32>())
    }

    /// The slot of an id.
    pub(crate) fn get(&self, id: u64, slots: &Slots) -> Option<u32> {
        let slot = self.places[self.find(id, slots)];
        (slot != EMPTY).then_some(slot)
    }

    /// Lets an id live in a slot. `slots` must know it there already.
    pub(crate) fn put(&mut self, id: u64, slot: u32, slots: &Slots) {
        if self.is_crowded() {
            let grown = vec![EMPTY; self.places.len() * 2];
            for old in std::mem::replace(&mut self.places, grown) {
                if old != EMPTY {
                    let place = self.find(slots.id(old), slots);
                    self.places[place] = old;
                }
            }
        }
        let place = self.find(id, slots);
        self.taken += usize::from(self.places[place] == EMPTY);
        self.places[place] = slot;
    }

    /// Lets ids live in slots, which know them, of a table that has none yet. Returns whether each is another id.
    ///
    /// Most of the time goes by waiting for memory: what will be looked at is asked for some ids ahead.
    #[must_use]
    pub(crate) fn put_all(&mut self, all: &[u32], slots: &Slots) -> bool {
        debug_assert_eq!(self.taken, 0, "others would not be looked at");
        self.places = vec![EMPTY; Self::bytes_for(all.len()) / size_of::<u32>()];
        for ahead in all.chunks(AHEAD) {
            for slot in ahead {
                let place = &raw const self.places[self.home(slots.id(*slot))];
                prefetch(place.cast(), size_of::<u32>());
            }
            for slot in ahead {
                let first = self.places[self.home(slots.id(*slot))];
                if first != EMPTY {
                    slots.prefetch(first);
                }
            }
            for slot in ahead {
                let place = self.find(slots.id(*slot), slots);
                if self.places[place] != EMPTY {
                    return false;
                }
                self.places[place] = *slot;
            }
        }
        self.taken = all.len();
        true
    }

    /// Forgets an id. Returns the slot that it had.
    pub(crate) fn remove(&mut self, id: u64, slots: &Slots) -> Option<u32> {
        let mut free = self.find(id, slots);
        let found = self.places[free];
        if found == EMPTY {
            return None;
        }
        self.taken -= 1;
        // Those that were pushed on by what goes now move back, so that no gap ends a search too early.
        let mask = self.places.len() - 1;
        let mut place = free;
        loop {
            place = (place + 1) & mask;
            let slot = self.places[place];
            if slot == EMPTY {
                break;
            }
            let home = self.home(slots.id(slot));
            if place.wrapping_sub(home) & mask >= place.wrapping_sub(free) & mask {
                self.places[free] = slot;
                free = place;
            }
        }
        self.places[free] = EMPTY;
        Some(found)
    }

    fn is_crowded(&self) -> bool {
        (self.taken + 1) * 8 > self.places.len() * 7
    }

    /// The place of an id, or the empty one where it would be.
    fn find(&self, id: u64, slots: &Slots) -> usize {
        let mask = self.places.len() - 1;
        let mut place = self.home(id);
        while self.places[place] != EMPTY && slots.id(self.places[place]) != id {
            place = (place + 1) & mask;
        }
        place
    }

    fn home(&self, id: u64) -> usize {
        let mut mixed = id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^= mixed >> 32;
        mixed = mixed.wrapping_mul(0xd6e8_feb8_6659_fd93);
        #[expect(clippy::cast_possible_truncation, reason = "masked")]
        let home = (mixed ^ mixed >> 32) as usize & (self.places.len() - 1);
        home
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::slots::ALIVE;
    use fastrand::Rng;
    use std::collections::BTreeMap;

    #[test]
    fn it_answers_as_a_map_does() {
        let mut random = Rng::with_seed(3);
        let slots = Slots::new(5000).unwrap();
        let (mut ids, mut model) = (Ids::default(), BTreeMap::new());
        for slot in 0..5000 {
            // Few different ids, and many that look alike.
            let id = random.u64(..300) << (8 * random.u32(..4));
            if random.bool() {
                slots.settle(slot, id, 0, ALIVE);
                ids.put(id, slot, &slots);
                model.insert(id, slot);
            } else {
                assert_eq!(ids.remove(id, &slots), model.remove(&id), "{id}");
            }
            assert_eq!(ids.len(), model.len());
            if slot % 500 == 0 {
                for id in 0..300 {
                    assert_eq!(ids.get(id, &slots), model.get(&id).copied());
                }
            }
        }
        assert!(ids.len() > 300 && ids.bytes() <= ids.len() * 10);
    }
}
