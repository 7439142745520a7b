//! The levels above level 0, by which a walk finds where to begin: a sample of the slots, a sample of
//! that, and so on.
//!
//! They are made anew when the index has doubled, and never changed otherwise: a level is small beside the
//! one below it, and what only finds a place to begin need not know the newest. A node of an upper
//! level is a place in one list of slots, in which each level is a beginning of the one below.

use super::blocks::{Blocks, KEPT, NO_SLOT};
use super::link::{Linker, Linking, Starts, link};
use super::score::Scorer;
use super::walk::{Level, Walker};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// One in so many nodes is in the level above.
const THINNING: usize = 32;
/// A level of no more nodes than this is looked through whole.
const TOP: usize = 48;
/// Links of a node in an upper level.
const LINKS: usize = 16;
/// How many nearest are kept on the way down.
const BREADTH: usize = 4;

/// The upper levels.
#[derive(Debug, Default)]
pub(crate) struct Upper {
    slots: Vec<u32>,
    /// The lowest first.
    levels: Vec<Vec<AtomicU32>>,
}

/// One of them.
struct One<'a> {
    slots: &'a [u32],
    links: &'a [AtomicU32],
}

impl Level for One<'_> {
    #[inline]
    fn nodes(&self) -> u32 {
        self.slots.len() as u32
    }

    #[inline]
    fn slot(&self, node: u32) -> u32 {
        self.slots[node as usize]
    }

    #[inline]
    fn links(&self, node: u32) -> &[AtomicU32] {
        &self.links[node as usize * LINKS..][..LINKS]
    }

    #[inline]
    fn prefetch_links(&self, _node: u32) {}
}

impl Upper {
    /// Samples some of the slots and links levels above them.
    pub(crate) fn build(
        blocks: &Blocks,
        slots: impl Iterator<Item = u32>,
        seed: u64,
        linking: Linking<'_>,
        linkers: &mut Vec<Linker>,
    ) -> Self {
        let mut sampled: Vec<(u64, u32)> = slots.map(|slot| (mix(seed, slot), slot)).collect();
        let size = (sampled.len() / THINNING).max(1).min(sampled.len());
        if size == 0 {
            return Self::default();
        }
        if size < sampled.len() {
            sampled.select_nth_unstable(size);
        }
        sampled.truncate(size);
        sampled.sort_unstable();
        let mut upper = Self {
            slots: sampled.into_iter().map(|(_, slot)| slot).collect(),
            levels: Vec::new(),
        };
        let mut sizes = vec![size];
        while let Some(last) = sizes.last().filter(|last| **last > TOP) {
            sizes.push(last / THINNING);
        }
        // From the top, so that each level helps to build the one below.
        let linking = Linking {
            links: LINKS,
            breadth: LINKS * 3,
            ..linking
        };
        for size in sizes.into_iter().rev() {
            let links: Vec<AtomicU32> =
                (0..size * LINKS).map(|_| AtomicU32::new(NO_SLOT)).collect();
            let level = One {
                slots: &upper.slots[..size],
                links: &links,
            };
            let nodes: Vec<u32> = (0..size as u32).collect();
            for batch in batches(0, size) {
                let above = Above {
                    upper: &upper,
                    linked: batch.start as u32,
                };
                link(&level, blocks, linking, &above, &nodes[batch], linkers);
            }
            upper.levels.insert(0, links);
        }
        upper
    }

    /// Finds nodes of the lowest upper level that are near, as slots.
    pub(crate) fn descend(&self, scorer: &Scorer<'_>, walker: &mut Walker, starts: &mut Vec<u32>) {
        starts.clear();
        for links in self.levels.iter().rev() {
            let nodes = links.len() / LINKS;
            let level = One {
                slots: &self.slots[..nodes],
                links,
            };
            if starts.is_empty() {
                // The top: all of it.
                starts.extend(0..nodes.min(TOP) as u32);
            }
            walker.walk(&level, scorer, starts, BREADTH);
            starts.clear();
            starts.extend(walker.nearest.found().iter().map(|near| near.node()));
        }
    }

    /// The links of each level, the lowest first.
    pub(crate) fn copy_levels(&self) -> Vec<Vec<u32>> {
        let copy = |level: &Vec<AtomicU32>| {
            level
                .iter()
                .map(|link| link.load(Ordering::Relaxed))
                .collect()
        };
        self.levels.iter().map(copy).collect()
    }

    /// What was copied, if it can have been: nothing in it leads to where there is nothing.
    pub(crate) fn restore(slots: Vec<u32>, levels: Vec<Vec<u32>>, used: u32) -> Option<Self> {
        if slots.iter().any(|slot| *slot >= used) {
            return None;
        }
        let mut below = slots.len();
        for links in &levels {
            let nodes = links.len() / LINKS;
            let leads = |link: &u32| *link == NO_SLOT || ((*link & !KEPT) as usize) < nodes;
            if links.len() % LINKS != 0 || nodes > below || nodes == 0 || !links.iter().all(leads) {
                return None;
            }
            below = nodes;
        }
        // The lowest knows all slots.
        if levels.first().map_or(0, Vec::len) / LINKS != slots.len() {
            return None;
        }
        let atomic = |level: Vec<u32>| level.into_iter().map(AtomicU32::new).collect();
        Some(Self {
            slots,
            levels: levels.into_iter().map(atomic).collect(),
        })
    }

    /// All slots that they know.
    pub(crate) fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The slot of a node.
    pub(crate) fn slot(&self, node: u32) -> u32 {
        self.slots[node as usize]
    }

    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        let links: usize = self.levels.iter().map(Vec::capacity).sum();
        (self.slots.capacity() + links) * size_of::<u32>()
    }
}

/// Where a walk over the level below all that there are begins, as places.
struct Above<'a> {
    upper: &'a Upper,
    /// How many are linked in that level. Those above are in it too, but may not be linked yet, and one of
    /// them is who asks.
    linked: u32,
}

impl Starts for Above<'_> {
    fn find(&self, scorer: &Scorer<'_>, walker: &mut Walker, starts: &mut Vec<u32>) {
        self.upper.descend(scorer, walker, starts);
        starts.retain(|start| *start < self.linked);
        if starts.is_empty() && self.linked > 0 {
            starts.push(0);
        }
    }
}

/// Batches of nodes to link: each small beside what is there before it.
pub(crate) fn batches(mut linked: usize, all: usize) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        let first = linked;
        linked = all.min(first + batch_after(first));
        (first < linked).then_some(first..linked)
    })
}

/// How many may be linked at once after so many: one by one up to a few dozen, then a fiftieth.
pub(crate) fn batch_after(linked: usize) -> usize {
    (linked / 50).max(1)
}

/// A number that looks random and depends on the slot alone.
fn mix(seed: u64, slot: u32) -> u64 {
    let mut mixed = (seed ^ u64::from(slot)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
