//! Which parts of a figure depend on nothing else, and figures without them.
//!
//! Next: `fold.rs`, which makes numbers of them.

use super::figure::{Figure, Link, Times, Wanted};
use std::collections::BTreeSet;

impl Figure {
    /// The number of the node that is asked about, if one is.
    fn wanted(&self, wanted: Wanted) -> Option<usize> {
        match wanted {
            Wanted::Total => None,
            Wanted::Each(node) => Some(node),
            Wanted::Last => Some(self.nodes.len()),
        }
    }

    /// The link of a node that has one.
    pub(super) fn only_link(&self, node: usize) -> Option<&Link> {
        match self.nodes.get(node.checked_sub(1)?)?.as_slice() {
            [link] => Some(link),
            _ => None,
        }
    }

    /// The number of the first link of a node.
    fn first_link(&self, node: usize) -> usize {
        let before = self.nodes.iter().take(node.saturating_sub(1));
        before.map(Vec::len).sum()
    }

    /// How many links lead on from a node.
    fn links_from(&self, node: usize) -> usize {
        let links = self.nodes.iter().flatten();
        links.filter(|link| link.from == node).count()
    }

    /// The links whose relationship must be another one than that of a link.
    fn apart_from(&self, number: usize) -> Vec<usize> {
        let links = self.nodes.iter().flatten().enumerate();
        let others = links.flat_map(|(at, link)| {
            let named = link.apart.iter().copied();
            named.filter_map(move |other| match (at == number, other == number) {
                (true, _) => Some(other),
                (_, true) => Some(at),
                _ => None,
            })
        });
        others.collect()
    }

