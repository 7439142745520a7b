//! Links that stay, so that there is a way from every node to every other.
//!
//! Every node but the first has a parent: a near node that was there before it. The two links between
//! them are never dropped when links are chosen anew, so there is a way up to the first node and down to
//! any. They carry a mark, [`KEPT`]. There are two per node in the mean, and nobody who has many
//! becomes a parent, so they leave room for the links that make walks short.

use super::blocks::{KEPT, NO_SLOT};
use super::walk::Level;
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};

/// The mark of a link.
pub(super) fn mark(kept: bool) -> u32 {
    if kept { KEPT } else { 0 }
}

/// How many links must stay.
pub(super) fn kept(links: &[AtomicU32]) -> usize {
    let links = links.iter().map(|link| link.load(Ordering::Relaxed));
    links
        .filter(|link| *link != NO_SLOT && link & KEPT != 0)
        .count()
}

/// Nobody with so many links that must stay becomes a parent, if there is another.
pub(super) fn many(links: &[AtomicU32]) -> usize {
    links.len() / 2
}

/// Finds another parent for a node: the first in its neighbourhood that has not many children, or if all
/// have, the first with any room. There is one, since nodes have two links that must stay in the mean, and
/// room for more. `new` are the nodes that are being linked, in order.
pub(super) fn adopt<L: Level>(level: &L, new: &[u32], node: u32, refused: u32) {
    let adopted = adopt_below(level, new, node, refused, many)
        || adopt_below(level, new, node, refused, <[AtomicU32]>::len);
    debug_assert!(adopted, "there is room for every child");
}

/// The same, if there is one with fewer links that must stay than `most`.
fn adopt_below<L: Level>(
    level: &L,
    new: &[u32],
    node: u32,
    refused: u32,
    most: impl Fn(&[AtomicU32]) -> usize,
) -> bool {
    let mut seen = HashSet::from([node]);
    let mut queue = VecDeque::from([node]);
    while let Some(next) = queue.pop_front() {
        let near = level
            .links(next)
            .iter()
            .map(|link| link.load(Ordering::Relaxed));
        for near in near
            .take_while(|link| *link != NO_SLOT)
            .map(|link| link & !KEPT)
        {
            if !seen.insert(near) {
                continue;
            }
            queue.push_back(near);
            // A new one could be a child of this very node, and lead nowhere.
            let is_old = new.binary_search(&near).is_err();
            if is_old && near != refused && kept(level.links(near)) < most(level.links(near)) {
                unkeep(level, node, refused);
                keep_between(level, node, near, NO_SLOT);
                return true;
            }
        }
    }
    false
}

/// Makes the links between two nodes ones that stay, if need be in the place of others: that to `instead`,
/// or the last one that need not stay.
pub(super) fn keep_between<L: Level>(level: &L, left: u32, right: u32, instead: u32) {
    keep(level.links(left), right, instead);
    keep(level.links(right), left, instead);
    level.touch(left);
    level.touch(right);
}

fn keep(links: &[AtomicU32], to: u32, instead: u32) {
    let read = |link: &&AtomicU32| link.load(Ordering::Relaxed);
    let same = links
        .iter()
        .find(|link| read(link) != NO_SLOT && read(link) & !KEPT == to);
    let replaced = || {
        let mut links = links.iter();
        links.find(|link| read(link) == instead && instead != NO_SLOT)
    };
    let free = || links.iter().find(|link| read(link) == NO_SLOT);
    let loose = || links.iter().rfind(|link| read(link) & KEPT == 0);
    let place = same.or_else(replaced).or_else(free).or_else(loose);
    debug_assert!(place.is_some(), "not all links of a node must stay");
    if let Some(link) = place {
        link.store(to | KEPT, Ordering::Release);
    }
}

/// Lets a link be dropped.
pub(super) fn unkeep<L: Level>(level: &L, node: u32, to: u32) {
    let mut links = level.links(node).iter();
    if let Some(link) = links.find(|link| link.load(Ordering::Relaxed) == to | KEPT) {
        link.store(to, Ordering::Release);
        level.touch(node);
    }
}
