//! The walk itself, by forward push (Andersen, Chung and Lang, "Local Graph Partitioning using `PageRank` Vectors",
//! 2006): each node has a share that stays and one that waits. Whoever is pushed keeps of what waits the part that
//! begins anew, and hands the rest to its neighbours. Together the shares are always 1, and what has stayed differs
//! from the true visits of a node by at most `least` for each relationship that it has.
//!
//! Rounds go from the largest share to the smallest and by ids among equals, so that the answer does not depend on
//! how anything is stored.

use std::collections::HashMap;
use std::ops::Range;

use roaring::RoaringTreemap;
use stratigraph::{Direction, NodeId, Read};

use super::super::{Along, Item, RetrieveError};
use super::Walked;

/// Without bounds a walk ends when so little waits altogether.
const NOTHING: f64 = 1e-10;

/// How far a walk goes.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) damping: f64,
    /// 0 for no bound.
    pub(super) least: f64,
    pub(super) most: u64,
}

/// A node that the walk came to.
struct Place {
    id: NodeId,
    stays: f64,
    waits: f64,
    /// Whether it is in the next round already.
    is_next: bool,
    /// How many relationships it has, once somebody asked.
    degree: Option<u64>,
    /// Where its neighbours are, once they were read.
    row: Option<Range<usize>>,
    /// Who handed something to it first, and along what; nothing where the walk begins.
    came: Option<(usize, &'static str)>,
}

/// What a walk knows of the graph.
pub(super) struct Walk<'a, R> {
    read: &'a R,
    along: &'a [Along],
    closed: &'a RoaringTreemap,
    nodes: Vec<Place>,
    places: HashMap<NodeId, usize>,
    /// The neighbours of all nodes that were pushed.
    rows: Vec<usize>,
    next: Vec<usize>,
    walked: Walked,
}

impl<'a, R: Read> Walk<'a, R> {
    /// A walk that comes to no closed node.
    pub(super) fn new(read: &'a R, along: &'a [Along], closed: &'a RoaringTreemap) -> Self {
        Self {
            read,
            along,
            closed,
            nodes: Vec::new(),
            places: HashMap::new(),
            rows: Vec::new(),
            next: Vec::new(),
            walked: Walked::default(),
        }
    }

    /// Begins at these nodes, and walks as far as it is worth it.
    pub(super) fn run(
        &mut self,
        seeds: &[(Item, f64)],
        bounds: Bounds,
    ) -> Result<(), RetrieveError> {
        let mut begin = Vec::with_capacity(seeds.len());
        for (item, share) in seeds {
            let place = self.place(NodeId::new(item.entity.number()), None);
            self.give(place, *share);
            begin.push((place, *share));
        }
        loop {
            let mut round = std::mem::take(&mut self.next);
            for place in &round {
                self.nodes[*place].is_next = false;
            }
            if bounds.least == 0.0 {
                let waits: f64 = self.nodes.iter().map(|node| node.waits).sum();
                if waits < NOTHING {
                    break;
                }
            }
            round.retain(|place| self.nodes[*place].waits > bounds.least);
            if round.is_empty() {
                break;
            }
            round.sort_by(|one, other| {
                let (one, other) = (&self.nodes[*one], &self.nodes[*other]);
                other
                    .waits
                    .total_cmp(&one.waits)
                    .then(one.id.cmp(&other.id))
            });
            for place in round {
                self.push(place, &begin, bounds)?;
            }
        }
        if self.walked.pushes == 0 {
            // What everybody names is worth nothing to each of them, but here there is nothing else.
            for (place, _) in &begin {
                self.push(
                    *place,
                    &begin,
                    Bounds {
                        least: 0.0,
                        ..bounds
                    },
                )?;
            }
        }
        self.walked.nodes = self.nodes.len() as u64;
        self.walked.left = self.nodes.iter().map(|node| node.waits).sum();
        Ok(())
    }

