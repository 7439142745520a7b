//! Linking new nodes into a level, many at a time.
//!
//! A batch is linked in two steps. First every new node looks for its neighbours in the level as it was
//! before the batch, each for itself, on all threads. Then the links back are gathered by the node that
//! gets them, and each node's list is chosen anew once, however many came. So the outcome does not
//! depend on the number of threads, no lock is needed, and a popular node is not chosen for again and
//! again. A batch must be small beside the level, since its nodes do not see each other.
//!
//! Choosing anew drops links, and a node to which the last one is dropped would never be found again.
//! See `kept.rs` for what prevents that.

use super::blocks::{Blocks, KEPT, NO_SLOT};
use super::ground::Ground;
use super::kept::{adopt, kept, many, mark};
use super::prune::{Candidate, Choice, Chooser};
use super::score::{Scorer, Scores};
use super::walk::{Level, Walker};
use crate::coding::Code;
use crate::parallel::{Pace, in_parallel};
use std::sync::atomic::{AtomicU32, Ordering};

/// So many nodes a thread takes at once whose links are chosen anew.
pub(super) const PORTION: usize = 4;
/// So many that look for their neighbours: one takes as long as a search.
const SEARCHES: usize = 1;

/// How a level is linked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linking<'a> {
    pub(crate) choice: Choice,
    /// How many nearest a new node chooses its links from.
    pub(crate) breadth: usize,
    /// How many links a new node begins with.
    pub(crate) links: usize,
    pub(crate) threads: usize,
    pub(crate) pace: &'a Pace,
}

/// A link back.
#[derive(Clone, Copy, Debug)]
struct Back {
    to: u32,
    far: f32,
    from: u32,
    /// Whether `to` is to be the parent of `from`.
    kept: bool,
}

/// Room for one thread.
#[derive(Debug, Default)]
pub(crate) struct Linker {
    walker: Walker,
    chooser: Chooser,
    code: Code,
    candidates: Vec<Candidate>,
    chosen: Vec<Candidate>,
    backs: Vec<Back>,
    /// Nodes whose parent has no room for them, with that parent.
    orphans: Vec<(u32, u32)>,
    scores: Scores,
    slots: Vec<u32>,
    starts: Vec<u32>,
}

/// Where a walk for a query begins.
pub(crate) trait Starts: Sync {
    /// Puts nodes to begin at into `starts`.
    fn find(&self, scorer: &Scorer<'_>, walker: &mut Walker, starts: &mut Vec<u32>);
}

/// Links the nodes `new`, which are in order and which no link leads to yet.
pub(crate) fn link<L: Level>(
    level: &L,
    blocks: &Blocks,
    linking: Linking<'_>,
    starts: &impl Starts,
    new: &[u32],
    linkers: &mut Vec<Linker>,
) {
    debug_assert!(new.is_sorted(), "a node is looked up among the new ones");
    linkers.resize_with(linking.threads.max(1), Linker::default);
    let rest = || linking.pace.rest();
    in_parallel(linkers, new.len(), SEARCHES, rest, |linker, at| {
        linker.link_forward(level, blocks, linking, starts, new[at]);
    });
    let mut backs: Vec<Back> = Vec::new();
    for linker in &mut *linkers {
        backs.append(&mut linker.backs);
    }
    backs.sort_unstable_by(|left, right| {
        let by_far = left.far.total_cmp(&right.far);
        left.to
            .cmp(&right.to)
            .then(by_far)
            .then(left.from.cmp(&right.from))
    });
    let groups: Vec<&[Back]> = backs.chunk_by(|left, right| left.to == right.to).collect();
    in_parallel(linkers, groups.len(), PORTION, rest, |linker, at| {
        linker.link_back(level, blocks, linking, groups[at]);
    });
    let mut orphans: Vec<(u32, u32)> = Vec::new();
    for linker in &mut *linkers {
        orphans.append(&mut linker.orphans);
    }
    orphans.sort_unstable();
    for (node, parent) in orphans {
        adopt(level, new, node, parent);
    }
}

impl Linker {
    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let candidates = self.candidates.capacity() + self.chosen.capacity();
        let slots = self.slots.capacity() + self.starts.capacity() + 2 * self.orphans.capacity();
        size_of::<Self>()
            + self.walker.bytes()
            + self.chooser.bytes()
            + self.code.bytes()
            + self.scores.bytes()
            + candidates * size_of::<Candidate>()
            + self.backs.capacity() * size_of::<Back>()
            + slots * size_of::<u32>()
    }

    /// Chooses the links of a new node.
    fn link_forward<L: Level>(
        &mut self,
        level: &L,
        blocks: &Blocks,
        linking: Linking<'_>,
        starts: &impl Starts,
        node: u32,
    ) {
        let slot = level.slot(node);
        blocks.load(slot, false, &mut self.code);
        let scorer = Scorer::new(blocks, &self.code);
        self.starts.clear();
        starts.find(&scorer, &mut self.walker, &mut self.starts);
        let breadth = linking.breadth;
        self.walker.walk(level, &scorer, &self.starts, breadth);
        self.candidates.clear();
        let found = self.walker.nearest.found();
        let any_lives = found.iter().any(|near| level.lives(near.node()));
        for near in found {
            if near.node() != node && (!any_lives || level.lives(near.node())) {
                self.candidates.push(Candidate {
                    far: near.far,
                    node: near.node(),
                    slot: level.slot(near.node()),
                    kept: false,
                });
            }
        }
        let links = level.links(node);
        let limit = linking.links.min(links.len());
        self.chooser.choose(
            blocks,
            linking.choice,
            self.code.square,
            &self.candidates,
            limit,
            &mut self.chosen,
        );
        let mut chosen = self.chosen.iter();
        let free = chosen.position(|chosen| kept(level.links(chosen.node)) < many(links));
        if let Some(parent) = self.chosen.get_mut(free.unwrap_or_default()) {
            parent.kept = true;
        }
        write(links, &self.chosen);
        level.touch(node);
        self.backs.extend(self.chosen.iter().map(|chosen| Back {
            to: chosen.node,
            far: chosen.far,
            from: node,
            kept: chosen.kept,
        }));
    }