    /// The pairs of nodes that depend on each other, beside those that are linked.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let differ = self.differ.iter().map(|differ| differ.nodes);
        differ.chain(self.absent.iter().map(|absent| absent.nodes))
    }

    fn depends(&self, node: usize) -> bool {
        self.pairs()
            .any(|(one, other)| one == node || other == node)
    }

    /// Whether a node has one link, nothing hangs on it, and nobody asks about it.
    fn is_leaf(&self, node: usize, wanted: Wanted) -> bool {
        self.only_link(node).is_some()
            && self.links_from(node) == 0
            && self.wanted(wanted) != Some(node)
    }

    /// The last leaf that nothing else depends on.
    pub(super) fn free_leaf(&self, wanted: Wanted) -> Option<usize> {
        let mut nodes = (1..=self.nodes.len()).rev();
        nodes.find(|node| {
            self.is_leaf(*node, wanted)
                && !self.depends(*node)
                && self.apart_from(self.first_link(*node)).is_empty()
        })
    }

    /// Two leaves of one node that nothing depends on but each other.
    pub(super) fn free_pair(&self, wanted: Wanted) -> Option<(usize, usize)> {
        let leaves = (1..=self.nodes.len()).filter(|node| self.is_leaf(*node, wanted));
        let leaves: Vec<usize> = leaves.collect();
        let pairs = leaves.iter().enumerate().flat_map(|(at, one)| {
            let others = leaves.iter().skip(at + 1);
            others.map(|other| (*one, *other))
        });
        { pairs }.find(|pair| self.is_pair(*pair))
    }

    fn is_pair(&self, (one, other): (usize, usize)) -> bool {
        let (Some(first), Some(second)) = (self.only_link(one), self.only_link(other)) else {
            return false;
        };
        let numbers = (self.first_link(one), self.first_link(other));
        let alone = |number, beside| self.apart_from(number).into_iter().all(|at| at == beside);
        let is_own = |(left, right): (usize, usize)| {
            let mut ends = [left, right].into_iter();
            !ends.any(|end| end == one || end == other) || (left, right) == (one, other)
        };
        let between = { self.differ.iter() }.filter(|differ| differ.nodes == (one, other));
        let mut absent = self.absent.iter().map(|absent| absent.nodes);
        first.from == second.from
            && first.times == Times::Each
            && second.times == Times::Each
            && alone(numbers.0, numbers.1)
            && alone(numbers.1, numbers.0)
            && self.pairs().all(is_own)
            && between.count() <= 1
            && absent.all(|nodes| nodes != (one, other))
    }

    /// Whether the first node has one link, which counts each time, and nothing else depends on it.
    pub(super) fn is_root_free(&self, wanted: Wanted) -> bool {
        self.links_from(0) == 1
            && self.wanted(wanted) != Some(0)
            && self
                .only_link(1)
                .is_some_and(|link| link.times == Times::Each)
            && !self.depends(0)
            && self.apart_from(0).is_empty()
    }

    /// Takes out a leaf, or the first node if only the second one hangs on it.
    pub(super) fn remove(&mut self, node: usize) {
        let at = node.saturating_sub(1);
        let begin = self.first_link(at + 1);
        let gone = begin..begin + self.nodes.get(at).map_or(0, Vec::len);
        if at < self.nodes.len() {
            self.nodes.remove(at);
        }
        let moved = |other: usize| other - usize::from(other > node);
        for link in self.nodes.iter_mut().flatten() {
            link.from = moved(link.from);
            link.apart.retain(|other| !gone.contains(other));
            for other in &mut link.apart {
                *other -= if *other >= gone.end { gone.len() } else { 0 };
            }
        }
        let keeps = |(one, other): (usize, usize)| one != node && other != node;
        self.differ.retain(|differ| keeps(differ.nodes));
        self.absent.retain(|absent| keeps(absent.nodes));
        for differ in &mut self.differ {
            differ.nodes = (moved(differ.nodes.0), moved(differ.nodes.1));
        }
        for absent in &mut self.absent {
            absent.nodes = (moved(absent.nodes.0), moved(absent.nodes.1));
        }
    }

    /// Whether walks that may begin anywhere should begin with the second node: the first one is then one of two leaves
    /// that depend on each other alone.
    pub(super) fn is_better_turned(&self, wanted: Wanted) -> bool {
        let is_end = self.links_from(0) == 1
            && !matches!(wanted, Wanted::Last | Wanted::Each(0))
            && self
                .only_link(1)
                .is_some_and(|link| link.times == Times::Each);
        if !is_end {
            return false;
        }
        let mut turned = self.clone();
        turned.turn();
        let wanted = wanted.turned();
        let mut others = 2..=turned.nodes.len();
        turned.is_leaf(1, wanted)
            && others.any(|other| turned.is_leaf(other, wanted) && turned.is_pair((1, other)))
    }

    /// Of which types the links are whose rows are needed the other way round, if walks may begin anywhere.
    pub(crate) fn turned_types(&self, mut wanted: Wanted) -> BTreeSet<usize> {
        let mut rest = self.clone();
        let mut types = BTreeSet::new();
        loop {
            if let Some(leaf) = rest.free_leaf(wanted) {
                rest.remove(leaf);
                wanted = wanted.without(leaf);
            } else if let Some((one, other)) = rest.free_pair(wanted) {
                for leaf in [other, one] {
                    rest.remove(leaf);
                    wanted = wanted.without(leaf);
                }
            } else if !rest.is_root_free(wanted) && rest.is_better_turned(wanted) {
                types.extend(rest.only_link(1).map(|link| link.types));
                rest.turn();
                wanted = wanted.turned();
            } else {
                return types;
            }
        }
    }

    /// Lets the first two nodes change places. Only the second one may be linked to the first, by one link.
    pub(super) fn turn(&mut self) {
        let swapped = |node: usize| match node {
            0 => 1,
            1 => 0,
            node => node,
        };
        for (at, links) in self.nodes.iter_mut().enumerate() {
            for link in links {
                match at {
                    0 => link.direction = link.direction.reverse(),
                    _ => link.from = swapped(link.from),
                }
            }
        }
        for differ in &mut self.differ {
            let (one, other) = (swapped(differ.nodes.0), swapped(differ.nodes.1));
            differ.nodes = (one.min(other), one.max(other));
        }
        for absent in &mut self.absent {
            let (one, other) = (swapped(absent.nodes.0), swapped(absent.nodes.1));
            if one > other {
                absent.direction = absent.direction.reverse();
            }
            absent.nodes = (one.min(other), one.max(other));
        }
    }
}

impl Wanted {
    /// The same of a figure that a node was taken out of.
    pub(super) fn without(self, node: usize) -> Self {
        match self {
            Self::Each(of) if of > node => Self::Each(of - 1),
            other => other,
        }
    }

    /// The same of a figure whose first two nodes have changed places.
    pub(super) fn turned(self) -> Self {
        match self {
            Self::Each(0) => Self::Each(1),
            Self::Each(1) => Self::Each(0),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::Direction;
    use crate::algo::walks::{Absent, Differ};

    #[test]
    fn a_figure_that_is_turned_twice_is_the_same() {
        let link = |from, direction, apart| Link {
            from,
            direction,
            types: 0,
            apart,
            times: Times::Each,
        };
        let figure = Figure {
            nodes: vec![
                vec![link(0, Direction::Outgoing, vec![])],
                vec![link(1, Direction::Incoming, vec![0])],
            ],
            differ: vec![Differ {
                nodes: (0, 2),
                by: None,
            }],
            absent: vec![Absent {
                nodes: (0, 1),
                direction: Direction::Incoming,
                types: 0,
            }],
        };
        let mut turned = figure.clone();
        turned.turn();
        assert_eq!(turned.nodes[0][0].direction, Direction::Incoming);
        assert_eq!(
            (turned.nodes[1][0].from, turned.differ[0].nodes),
            (0, (1, 2))
        );
        let absent = turned.absent[0];
        assert_eq!(
            (absent.nodes, absent.direction),
            ((0, 1), Direction::Outgoing)
        );
        turned.turn();
        assert_eq!(turned, figure);
    }
}