    fn push(
        &mut self,
        place: usize,
        begin: &[(usize, f64)],
        bounds: Bounds,
    ) -> Result<(), RetrieveError> {
        let degree = self.degree(place)?;
        let waits = self.nodes[place].waits;
        if waits <= bounds.least * degree as f64 {
            return Ok(());
        }
        if self.walked.edges.saturating_add(degree) > bounds.most {
            self.walked.is_cut = true;
            return Ok(());
        }
        let row = self.row(place)?;
        self.walked.pushes += 1;
        self.walked.edges += row.len() as u64;
        let node = &mut self.nodes[place];
        node.waits = 0.0;
        node.stays += (1.0 - bounds.damping) * waits;
        let goes_on = bounds.damping * waits;
        if row.is_empty() {
            // Nobody gets stuck: he begins anew.
            for (place, share) in begin {
                self.give(*place, goes_on * share);
            }
            return Ok(());
        }
        let share = goes_on / row.len() as f64;
        for at in row {
            self.give(self.rows[at], share);
        }
        Ok(())
    }

    fn give(&mut self, place: usize, share: f64) {
        let node = &mut self.nodes[place];
        node.waits += share;
        if !node.is_next {
            node.is_next = true;
            self.next.push(place);
        }
    }

    fn place(&mut self, id: NodeId, came: Option<(usize, &'static str)>) -> usize {
        let nodes = &mut self.nodes;
        *self.places.entry(id).or_insert_with(|| {
            nodes.push(Place {
                id,
                stays: 0.0,
                waits: 0.0,
                is_next: false,
                degree: None,
                row: None,
                came,
            });
            nodes.len() - 1
        })
    }

    /// How many relationships a node has, without reading them.
    fn degree(&mut self, place: usize) -> Result<u64, RetrieveError> {
        if let Some(degree) = self.nodes[place].degree {
            return Ok(degree);
        }
        let id = self.nodes[place].id;
        let mut degree = 0;
        for along in self.along {
            degree += self.read.degree(id, Direction::Both, Some(along.name()))?;
        }
        self.nodes[place].degree = Some(degree);
        Ok(degree)
    }

    /// The neighbours of a node: as often as there are relationships to them.
    fn row(&mut self, place: usize) -> Result<Range<usize>, RetrieveError> {
        if let Some(row) = &self.nodes[place].row {
            return Ok(row.clone());
        }
        let (read, id, start) = (self.read, self.nodes[place].id, self.rows.len());
        for along in self.along {
            let by = along.name();
            for neighbour in read.neighbours(id, Direction::Both, Some(by))? {
                let neighbour = neighbour?.node;
                if !self.closed.contains(neighbour.get()) {
                    let neighbour = self.place(neighbour, Some((place, by)));
                    self.rows.push(neighbour);
                }
            }
        }
        let row = start..self.rows.len();
        self.nodes[place].row = Some(row.clone());
        Ok(row)
    }

    /// The shares of all nodes that were come to: what stays, and what would of what waits.
    pub(super) fn visits(&self, damping: f64) -> Vec<(NodeId, f32)> {
        let share = |node: &Place| node.stays + (1.0 - damping) * node.waits;
        let nodes = self.nodes.iter();
        nodes.map(|node| (node.id, share(node) as f32)).collect()
    }

    /// How a node was come to first.
    pub(super) fn way_to(&self, id: NodeId, seeds: &[(Item, f64)]) -> Item {
        let mut steps = Vec::new();
        let mut at = self.places[&id];
        while let Some((from, by)) = self.nodes[at].came {
            steps.push((at, by));
            at = from;
        }
        // Only where the walk begins nobody came from anywhere, and seeds were placed first.
        let mut item = seeds[at].0.clone();
        for (to, by) in steps.into_iter().rev() {
            item = item.step(by, self.nodes[to].id);
        }
        item
    }

    pub(super) fn walked(&self) -> Walked {
        self.walked
    }
}
