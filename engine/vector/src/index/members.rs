//! Sets of ids as sets of slots, which is what searches are limited to.

use super::Index;
use super::id_set::IdSet;
use roaring::{RoaringBitmap, RoaringTreemap};

/// With fewer slots in use per id than this, all are looked at in their order instead of each id being looked up.
const SLOTS_PER_LOOK_UP: u64 = 8;

impl Index {
    /// The slots of some ids: those in which they live, and those of their earlier vectors that a search at an
    /// earlier sequence may still find.
    #[must_use]
    pub fn slots_of(&self, ids: &RoaringTreemap) -> RoaringBitmap {
        let used = self.used();
        if ids.len().saturating_mul(SLOTS_PER_LOOK_UP) >= u64::from(used) {
            let ids = IdSet::of_set(ids);
            let slots = (0..used).filter(|slot| ids.contains(self.slots.id(*slot)));
            let ascending = RoaringBitmap::from_sorted_iter(slots);
            return ascending.unwrap_or_else(|_| unreachable!("numbers of a range ascend"));
        }
        let writer = self.writer.lock();
        let alive = ids.iter().filter_map(|id| writer.ids.get(id, &self.slots));
        let mut slots: RoaringBitmap = alive.collect();
        let dead = writer.dead.iter().copied();
        slots.extend(dead.filter(|slot| ids.contains(self.slots.id(*slot))));
        slots
    }
}
