//! Linking new nodes into a level, many at a time.
//!
//! A batch is linked in two steps. First every new node looks for its neighbours in the level as it was
//! before the batch, each for itself, on all threads. Then the links back are gathered by the node that
//! gets them, and each node's list is chosen anew once, however many came. So the outcome does not
//! depend on the number of threads, no lock is needed, and a popular node is not chosen for again and
//! again. A batch must be small beside the level, since its nodes do not see each other.

use super::blocks::{Blocks, NO_SLOT};
use super::code::Code;
use super::prune::{Candidate, Choice, Chooser};
use super::score::Scorer;
use super::walk::{Level, Walker};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;

/// How a level is linked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linking {
    pub(crate) choice: Choice,
    /// How many nearest a new node chooses its links from.
    pub(crate) breadth: usize,
    /// How many links a new node begins with.
    pub(crate) links: usize,
    pub(crate) threads: usize,
}

/// A link back.
#[derive(Clone, Copy, Debug)]
struct Back {
    to: u32,
    far: f32,
    from: u32,
}

/// Room for one thread.
#[derive(Debug, Default)]
pub(crate) struct Linker {
    pub(crate) walker: Walker,
    chooser: Chooser,
    code: Code,
    candidates: Vec<Candidate>,
    chosen: Vec<Candidate>,
    backs: Vec<Back>,
    raw: Vec<i32>,
    far: Vec<f32>,
    slots: Vec<u32>,
    starts: Vec<u32>,
}

/// Where a walk for a query begins.
pub(crate) trait Starts: Sync {
    /// Puts nodes to begin at into `starts`.
    fn find(&self, scorer: &Scorer<'_>, walker: &mut Walker, starts: &mut Vec<u32>);
}

/// Links the nodes `new`, which follow all nodes that the level has so far.
pub(crate) fn link<L: Level>(
    level: &L,
    blocks: &Blocks,
    linking: Linking,
    starts: &impl Starts,
    new: std::ops::Range<u32>,
    linkers: &mut Vec<Linker>,
) {
    linkers.resize_with(linking.threads.max(1), Linker::default);
    let nodes = new.start;
    in_parallel(linkers, new.len(), 16, |linker, at| {
        linker.link_forward(level, blocks, linking, starts, nodes, new.start + at as u32);
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
    in_parallel(linkers, groups.len(), 16, |linker, at| {
        linker.link_back(level, blocks, linking, groups[at]);
    });
}

impl Linker {
    fn link_forward<L: Level>(
        &mut self,
        level: &L,
        blocks: &Blocks,
        linking: Linking,
        starts: &impl Starts,
        nodes: u32,
        node: u32,
    ) {
        let slot = level.slot(node);
        self.code
            .load(blocks.code(slot), blocks.scale(slot), blocks.square(slot));
        let scorer = Scorer::new(blocks, linking.choice.metric, &self.code);
        self.starts.clear();
        starts.find(&scorer, &mut self.walker, &mut self.starts);
        let breadth = linking.breadth;
        self.walker
            .walk(level, nodes, blocks, &scorer, &self.starts, breadth);
        self.candidates.clear();
        let found = self.walker.nearest.found().iter();
        self.candidates.extend(found.map(|near| Candidate {
            far: near.far,
            node: near.node(),
            slot: level.slot(near.node()),
        }));
        let limit = linking.links.min(level.links(node).len());
        let (choice, chosen) = (linking.choice, &mut self.chosen);
        self.chooser
            .choose(blocks, choice, &self.candidates, limit, chosen);
        write(
            level.links(node),
            self.chosen.iter().map(|chosen| chosen.node),
        );
        self.backs.extend(self.chosen.iter().map(|chosen| Back {
            to: chosen.node,
            far: chosen.far,
            from: node,
        }));
    }

    fn link_back<L: Level>(
        &mut self,
        level: &L,
        blocks: &Blocks,
        linking: Linking,
        backs: &[Back],
    ) {
        let Some(to) = backs.first().map(|back| back.to) else {
            return;
        };
        let links = level.links(to);
        let old = links.iter().map(|link| link.load(Ordering::Relaxed));
        let old: Vec<u32> = old.take_while(|node| *node != NO_SLOT).collect();
        if let Some(room) = links.get(old.len()..old.len() + backs.len()) {
            write(room, backs.iter().map(|back| back.from));
            return;
        }
        let slot = level.slot(to);
        self.code
            .load(blocks.code(slot), blocks.scale(slot), blocks.square(slot));
        let scorer = Scorer::new(blocks, linking.choice.metric, &self.code);
        let nodes = old.into_iter().chain(backs.iter().map(|back| back.from));
        self.candidates.clear();
        self.candidates.extend(nodes.map(|node| Candidate {
            far: 0.0,
            node,
            slot: level.slot(node),
        }));
        self.slots.clear();
        self.slots
            .extend(self.candidates.iter().map(|candidate| candidate.slot));
        scorer.far(&self.slots, &mut self.raw, &mut self.far);
        for (candidate, far) in self.candidates.iter_mut().zip(&self.far) {
            candidate.far = *far;
        }
        self.candidates.sort_unstable_by(|left, right| {
            left.far
                .total_cmp(&right.far)
                .then(left.node.cmp(&right.node))
        });
        let (choice, chosen) = (linking.choice, &mut self.chosen);
        self.chooser
            .choose(blocks, choice, &self.candidates, links.len(), chosen);
        write(links, self.chosen.iter().map(|chosen| chosen.node));
    }
}

/// Writes links, and ends them if there is room after them. Others may walk over them meanwhile.
fn write(room: &[AtomicU32], nodes: impl Iterator<Item = u32>) {
    let mut room = room.iter();
    for node in nodes {
        if let Some(link) = room.next() {
            link.store(node, Ordering::Release);
        }
    }
    for link in room {
        link.store(NO_SLOT, Ordering::Release);
    }
}

/// Calls `work` for each number below `jobs`, each once, on as many threads as there are `rooms`.
fn in_parallel<R: Send>(
    rooms: &mut [R],
    jobs: usize,
    portion: usize,
    work: impl Fn(&mut R, usize) + Sync,
) {
    let next = AtomicUsize::new(0);
    let take = |room: &mut R| loop {
        let first = next.fetch_add(portion, Ordering::Relaxed);
        if first >= jobs {
            break;
        }
        for job in first..jobs.min(first + portion) {
            work(room, job);
        }
    };
    let Some((own, others)) = rooms.split_first_mut() else {
        return;
    };
    if jobs <= portion {
        return take(own);
    }
    thread::scope(|scope| {
        for room in others {
            scope.spawn(|| take(room));
        }
        take(own);
    });
}
