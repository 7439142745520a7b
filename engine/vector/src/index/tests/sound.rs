//! What must hold of every slot and every link while nobody writes and nobody tends.

use super::Index;
use crate::graph::blocks::{KEPT, NO_SLOT};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// The links of a slot as they are, marks and all.
pub(super) fn marked_links(index: &Index, slot: u32) -> Vec<u32> {
    let links = index.graph.blocks.links(slot).iter();
    let links = links.map(|link| link.load(Ordering::Relaxed));
    links.take_while(|link| *link != NO_SLOT).collect()
}

impl Index {
    /// Looks at all of it.
    pub(super) fn assert_sound(&self) {
        let tended = self.tended.lock();
        let writer = self.writer.lock();
        let used: BTreeSet<u32> = (0..self.used()).collect();
        let set = |slots: &[u32], what: &str| {
            let set: BTreeSet<u32> = slots.iter().copied().collect();
            assert_eq!(set.len(), slots.len(), "one is twice among the {what}");
            assert!(
                set.is_subset(&used),
                "one that was never used is among the {what}"
            );
            set
        };
        let mut fresh = Vec::new();
        self.fresh.read(&mut fresh);
        let fresh = set(&fresh, "fresh");
        let free = set(&writer.free, "free");
        let dead = set(&writer.dead, "dead");
        let unused: Vec<u32> = tended.unused().collect();
        let unused = set(&unused, "unused");

        // Who lives is who has an id, and everybody else is on one list.
        let living: BTreeSet<u32> = used
            .iter()
            .copied()
            .filter(|slot| self.slots.lives(*slot))
            .collect();
        assert_eq!(living.len(), writer.ids.len());
        for slot in &living {
            assert_eq!(
                writer.ids.get(self.slots.id(*slot), &self.slots),
                Some(*slot)
            );
        }
        assert_eq!(
            living.len() + dead.len() + free.len() + unused.len(),
            used.len()
        );
        let mut everybody = living;
        for others in [&dead, &free, &unused] {
            everybody.extend(others);
        }
        assert_eq!(everybody, used, "nobody is lost");
        let counted = self.dead.load(Ordering::Relaxed) as usize;
        assert_eq!(counted, dead.len() + free.len() + unused.len());

        // Who is linked leads to others who are, and can be come by.
        let mut linked = used;
        linked.retain(|slot| {
            ![&fresh, &free, &unused]
                .iter()
                .any(|set| set.contains(slot))
        });
        assert_eq!(linked.len(), tended.linked);
        for slot in &linked {
            let links = marked_links(self, *slot);
            let to: BTreeSet<u32> = links.iter().map(|link| link & !KEPT).collect();
            assert_eq!(
                to.len(),
                links.len(),
                "slot {slot} leads somewhere twice: {links:?}"
            );
            assert!(!to.contains(slot), "slot {slot} leads to itself");
            let astray: Vec<&u32> = to.difference(&linked).collect();
            assert!(
                astray.is_empty(),
                "slot {slot} leads to {astray:?}, which are not linked"
            );
            for link in links.iter().filter(|link| **link & KEPT != 0) {
                let back = marked_links(self, link & !KEPT);
                assert!(
                    back.contains(&(slot | KEPT)),
                    "slot {slot} holds one that does not hold it"
                );
            }
        }
        let kept = linked.iter().flat_map(|slot| marked_links(self, *slot));
        let kept = kept.filter(|link| link & KEPT != 0).count();
        assert_eq!(
            kept,
            2 * linked.len().saturating_sub(1),
            "what must stay is a tree"
        );
        let mut reached = BTreeSet::from_iter(self.graph.entry());
        let mut next: Vec<u32> = reached.iter().copied().collect();
        while let Some(slot) = next.pop() {
            let links = marked_links(self, slot)
                .into_iter()
                .map(|link| link & !KEPT);
            next.extend(links.filter(|to| reached.insert(*to)));
        }
        let lost: Vec<&u32> = linked.difference(&reached).collect();
        assert!(lost.is_empty(), "nothing leads to {lost:?}");
        assert_eq!(reached, linked, "the entry is linked");
        for slot in self.graph.upper().slots() {
            assert!(
                linked.contains(slot) || unused.contains(slot),
                "above is {slot}"
            );
        }
    }
}
