//! The nearest of very many, in no order: what a scan keeps, and what all bits of codes are compared for.
//!
//! A sorted list would have to make room for each that gets in. Here they pile up until there are a few
//! too many, and then the farthest are dropped at once.

/// How far a slot seems to be, as one number that sorts by it, and then by the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rough(u64);

const SIGN: u32 = 1 << 31;

impl Rough {
    #[inline]
    pub(crate) fn new(far: f32, slot: u32) -> Self {
        let bits = far.to_bits();
        // Of negative numbers the larger bits mean less.
        let rank = if bits & SIGN == 0 { bits | SIGN } else { !bits };
        Self(u64::from(rank) << 32 | u64::from(slot))
    }

    #[inline]
    pub(crate) fn far(self) -> f32 {
        let rank = (self.0 >> 32) as u32;
        f32::from_bits(if rank & SIGN == 0 { !rank } else { rank ^ SIGN })
    }

    #[inline]
    pub(crate) fn slot(self) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
        let slot = self.0 as u32;
        slot
    }
}

/// Puts the `count` nearest first, in no order, and the farthest of them last among those.
pub(crate) fn nearest_first(all: &mut [Rough], count: usize) {
    if (1..all.len()).contains(&count) {
        all.select_nth_unstable(count - 1);
    } else if let Some(last) = (0..all.len()).max_by_key(|place| all[*place]) {
        let end = all.len() - 1;
        all.swap(last, end);
    }
}

/// So many too many there may be at most before the farthest are dropped.
const SURPLUS: usize = 192;

/// A list of bounded length.
#[derive(Debug, Default)]
pub(crate) struct Shortlist {
    kept: Vec<Rough>,
    limit: usize,
    dropped: bool,
    /// What is as far as that is not among the nearest.
    border: f32,
}

impl Shortlist {
    pub(crate) fn begin(&mut self, limit: usize) {
        self.kept.clear();
        self.limit = limit;
        self.dropped = false;
        self.border = f32::INFINITY;
    }

    /// Takes all that are nearer than a border, however many.
    pub(crate) fn begin_nearer(&mut self, than: f32) {
        self.begin(usize::MAX);
        self.border = than;
    }

    /// Whether one so far away may be among the nearest.
    #[inline]
    pub(crate) fn would_take(&self, far: f32) -> bool {
        far < self.border
    }

    /// As far as that nobody was left out.
    pub(crate) fn border(&self) -> f32 {
        self.border
    }

    /// Takes a slot in. Of equal ones, those count as nearer whose slots are lower, so they must come first.
    #[inline]
    pub(crate) fn offer(&mut self, far: f32, slot: u32) {
        self.kept.push(Rough::new(far, slot));
        if self.kept.len() >= self.limit.saturating_add(SURPLUS) {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.kept.len() > self.limit {
            nearest_first(&mut self.kept, self.limit);
            self.kept.truncate(self.limit);
            self.dropped = true;
            self.border = self.kept.last().map_or(f32::NEG_INFINITY, |one| one.far());
        }
    }

    /// Those that are left, in no order, and whether that is everyone who was offered.
    pub(crate) fn end(&mut self) -> (&mut [Rough], bool) {
        self.shrink();
        (&mut self.kept, !self.dropped)
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.kept.capacity() * size_of::<Rough>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_a_border_it_takes_all() {
        let mut list = Shortlist::default();
        list.begin_nearer(0.5);
        let far = |slot: u32| slot as f32 / 1000.0;
        let offered = (0..1000).filter(|slot| list.would_take(far(*slot)));
        for slot in offered.collect::<Vec<_>>() {
            list.offer(far(slot), slot);
        }
        let (kept, all) = list.end();
        kept.sort_unstable();
        assert!(all && kept.iter().map(|rough| rough.slot()).eq(0..500));
    }

    #[test]
    fn numbers_sort_as_distances_do() {
        let mut all = [
            f32::NEG_INFINITY,
            -1e30,
            -1.5,
            -1.0,
            -0.0,
            0.0,
            1e-40,
            2.0,
            f32::MAX,
        ];
        fastrand::Rng::with_seed(3).shuffle(&mut all);
        let mut rough = all.map(|far| Rough::new(far, 7));
        rough.sort_unstable();
        all.sort_by(f32::total_cmp);
        let back = rough.map(|rough| rough.far().to_bits());
        assert_eq!(back, all.map(f32::to_bits));
        assert!(rough.iter().all(|rough| rough.slot() == 7));
        assert!(Rough::new(1.0, 3) < Rough::new(1.0, u32::MAX));
    }

    #[test]
    fn it_keeps_the_nearest_and_knows_whether_that_is_all() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut list = Shortlist::default();
        for (limit, count) in [(1, 1), (1, 1000), (50, 50), (50, 51), (50, 5000), (300, 40)] {
            list.begin(limit);
            let mut offered = Vec::new();
            for slot in 0..count {
                let far = f32::from(random.u8(..)) - 100.0;
                offered.push(Rough::new(far, slot));
                if list.would_take(far) {
                    list.offer(far, slot);
                }
            }
            offered.sort_unstable();
            offered.truncate(limit);
            let (kept, all) = list.end();
            assert_eq!(all, count as usize <= limit);
            nearest_first(kept, 20);
            let last = kept.len().min(20) - 1;
            assert_eq!(kept[last], offered[last]);
            kept.sort_unstable();
            assert_eq!(kept, offered);
        }
    }
}
