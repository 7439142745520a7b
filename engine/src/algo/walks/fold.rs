//! What need not be walked: parts of a figure of which only the number matters become numbers by place.
//!
//! | part | what becomes of it |
//! |---|---|
//! | a node at the end of one link, which nothing else depends on | a factor of the node that it hangs on: the sum over its row |
//! | the same where it need not be there | the same, and one where nothing is found |
//! | the same where it must be there so often, and only that is asked | one or nothing |
//! | two such nodes that depend on each other alone | a factor: all pairs but those that are not allowed (`pairs.rs`) |
//! | a first node that only the second one hangs on | the second one is where walks begin, so often |
//! | the same, if it is one of two that depend on each other and walks may begin anywhere | the two change places |
//!
//! Each takes one pass over rows, however many walks there are. What is left is walked (`trails.rs`).
//!
//! Next: `leaf.rs`.

use super::bits::Bits;
use super::figure::{Figure, Found, Ground, Link, Wanted};
use super::leaf::Leaf;
use super::pairs::Pair;
use super::work::Work;
use crate::algo::AlgoError;
use std::borrow::Cow;

/// What is left of a figure, and what the other parts have become.
pub(super) struct Rest<'g> {
    pub(super) figure: Figure,
    pub(super) wanted: Wanted,
    /// Where walks begin, ascending, and how often.
    pub(super) starts: Vec<(u32, u64)>,
    /// Whether they are all places where the first node may be, each as often as the others.
    is_anywhere: bool,
    /// Where each node may be.
    pub(super) allowed: Vec<Option<Cow<'g, Bits>>>,
    /// How often each node counts where.
    pub(super) weights: Vec<Option<Vec<u64>>>,
}

impl<'g> Rest<'g> {
    /// All of a figure.
    pub(super) fn new(
        figure: &Figure,
        ground: &'g Ground<'_>,
        starts: &[(u32, u64)],
        wanted: Wanted,
    ) -> Self {
        let nodes = figure.nodes.len() + 1;
        let mut allowed: Vec<Option<Cow<'g, Bits>>> = (0..nodes)
            .map(|node| ground.allowed.get(node)?.as_ref().map(Cow::Borrowed))
            .collect();
        // Of whom nobody knows what he is like is nowhere where something must differ.
        for differ in &figure.differ {
            let Some(classes) = differ.by.and_then(|by| ground.classes.get(by)) else {
                continue;
            };
            for node in [differ.nodes.0, differ.nodes.1] {
                let Some(allowed) = allowed.get_mut(node) else {
                    continue;
                };
                for place in 0..ground.places as u32 {
                    let may_be = allowed.as_ref().is_none_or(|allowed| allowed.has(place));
                    if may_be && !classes.is_known(place) {
                        let all = || Cow::Owned(Bits::all(ground.places));
                        allowed.get_or_insert_with(all).to_mut().take(place);
                    }
                }
            }
        }
        Self {
            figure: figure.clone(),
            wanted,
            starts: starts.to_vec(),
            is_anywhere: ground.is_anywhere,
            allowed,
            weights: vec![None; nodes],
        }
    }

    /// Makes numbers of whatever can be.
    pub(super) fn fold(
        mut self,
        ground: &Ground<'_>,
        work: &mut Work<'_>,
    ) -> Result<Self, AlgoError> {
        loop {
            if let Some(leaf) = self.figure.free_leaf(self.wanted) {
                self.fold_leaf(leaf, ground, work)?;
            } else if let Some(pair) = self.figure.free_pair(self.wanted) {
                self.fold_pair(pair, ground, work)?;
            } else if self.figure.is_root_free(self.wanted) {
                self.go_on(ground, work)?;
            } else if self.is_anywhere && self.figure.is_better_turned(self.wanted) {
                self.turn(ground.places);
            } else {
                return Ok(self);
            }
        }
    }

    /// What is found if nothing is left but the node where walks begin.
    pub(super) fn alone(&self, places: usize) -> Found {
        let mut found = Found::nothing(self.wanted, places);
        for (start, times) in self.starts.iter().copied() {
            let walks = times.saturating_mul(self.weight(0, start));
            if walks == 0 {
                continue;
            }
            match self.wanted {
                Wanted::Total => found.total = found.total.saturating_add(walks),
                Wanted::Last => found.last.put(start),
                Wanted::Each(_) => {
                    if let Some(each) = found.each.get_mut(start as usize) {
                        *each = each.saturating_add(walks);
                    }
                }
            }
        }
        found
    }

    /// Whether a node may be at a place.
    #[inline]
    pub(super) fn allows(&self, node: usize, place: u32) -> bool {
        let allowed = self.allowed.get(node).and_then(Option::as_ref);
        allowed.is_none_or(|allowed| allowed.has(place))
    }

    /// How often a node counts at a place.
    #[inline]
    pub(super) fn weight(&self, node: usize, place: u32) -> u64 {
        if !self.allows(node, place) {
            return 0;
        }
        match self.weights.get(node).and_then(Option::as_ref) {
            Some(weights) => weights.get(place as usize).copied().unwrap_or_default(),
            None => 1,
        }
    }

