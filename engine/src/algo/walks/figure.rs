//! What is looked for: nodes, and the links between them.
//!
//! Next: `trails.rs`.

use super::bits::Bits;
use super::classes::Classes;
use super::rows::Rows;
use crate::algo::Direction;

/// Nodes with links between them. The first one is where a walk begins; the others are found one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figure {
    /// The links of each node after the first to nodes before it, at least one each.
    pub(crate) nodes: Vec<Vec<Link>>,
    /// Nodes that must not be alike.
    pub(crate) differ: Vec<Differ>,
    /// Nodes that must not be linked.
    pub(crate) absent: Vec<Absent>,
}

/// A link of a figure. Links are numbered in their order, over all nodes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Link {
    /// The node that it leads from, which comes before the one that has it.
    pub(crate) from: usize,
    /// Which way, as seen from there.
    pub(crate) direction: Direction,
    /// Of which types, by a number that the ground knows.
    pub(crate) types: usize,
    /// Links before it, of the same types, whose relationship must be another one.
    pub(crate) apart: Vec<usize>,
    /// How often what is found over it counts.
    pub(crate) times: Times,
}

/// How often that counts which is found over a link, with all that hangs on it. Where it is not each time, what hangs on
/// the link is a tree, in which nothing has to differ from anything, and nobody asks about its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Times {
    /// Each time it is found.
    #[default]
    Each,
    /// The same, and once where nothing is found: it need not be there.
    AtLeastOnce,
    /// Once where it is found at least and at most so often, and nowhere else.
    OnceIf(u64, u64),
}

impl Times {
    /// How often it counts where it is found so often.
    pub(super) fn of(self, found: u64) -> u64 {
        match self {
            Self::Each => found,
            Self::AtLeastOnce => found.max(1),
            Self::OnceIf(least, most) => u64::from((least..=most).contains(&found)),
        }
    }
}

/// Two nodes of a figure that must not be alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Differ {
    /// The nodes, in their order.
    pub(crate) nodes: (usize, usize),
    /// By which classes, by a number that the ground knows; without any they must not be the same.
    pub(crate) by: Option<usize>,
}

/// Two nodes of a figure between which there must be no relationship of some types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Absent {
    /// The nodes, in their order.
    pub(crate) nodes: (usize, usize),
    /// As seen from the first of them.
    pub(crate) direction: Direction,
    pub(crate) types: usize,
}

/// Where a figure is looked for.
pub(crate) struct Ground<'a> {
    /// How many places there are.
    pub(crate) places: usize,
    /// For each number of types the rows out of each place, and those into it.
    pub(crate) rows: Vec<[Rows<'a>; 2]>,
    /// For each node of the figure the places where it may be; none if it may be anywhere.
    pub(crate) allowed: Vec<Option<Bits>>,
    /// For each number of classes who is like whom.
    pub(crate) classes: Vec<Classes>,
    /// Whether walks begin wherever the first node may be, equally often, so that they may begin elsewhere too: then
    /// the rows of [`Figure::turned_types`] are there both ways.
    pub(crate) is_anywhere: bool,
}

impl<'a> Ground<'a> {
    /// The rows of some types, out and in.
    pub(super) fn rows_of(&self, types: usize) -> [Rows<'a>; 2] {
        let rows = self.rows.get(types).copied();
        rows.unwrap_or([Rows::none(), Rows::none()])
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// How many walks there are.
    Total,
    /// The same for each place of this node.
    Each(usize),
    /// Where the last node may be.
    Last,
}

/// What was found. Numbers that are too large stay at the largest there is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// How many walks there are; nobody counts them where the last node is asked for.
    pub(crate) total: u64,
    /// By place, if that was asked.
    pub(crate) each: Vec<u64>,
    /// Where the last node may be, if that was asked.
    pub(crate) last: Bits,
}

impl Found {
    pub(super) fn nothing(wanted: Wanted, places: usize) -> Self {
        let mut found = Self::default();
        match wanted {
            Wanted::Total => {}
            Wanted::Each(_) => found.each = vec![0; places],
            Wanted::Last => found.last = Bits::new(places),
        }
        found
    }

    /// Adds what another part of the work has found.
    pub(super) fn add(&mut self, other: &Self) {
        self.total = self.total.saturating_add(other.total);
        for (one, more) in self.each.iter_mut().zip(&other.each) {
            *one = one.saturating_add(*more);
        }
        self.last.unite(&other.last);
    }
}

/// A link that is walked one way only.
#[derive(Clone, Debug)]
pub(super) struct Step<'a> {
    pub(super) from: usize,
    pub(super) rows: Rows<'a>,
    /// Whether along the relationship.
    pub(super) outgoing: bool,
    /// Whether relationships of a node with itself count.
    pub(super) loops: bool,
    pub(super) apart: Vec<usize>,
}

impl Step<'_> {
    /// Source and target of a relationship that it walks.
    #[inline]
    pub(super) fn ends(&self, near: u32, far: u32) -> (u32, u32) {
        match self.outgoing {
            true => (near, far),
            false => (far, near),
        }
    }

    /// The other end of a relationship, if it may be walked from `near`.
    #[inline]
    pub(super) fn far_end(&self, near: u32, (source, target): (u32, u32)) -> Option<u32> {
        let (here, there) = match self.outgoing {
            true => (source, target),
            false => (target, source),
        };
        (here == near && (self.loops || there != near)).then_some(there)
    }
}

/// The steps of each node after the first.
pub(super) type Steps<'a> = Vec<Vec<Step<'a>>>;

impl Figure {
    /// The figure for each choice of a way where a link may be walked either way: what is found of one is not found
    /// of another, since a loop is walked out only.
    pub(super) fn turns<'a>(&self, ground: &Ground<'a>) -> Vec<Steps<'a>> {
        let mut all: Vec<Steps<'a>> = vec![Vec::new()];
        for links in &self.nodes {
            all.iter_mut().for_each(|steps| steps.push(Vec::new()));
            for link in links {
                let [out, into] = ground.rows_of(link.types);
                let step = |rows, outgoing, loops| Step {
                    from: link.from,
                    rows,
                    outgoing,
                    loops,
                    apart: link.apart.clone(),
                };
                let ways = match link.direction {
                    Direction::Outgoing => vec![step(out, true, true)],
                    Direction::Incoming => vec![step(into, false, true)],
                    Direction::Both => vec![step(out, true, true), step(into, false, false)],
                };
                let more = all.iter().flat_map(|steps| {
                    ways.iter().map(|way| {
                        let mut steps = steps.clone();
                        if let Some(last) = steps.last_mut() {
                            last.push(way.clone());
                        }
                        steps
                    })
                });
                all = more.collect();
            }
        }
        all
    }

    /// Which way the rows of some types are walked for a link: out, in, and whether loops count on the way in.
    pub(super) fn ways(direction: Direction) -> &'static [(bool, bool)] {
        match direction {
            Direction::Outgoing => &[(true, true)],
            Direction::Incoming => &[(false, true)],
            Direction::Both => &[(true, true), (false, false)],
        }
    }
}
