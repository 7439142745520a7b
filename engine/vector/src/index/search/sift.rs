//! The scores of those among some ids that score as much as is wanted: for callers who decide themselves.

use super::sieve::Sieve;
use super::{Asked, Index};
use crate::error::IndexError;
use crate::graph::bounds::Bounds;
use crate::graph::score::Scorer;
use crate::index::id_set::IdSet;
use std::sync::atomic::Ordering;

/// What is looked for among some ids.
#[derive(Clone, Copy, Debug)]
pub struct Sifting<'a> {
    /// What they are compared with.
    pub vector: &'a [f32],
    /// The sequence at which they are looked at.
    pub sequence: u64,
    /// Who scores less is not wanted.
    pub at_least: Option<f64>,
    /// Only the best so many are wanted, and all that score the same as the last of them.
    pub top: Option<usize>,
}

/// What was found. Whoever is in neither list is not wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Sifted {
    /// The places of those whom no bound rules out, and their true scores, in order. Some of them may not be
    /// wanted.
    pub scored: Vec<(usize, f32)>,
    /// The places of those of whom the index has no vector, in order.
    pub unknown: Vec<usize>,
    /// How many were compared by their codes.
    pub scanned: u64,
}

/// With fewer slots in use per id than this, all are looked at in their order.
const SLOTS_PER_LOOK_UP: u64 = 8;

impl Index {
    /// Scores all of some ids that may be wanted, and reads the vectors of no others: those whose codes prove
    /// that they score less than `at_least`, or less than `top` others. The ids must ascend strictly. Nothing if
    /// codes of this index prove nothing: where scores are distances, and where vectors are kept whole.
    ///
    /// A score has the bits that [`Kernels`](crate::Kernels) give: other than in a [`Hit`](super::Hit), a zero
    /// may be negative.
    ///
    /// # Errors
    ///
    /// Those of a search: the vector cannot be compared, the sequence is forgotten, or a vector cannot be read.
    ///
    /// ```
    /// use stratigraph_vector::{Metric, Settings, Sifting};
    ///
    /// let index = Settings::new(2, Metric::Cosine).memory_limit(1 << 20).build()?;
    /// index.insert(1, 10, &[1.0, 0.0])?;
    /// index.insert(1, 20, &[0.0, 1.0])?;
    /// let wanted = Sifting { vector: &[1.0, 0.0], sequence: 1, at_least: Some(0.5), top: None };
    /// let sifted = index.sift(&[10, 20, 30], wanted)?.unwrap();
    /// assert_eq!(sifted.scored, [(0, 1.0)]);
    /// assert_eq!((sifted.unknown, sifted.scanned), (vec![2], 2));
    /// # Ok::<(), stratigraph_vector::IndexError>(())
    /// ```
    pub fn sift(&self, ids: &[u64], wanted: Sifting<'_>) -> Result<Option<Sifted>, IndexError> {
        let coder = &self.graph.blocks.coder;
        let length = coder.check(wanted.vector)?;
        let room = &mut *self.rooms.enter();
        // Looked at after entering, as by a search.
        let forgotten = self.forgotten.load(Ordering::SeqCst);
        if wanted.sequence < forgotten {
            return Err(IndexError::Forgotten {
                sequence: wanted.sequence,
                forgotten,
            });
        }
        coder.encode_query(wanted.vector, length, &mut room.code);
        let code = std::mem::take(&mut room.code);
        let Some(bounds) = Bounds::new(&self.graph.blocks, &code, length) else {
            room.code = code;
            return Ok(None);
        };
        let scorer = Scorer::new(&self.graph.blocks, &code);
        let border = wanted.at_least.unwrap_or(f64::NEG_INFINITY);
        let mut sieve = Sieve::new(&scorer, &bounds, border, wanted.top);
        let mut unknown = IdSet::of(ids);
        let used = self.used();
        let sees = |slot: &u32| self.slots.sees(*slot, wanted.sequence);
        if (ids.len() as u64).saturating_mul(SLOTS_PER_LOOK_UP) >= u64::from(used) {
            let slots = (0..used).filter(sees);
            let slots = slots.filter(|slot| unknown.remove(self.slots.id(*slot)));
            self.sift_all(slots, &mut sieve, room);
        } else {
            let slots = self.slots_of(&ids.iter().copied().collect());
            let slots = slots.iter().filter(sees);
            let slots = slots.filter(|slot| unknown.remove(self.slots.id(*slot)));
            self.sift_all(slots, &mut sieve, room);
        }
        let scanned = sieve.scanned;
        room.slots.clear();
        room.slots.extend(sieve.left());
        // In the order in which they lie.
        room.slots.sort_unstable();
        room.ranked.clear();
        room.code = code;
        self.score(Asked::only(wanted.vector), room)?;
        let found = room.ranked.iter();
        let mut found: Vec<(u64, f32)> = found
            .map(|(far, slot)| (self.slots.id(*slot), -far))
            .collect();
        found.sort_unstable_by_key(|(id, _)| *id);
        let place = |id: &u64| ids.binary_search(id).ok();
        let scored = found.iter();
        let scored = scored.filter_map(|(id, score)| Some((place(id)?, *score)));
        let mut missing = Vec::new();
        if scanned < ids.len() as u64 {
            let places = ids.iter().enumerate();
            let those = places.filter(|(_, id)| unknown.contains(**id));
            missing.extend(those.map(|(place, _)| place));
        }
        Ok(Some(Sifted {
            scored: scored.collect(),
            unknown: missing,
            scanned,
        }))
    }
}
