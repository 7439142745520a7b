//! Where the last node of a walk must not be, for where the others are: kept as long as these stay.
//!
//! Next: `trails.rs`.

use super::bits::Bits;
use super::classes::Classes;
use super::fold::Rest;
use super::rows::Rows;
use crate::algo::Direction;

/// So many that are alike are noted one by one; of more each that is met is asked.
const FEW: usize = 64;

/// What a node must not be, as far as nodes before it say.
#[derive(Default)]
pub(super) struct Bars<'a> {
    /// Nodes that it must differ from, and by which classes.
    differ: Vec<(usize, Option<&'a Classes>)>,
    /// Nodes that must not be linked to it, and over which rows.
    absent: Vec<(usize, Rows<'a>)>,
}

impl<'a> Bars<'a> {
    /// Those of a node.
    pub(super) fn of(
        node: usize,
        rest: &Rest<'_>,
        rows: impl Fn(usize) -> [Rows<'a>; 2],
        classes: &'a [Classes],
    ) -> Self {
        let mut bars = Self::default();
        for differ in &rest.figure.differ {
            if differ.nodes.1 == node {
                let by = differ.by.and_then(|by| classes.get(by));
                bars.differ.push((differ.nodes.0, by));
            }
        }
        for absent in &rest.figure.absent {
            if absent.nodes.1 != node {
                continue;
            }
            let [out, into] = rows(absent.types);
            if absent.direction != Direction::Incoming {
                bars.absent.push((absent.nodes.0, out));
            }
            if absent.direction != Direction::Outgoing {
                bars.absent.push((absent.nodes.0, into));
            }
        }
        bars
    }

    /// Whether there are none.
    pub(super) fn are_none(&self) -> bool {
        self.differ.is_empty() && self.absent.is_empty()
    }

    /// Whether the node must not be at a place while the others are where they are.
    #[inline]
    pub(super) fn bar(&self, at: &[u32], far: u32) -> bool {
        let place = |node: usize| at.get(node).copied().unwrap_or_default();
        let is_alike = |(node, classes): &(usize, Option<&Classes>)| match classes {
            Some(classes) => classes.are_alike(place(*node), far),
            None => place(*node) == far,
        };
        self.differ.iter().any(is_alike) || { self.absent.iter() }
            .any(|(node, rows)| rows.between(place(*node), far) > 0)
    }
}

/// The places that are barred now.
#[derive(Default)]
pub(super) struct Barred {
    /// Where the nodes are that bar them.
    key: Vec<u32>,
    /// The places, ascending.
    list: Vec<u32>,
    marks: Bits,
    /// Whether there are more than are marked.
    is_open: bool,
}

impl Barred {
    /// Notes what is barred while the nodes are where they are; how many places were looked at.
    pub(super) fn note(&mut self, bars: &Bars<'_>, at: &[u32], places: usize) -> usize {
        let place = |node: usize| at.get(node).copied().unwrap_or_default();
        let key = { bars.differ.iter().map(|(node, _)| place(*node)) }
            .chain(bars.absent.iter().map(|(node, _)| place(*node)));
        if !self.key.is_empty() && self.key.iter().copied().eq(key.clone()) {
            return 0;
        }
        if self.key.is_empty() {
            self.marks = Bits::new(places);
        }
        self.key.clear();
        self.key.extend(key);
        for far in self.list.drain(..) {
            self.marks.take(far);
        }
        self.is_open = false;
        for (node, classes) in &bars.differ {
            match classes.map(|classes| classes.like(place(*node))) {
                None => self.list.push(place(*node)),
                Some(alike) if alike.len() <= FEW => self.list.extend(alike),
                Some(_) => self.is_open = true,
            }
        }
        for (node, rows) in &bars.absent {
            self.list.extend(rows.row(place(*node)));
        }
        self.list.sort_unstable();
        self.list.dedup();
        for far in &self.list {
            self.marks.put(*far);
        }
        self.list.len()
    }

    /// All of them, if they are so few that looking each up in a row is better than going through that.
    pub(super) fn few_beside(&self, row: &[u32]) -> Option<&[u32]> {
        let are_few = super::meet::is_far_longer(row, &self.list);
        (are_few && !self.is_open).then_some(self.list.as_slice())
    }

    /// Whether a place is one of them; those that were not marked have to be asked about.
    #[inline]
    pub(super) fn has(&self, bars: &Bars<'_>, at: &[u32], far: u32) -> bool {
        self.marks.has(far) || self.is_open && bars.bar(at, far)
    }
}
