//! A set of nodes that is asked and added to a million times per level.
//!
//! Ids are dense, so it is a bitmap in pages; a page is made when its first node comes. Ids far
//! out (nobody promises that they are dense) fall into an ordinary map of pages.

use crate::value::NodeId;
use std::collections::BTreeMap;

const PAGE_BITS: u32 = 16;
const WORDS: usize = 1 << (PAGE_BITS - 6);
/// Pages that get a slot in the list: four thousand million ids, half a megabyte of slots.
const NEAR_PAGES: u64 = 1 << 16;

type Page = Box<[u64; WORDS]>;

/// A set of nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeSet {
    near: Vec<Option<Page>>,
    far: BTreeMap<u64, Page>,
    count: u64,
}

/// Page, word in it, and bit in that.
fn place(node: NodeId) -> (u64, usize, u64) {
    let id = node.get();
    let within = id & ((1 << PAGE_BITS) - 1);
    let word = (within >> 6) as usize;
    (id >> PAGE_BITS, word, 1 << (id & 63))
}

impl NodeSet {
    pub(super) fn len(&self) -> u64 {
        self.count
    }

    #[inline]
    pub(super) fn contains(&self, node: NodeId) -> bool {
        let (page, word, bit) = place(node);
        let page = if page < NEAR_PAGES {
            usize::try_from(page)
                .ok()
                .and_then(|page| self.near.get(page))
                .and_then(Option::as_ref)
        } else {
            self.far.get(&page)
        };
        page.and_then(|page| page.get(word))
            .is_some_and(|word| word & bit != 0)
    }

    /// Adds the node and says whether it is new.
    #[inline]
    pub(super) fn insert(&mut self, node: NodeId) -> bool {
        let (page, word, bit) = place(node);
        let page = match usize::try_from(page) {
            Ok(near) if page < NEAR_PAGES => {
                if near >= self.near.len() {
                    self.near.resize(near + 1, None);
                }
                match self.near.get_mut(near) {
                    Some(slot) => slot.get_or_insert_with(|| Box::new([0; WORDS])),
                    None => return false,
                }
            }
            _ => self.far.entry(page).or_insert_with(|| Box::new([0; WORDS])),
        };
        let Some(word) = page.get_mut(word) else {
            return false;
        };
        let new = *word & bit == 0;
        *word |= bit;
        self.count += u64::from(new);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn agrees_with_an_ordinary_set() {
        let mut rng = fastrand::Rng::with_seed(3);
        let (mut set, mut ordinary) = (NodeSet::default(), BTreeSet::new());
        for _ in 0..20_000 {
            let id = match rng.u32(..4) {
                0 => rng.u64(..300),
                1 => rng.u64(..200_000),
                2 => (1 << 32) - 5 + rng.u64(..10),
                _ => u64::MAX - rng.u64(..100_000),
            };
            let node = NodeId::new(id);
            assert_eq!(set.contains(node), ordinary.contains(&id), "{id}");
            if rng.bool() {
                assert_eq!(set.insert(node), ordinary.insert(id), "{id}");
            }
            assert_eq!(set.len(), ordinary.len() as u64);
        }
    }
}