    /// Whether a node counts once everywhere.
    pub(super) fn is_plain(&self, node: usize) -> bool {
        let is_none =
            |allowed: Option<&Option<_>>| allowed.is_none_or(|some: &Option<_>| some.is_none());
        is_none(self.allowed.get(node)) && self.weights.get(node).is_none_or(Option::is_none)
    }

    fn leaf<'l>(&'l self, node: usize, link: &Link, ground: &'l Ground<'_>) -> Leaf<'l> {
        Leaf {
            direction: link.direction,
            rows: ground.rows_of(link.types),
            allowed: self.allowed.get(node).and_then(Option::as_deref),
            weights: self.weights.get(node).and_then(Option::as_deref),
        }
    }

    /// Multiplies how often a node counts where.
    fn multiply(
        &mut self,
        node: usize,
        places: usize,
        mut factor: impl FnMut(&Self, u32) -> Result<u64, AlgoError>,
    ) -> Result<(), AlgoError> {
        let known = self.weights.get_mut(node).and_then(Option::take);
        let mut weights = known.unwrap_or_else(|| vec![1; places]);
        for (place, weight) in (0_u32..).zip(weights.iter_mut()) {
            if *weight > 0 && self.allows(node, place) {
                *weight = weight.saturating_mul(factor(self, place)?);
            }
        }
        if let Some(of) = self.weights.get_mut(node) {
            *of = Some(weights);
        }
        Ok(())
    }

    fn fold_leaf(
        &mut self,
        node: usize,
        ground: &Ground<'_>,
        work: &mut Work<'_>,
    ) -> Result<(), AlgoError> {
        let Some(link) = self.figure.only_link(node).cloned() else {
            return Ok(());
        };
        self.multiply(link.from, ground.places, |rest, place| {
            let leaf = rest.leaf(node, &link, ground);
            work.look(1 + leaf.looked_at(place))?;
            Ok(link.times.of(leaf.all(place)))
        })?;
        self.remove(node);
        Ok(())
    }

    fn fold_pair(
        &mut self,
        (one, other): (usize, usize),
        ground: &Ground<'_>,
        work: &mut Work<'_>,
    ) -> Result<(), AlgoError> {
        let links = (self.figure.only_link(one), self.figure.only_link(other));
        let (Some(first), Some(second)) = links else {
            return Ok(());
        };
        let (first, second) = (first.clone(), second.clone());
        let differ = { self.figure.differ.iter() }.find(|differ| differ.nodes == (one, other));
        let differ = differ.map(|differ| differ.by.and_then(|by| ground.classes.get(by)));
        let weights = {
            let leaves = (
                self.leaf(one, &first, ground),
                self.leaf(other, &second, ground),
            );
            let mut pair = Pair::new(leaves, !second.apart.is_empty(), differ, ground.places);
            let mut weights = Vec::with_capacity(ground.places);
            for place in 0..ground.places as u32 {
                work.look(1 + leaves.0.entries(place) + leaves.1.entries(place))?;
                weights.push(match self.weight(first.from, place) {
                    0 => 0,
                    times => times.saturating_mul(pair.count(place)),
                });
            }
            weights
        };
        if let Some(of) = self.weights.get_mut(first.from) {
            *of = Some(weights);
        }
        self.remove(other);
        self.remove(one);
        Ok(())
    }

    /// Begins with the second node.
    fn go_on(&mut self, ground: &Ground<'_>, work: &mut Work<'_>) -> Result<(), AlgoError> {
        let Some(link) = self.figure.only_link(1).cloned() else {
            return Ok(());
        };
        let mut times = vec![0_u64; ground.places];
        // How often the second one counts is asked where it is.
        let second = Leaf {
            weights: None,
            ..self.leaf(1, &link, ground)
        };
        for (start, walks) in self.starts.iter().copied() {
            let walks = walks.saturating_mul(self.weight(0, start));
            if walks == 0 {
                continue;
            }
            work.look(1 + second.entries(start))?;
            second.each(start, |far, _| {
                if let Some(there) = times.get_mut(far as usize) {
                    *there = there.saturating_add(walks);
                }
            });
        }
        let starts = (0_u32..).zip(times).filter(|(_, times)| *times > 0);
        self.starts = starts.collect();
        self.is_anywhere = false;
        self.remove(0);
        Ok(())
    }

    /// Takes out a leaf, or a first node that the second one alone hangs on.
    fn remove(&mut self, node: usize) {
        self.figure.remove(node);
        self.allowed.remove(node);
        self.weights.remove(node);
        self.wanted = self.wanted.without(node);
    }

    /// Lets the first two nodes change places.
    fn turn(&mut self, places: usize) {
        let times = self.starts.first().map_or(0, |(_, times)| *times);
        self.figure.turn();
        self.allowed.swap(0, 1);
        self.weights.swap(0, 1);
        self.wanted = self.wanted.turned();
        let starts = (0..places as u32).filter(|place| self.allows(0, *place));
        self.starts = starts.map(|place| (place, times)).collect();
    }
}
