//! Taking nodes out of a level, for good.
//!
//! First the links that stay: the neighbours that a node holds together are bound to each other instead,
//! so that there still is a way from everywhere to everywhere. Then every node that has a link to one that
//! goes gets links past it, from those it could have reached through it. The lists of the nodes that go stay
//! readable, for a search may be standing there; of those that the levels above still know, and so lead walks
//! to, they are cleared of all that goes too.

use super::blocks::{KEPT, NO_SLOT};
use super::ground::Ground;
use super::kept::{keep_between, kept, many, unkeep};
use super::link::{Linker, Linking, PORTION};
use super::score::{Scorer, Scores};
use super::walk::Level;
use crate::coding::Code;
use crate::parallel::in_parallel;
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};

/// Takes the nodes `gone` out, of which the levels above know some. No walk comes by those that are `idle`,
/// and they may be given to somebody else meanwhile. Returns a node that is still linked, `entry` if that is.
pub(super) fn unlink(
    ground: &Ground<'_>,
    linking: Linking<'_>,
    gone: &[u32],
    idle: &[u32],
    known: &[u32],
    mut entry: Option<u32>,
    linkers: &mut Vec<Linker>,
) -> Option<u32> {
    let mut binder = Binder::default();
    for node in gone {
        let next = binder.bypass(ground, *node);
        if entry == Some(*node) {
            entry = next;
        }
        linking.pace.rest();
    }
    let mut is_gone = vec![false; ground.slots as usize];
    for node in gone {
        is_gone[*node as usize] = true;
    }
    let mut passes_by = is_gone.clone();
    for node in idle {
        passes_by[*node as usize] = true;
    }
    linkers.resize_with(linking.threads.max(1), Linker::default);
    let rest = || linking.pace.rest();
    in_parallel(
        linkers,
        ground.slots as usize,
        PORTION,
        rest,
        |linker, node| {
            if !passes_by[node] {
                linker.link_past(ground, linking, node as u32, &is_gone);
            }
        },
    );
    // After all others, who look through their lists; and one by one, for they look through each other's.
    if let Some(linker) = linkers.first_mut() {
        for node in known
            .iter()
            .filter(|node| is_gone.get(**node as usize) == Some(&true))
        {
            linker.link_past(ground, linking, *node, &is_gone);
        }
    }
    entry
}

/// Binds together what a node held.
#[derive(Default)]
struct Binder {
    code: Code,
    scores: Scores,
}

impl Binder {
    /// Binds the nodes that a node holds to each other. Returns one of them.
    fn bypass(&mut self, ground: &Ground<'_>, node: u32) -> Option<u32> {
        let held = ground.links(node).iter();
        let held = held.map(|link| link.load(Ordering::Relaxed));
        let held: Vec<u32> = held
            .take_while(|link| *link != NO_SLOT)
            .filter(|link| link & KEPT != 0)
            .map(|link| link & !KEPT)
            .collect();
        for other in &held {
            unkeep(ground, *other, node);
        }
        for (count, other) in held.iter().enumerate().skip(1) {
            let bound = &held[..count];
            ground.blocks.load(*other, true, &mut self.code);
            Scorer::new(ground.blocks, &self.code).far(bound, &mut self.scores);
            let near = bound.iter().zip(&self.scores.far);
            // To the nearest that has room, or if none has, to one that they hold: each has just lost a link,
            // but those that were bound before may have filled it.
            let to = near.min_by(|left, right| {
                let full = |node: u32| {
                    let links = ground.links(node);
                    let kept = kept(links);
                    (kept >= links.len(), kept >= many(links))
                };
                full(*left.0)
                    .cmp(&full(*right.0))
                    .then(left.1.total_cmp(right.1))
            });
            let to = to
                .map(|(to, _)| *to)
                .filter(|to| has_room(ground.links(*to)));
            if let Some(to) = to.or_else(|| first_with_room(ground, bound)) {
                keep_between(ground, *other, to, node);
            }
        }
        held.first().copied()
    }
}

fn has_room(links: &[AtomicU32]) -> bool {
    kept(links) < links.len()
}

/// The first node with room that these hold, or those that they hold, and so on. Links that must stay make a
/// tree, and a tree has ends.
fn first_with_room(ground: &Ground<'_>, from: &[u32]) -> Option<u32> {
    let mut seen: HashSet<u32> = from.iter().copied().collect();
    let mut queue: VecDeque<u32> = from.iter().copied().collect();
    while let Some(next) = queue.pop_front() {
        let links = ground.links(next);
        if has_room(links) {
            return Some(next);
        }
        let held = links.iter().map(|link| link.load(Ordering::Relaxed));
        let held = held.filter(|link| *link != NO_SLOT && link & KEPT != 0);
        for held in held.map(|link| link & !KEPT) {
            if seen.insert(held) {
                queue.push_back(held);
            }
        }
    }
    debug_assert!(false, "a tree has ends");
    None
}
