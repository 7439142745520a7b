//! The fast local move: single nodes go to the community that gains most.
//!
//! All nodes wait in a queue, in random order; a node that moves sends those neighbours back into
//! it that it has left behind. Every move gains, so the quality never falls. It must never allocate
//! while it runs: the arrays are made once for the base and serve all smaller levels.
//!
//! Next: `refine.rs`, which breaks up what was moved together too eagerly.

use super::level::{EdgeWeights, Level};
use super::random::Random;
use super::rule::Rule;
use crate::error::Result;
use crate::storage::cancel::Watch;

/// How many nodes are visited between two looks at the watch.
pub(super) const VISITS_PER_LOOK: u64 = 1 << 14;

/// How often a node is visited on average, at most. Real graphs need less than ten; only a graph
/// whose rows are not symmetric can go in circles.
const MAX_VISITS_PER_NODE: u64 = 1 << 10;

/// The arrays of the local move.
pub(super) struct Mover {
    /// A ring: no node waits twice, so it never overflows.
    queue: Vec<u32>,
    waiting: Vec<bool>,
    /// The weight from the visited node to each community; 0 outside a visit.
    weight_to: Vec<f64>,
    touched: Vec<u32>,
    /// Numbers of communities without nodes.
    free: Vec<u32>,
    communities: Vec<Community>,
}

/// The sums over a community.
#[derive(Clone, Copy, Default)]
struct Community {
    mass: f64,
    /// Nodes of the level.
    nodes: u32,
    /// Nodes of the base.
    members: u32,
}

impl Mover {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            queue: vec![0; nodes],
            waiting: vec![false; nodes],
            weight_to: vec![0.0; nodes],
            touched: Vec::with_capacity(nodes),
            free: Vec::with_capacity(nodes),
            communities: vec![Community::default(); nodes],
        }
    }

    /// Improves `community` until no node gains by moving.
    pub(super) fn run<W: EdgeWeights>(
        &mut self,
        level: &Level<'_, W>,
        rule: &Rule,
        community: &mut [u32],
        random: &mut Random,
        watch: &mut Watch<'_>,
    ) -> Result<()> {
        let nodes = level.nodes();
        self.sum_up(level, community);
        let queue = &mut self.queue[..nodes];
        random.permutation(queue);
        self.waiting[..nodes].fill(true);
        let mut head = 0;
        let mut length = nodes;
        let mut visits = 0u64;
        let most_visits = (nodes as u64).saturating_mul(MAX_VISITS_PER_NODE);
        while length > 0 && visits < most_visits {
            if visits.is_multiple_of(VISITS_PER_LOOK) {
                watch.step("move nodes between communities", visits, 0)?;
            }
            visits += 1;
            let node = queue[head];
            head = if head + 1 == nodes { 0 } else { head + 1 };
            length -= 1;
            self.waiting[node as usize] = false;

            let own = community[node as usize];
            for (target, weight) in level.neighbours(node) {
                let other = community[target as usize];
                let sum = &mut self.weight_to[other as usize];
                if *sum == 0.0 {
                    self.touched.push(other);
                }
                *sum += weight;
            }
            let best = choose(
                rule,
                level.mass[node as usize],
                level.members[node as usize],
                own,
                &self.touched,
                &self.weight_to,
                &self.communities,
                self.free.last().copied(),
            );
            for other in self.touched.drain(..) {
                self.weight_to[other as usize] = 0.0;
            }
            if best == own {
                continue;
            }
            if self.free.last() == Some(&best) {
                self.free.pop();
            }
            community[node as usize] = best;
            self.communities[own as usize].remove(level, node);
            self.communities[best as usize].add(level, node);
            if self.communities[own as usize].nodes == 0 {
                // Sums of fractions leave a rest behind; an empty community has none.
                self.communities[own as usize] = Community::default();
                self.free.push(own);
            }
            for (target, _) in level.neighbours(node) {
                let waiting = &mut self.waiting[target as usize];
                if !*waiting && community[target as usize] != best {
                    *waiting = true;
                    let end = head + length;
                    queue[if end < nodes { end } else { end - nodes }] = target;
                    length += 1;
                }
            }
        }
        Ok(())
    }

    fn sum_up<W: EdgeWeights>(&mut self, level: &Level<'_, W>, community: &[u32]) {
        let communities = &mut self.communities[..level.nodes()];
        communities.fill(Community::default());
        for (node, &own) in (0..level.node_count()).zip(community) {
            communities[own as usize].add(level, node);
        }
        self.free.clear();
        let numbers = (0..level.node_count()).zip(&*communities);
        self.free.extend(
            numbers
                .filter(|(_, sums)| sums.nodes == 0)
                .map(|(own, _)| own),
        );
    }
}

impl Community {
    fn add<W: EdgeWeights>(&mut self, level: &Level<'_, W>, node: u32) {
        self.mass += level.mass[node as usize];
        self.nodes += 1;
        self.members += level.members[node as usize];
    }

    fn remove<W: EdgeWeights>(&mut self, level: &Level<'_, W>, node: u32) {
        self.mass -= level.mass[node as usize];
        self.nodes -= 1;
        self.members -= level.members[node as usize];
    }
}

/// The community where a node of this mass and these members gains most: its own unless another is
/// better by more than rounding. The first met wins a tie.
#[expect(
    clippy::too_many_arguments,
    reason = "the borrows of one visit, taken apart so that the loop around it may hold the rest"
)]
#[inline]
fn choose(
    rule: &Rule,
    mass: f64,
    members: u32,
    own: u32,
    touched: &[u32],
    weight_to: &[f64],
    communities: &[Community],
    free: Option<u32>,
) -> u32 {
    let cost = rule.scale * mass;
    let home = communities[own as usize];
    let stay = weight_to[own as usize] - cost * (home.mass - mass);
    let mut best = own;
    let mut best_gain = stay + rule.tolerance;
    if let Some(free) = free
        && home.nodes > 1
        && best_gain < 0.0
    {
        best = free;
        best_gain = 0.0;
    }
    for &other in touched {
        let sums = communities[other as usize];
        let gain = weight_to[other as usize] - cost * sums.mass;
        if gain > best_gain
            && other != own
            && members.saturating_add(sums.members) <= rule.max_members
        {
            best = other;
            best_gain = gain;
        }
    }
    best
}