    /// Gives a node the links back, and chooses anew if it has no room for all.
    fn link_back<L: Level>(
        &mut self,
        level: &L,
        blocks: &Blocks,
        linking: Linking<'_>,
        backs: &[Back],
    ) {
        let Some(to) = backs.first().map(|back| back.to) else {
            return;
        };
        let links = level.links(to);
        let old = links.iter().map(|link| link.load(Ordering::Relaxed));
        let old: Vec<u32> = old.take_while(|link| *link != NO_SLOT).collect();
        if let Some(room) = links.get(old.len()..old.len() + backs.len()) {
            for (link, back) in room.iter().zip(backs) {
                link.store(back.from | mark(back.kept), Ordering::Release);
            }
            level.touch(to);
            return;
        }
        let mut room = links.len() - kept(links);
        self.candidates.clear();
        for link in old {
            let node = link & !KEPT;
            self.candidates.push(Candidate {
                far: 0.0,
                node,
                slot: level.slot(node),
                kept: link & KEPT != 0,
            });
        }
        for back in backs {
            let has_room = back.kept && room > 0;
            room -= usize::from(has_room);
            if back.kept && !has_room {
                self.orphans.push((back.from, to));
            }
            self.candidates.push(Candidate {
                far: 0.0,
                node: back.from,
                slot: level.slot(back.from),
                kept: has_room,
            });
        }
        self.choose_anew(level, blocks, linking, to);
    }

    /// Gives a node links past those that are gone, if it has any of those: one for each. What else it has
    /// it keeps, or nodes would have fewer links with everyone that goes.
    pub(super) fn link_past(
        &mut self,
        level: &Ground<'_>,
        linking: Linking<'_>,
        node: u32,
        is_gone: &[bool],
    ) {
        let gone = |node: u32| is_gone.get(node as usize).copied().unwrap_or(true);
        let list = |node: u32| {
            let links = level.links(node).iter();
            let links = links.map(|link| link.load(Ordering::Relaxed));
            links.take_while(|link| *link != NO_SLOT)
        };
        let lost = list(node).filter(|link| gone(link & !KEPT)).count();
        if lost == 0 {
            return;
        }
        let candidate = |link: u32| Candidate {
            far: 0.0,
            node: link & !KEPT,
            slot: level.slot(link & !KEPT),
            kept: link & KEPT != 0,
        };
        self.chosen.clear();
        let stay = list(node).filter(|link| !gone(link & !KEPT));
        self.chosen.extend(stay.map(candidate));
        self.candidates.clear();
        let beyond = list(node).filter(|link| gone(link & !KEPT));
        for other in beyond
            .flat_map(|link| list(link & !KEPT))
            .map(|link| link & !KEPT)
        {
            let mut known = self.chosen.iter().chain(&self.candidates);
            if !gone(other) && other != node && !known.any(|known| known.node == other) {
                self.candidates.push(candidate(other));
            }
        }
        self.sort_candidates(level, level.blocks, node);
        self.chooser.add(
            level.blocks,
            linking.choice,
            self.code.square,
            &self.candidates,
            lost,
            &mut self.chosen,
        );
        write(level.links(node), &self.chosen);
        level.touch(node);
    }

    /// Chooses the links of a node from the candidates.
    fn choose_anew<L: Level>(
        &mut self,
        level: &L,
        blocks: &Blocks,
        linking: Linking<'_>,
        node: u32,
    ) {
        self.sort_candidates(level, blocks, node);
        let links = level.links(node);
        let limit = links.len();
        self.chooser.choose(
            blocks,
            linking.choice,
            self.code.square,
            &self.candidates,
            limit,
            &mut self.chosen,
        );
        write(links, &self.chosen);
        level.touch(node);
    }

    /// Sorts the candidates by how far they are from a node.
    fn sort_candidates<L: Level>(&mut self, level: &L, blocks: &Blocks, node: u32) {
        blocks.load(level.slot(node), false, &mut self.code);
        let scorer = Scorer::new(blocks, &self.code);
        self.slots.clear();
        self.slots
            .extend(self.candidates.iter().map(|candidate| candidate.slot));
        scorer.far(&self.slots, &mut self.scores);
        for (candidate, far) in self.candidates.iter_mut().zip(&self.scores.far) {
            candidate.far = *far;
        }
        self.candidates.sort_unstable_by(|left, right| {
            left.far
                .total_cmp(&right.far)
                .then(left.node.cmp(&right.node))
        });
    }
}

/// Writes all links of a node. Others may walk over them meanwhile.
fn write(links: &[AtomicU32], chosen: &[Candidate]) {
    let mut chosen = chosen.iter();
    for link in links {
        let next = chosen.next();
        let next = next.map_or(NO_SLOT, |chosen| chosen.node | mark(chosen.kept));
        link.store(next, Ordering::Release);
    }
}
