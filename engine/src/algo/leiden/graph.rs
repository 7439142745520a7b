//! The shape of the input: a borrowed undirected graph, and the part of one that a list of nodes
//! induces.
//!
//! Everything is checked once, when the view is made, so that the stages below may index. Only
//! symmetry is taken on trust in release builds, because checking it costs about as much as a pass;
//! a graph that breaks it gives poor communities, and never a panic or a search without end. A
//! projection says itself whether it is symmetric, so [`Undirected::of`] never has to trust.
//!
//! Next: `level.rs`, which turns the view into the graph that the stages work on.

use super::LeidenError;
use crate::algo::Projection;
use std::ops::Range;

/// An undirected weighted graph as rows of neighbours, borrowed.
///
/// The neighbours of node `v` are `targets[offsets[v]..offsets[v + 1]]`, in any order. An edge
/// between two nodes stands in both rows with the same weight; a loop stands once in its row for
/// each time it exists. Edges may be parallel: their weights add up. An edge of weight 0 is no edge.
#[derive(Debug, Clone, Copy)]
pub struct Undirected<'a> {
    pub(super) offsets: &'a [u32],
    pub(super) targets: &'a [u32],
    pub(super) weights: Option<&'a [f32]>,
}

/// The most nodes a graph may have: node numbers and counts both fit 32 bits.
const MAX_NODES: usize = u32::MAX as usize - 1;

impl<'a> Undirected<'a> {
    /// A view of rows; every edge weighs 1 where there are no `weights`.
    ///
    /// Debug builds also check that the rows are symmetric ([`Self::check_symmetric`]).
    ///
    /// # Errors
    ///
    /// The [`LeidenError`] that names the first offset, target or weight that does not fit.
    pub fn new(
        offsets: &'a [u32],
        targets: &'a [u32],
        weights: Option<&'a [f32]>,
    ) -> Result<Self, LeidenError> {
        check_offsets(offsets, targets.len())?;
        let nodes = offsets.len() - 1;
        if nodes > MAX_NODES {
            return Err(LeidenError::TooManyNodes {
                nodes,
                limit: MAX_NODES,
            });
        }
        if let Some(entry) = targets.iter().position(|&target| target as usize >= nodes) {
            return Err(LeidenError::Target {
                entry,
                target: targets[entry],
                nodes,
            });
        }
        if let Some(weights) = weights {
            if weights.len() != targets.len() {
                return Err(LeidenError::WeightCount {
                    weights: weights.len(),
                    targets: targets.len(),
                });
            }
            let fits = |weight: f32| weight.is_finite() && weight >= 0.0;
            if let Some(entry) = weights.iter().position(|&weight| !fits(weight)) {
                return Err(LeidenError::Weight {
                    entry,
                    weight: weights[entry],
                });
            }
        }
        let graph = Self {
            offsets,
            targets,
            weights,
        };
        if cfg!(debug_assertions) {
            graph.check_symmetric()?;
        }
        Ok(graph)
    }

    /// A view of a projection, whose edges weigh what it keeps as their weights, or else 1.
    ///
    /// ```
    /// use stratigraph::algo::leiden::{LeidenOptions, Undirected, leiden};
    /// use stratigraph::algo::snapshot::Selection;
    /// use stratigraph::storage::cancel::Watch;
    /// use stratigraph::{Database, NO_PROPERTIES};
    ///
    /// let db = Database::in_memory()?;
    /// let mut txn = db.write()?;
    /// let ann = txn.create_node(["Person"], [("name", "Ann")])?;
    /// let bob = txn.create_node(["Person"], [("name", "Bob")])?;
    /// txn.create_relationship(ann, "KNOWS", bob, NO_PROPERTIES)?;
    /// txn.commit()?;
    ///
    /// let graph = db.read()?.project(&Selection::all().undirected())?;
    /// let mut watch = Watch::quiet();
    /// let found = leiden(&Undirected::of(&graph)?, &LeidenOptions::default(), &mut watch)?;
    /// assert_eq!(found.best().community, [0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LeidenError::Directed`] if it is not undirected.
    pub fn of(projection: &'a Projection) -> Result<Self, LeidenError> {
        if !projection.is_undirected() {
            return Err(LeidenError::Directed);
        }
        // Everything else that `new` checks is so in any projection.
        let rows = projection.outgoing();
        let graph = Self {
            offsets: rows.offsets(),
            targets: rows.targets(),
            weights: rows.all_weights(),
        };
        debug_assert!(graph.check_symmetric().is_ok());
        Ok(graph)
    }

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(super) fn weights(&self) -> Option<&'a [f32]> {
        self.weights
    }

    pub(super) fn row(&self, node: usize) -> Range<usize> {
        self.offsets[node] as usize..self.offsets[node + 1] as usize
    }

    fn weight(&self, entry: usize) -> f32 {
        self.weights.map_or(1.0, |weights| weights[entry])
    }

    /// Whether every edge stands in both rows with the same weight.
    ///
    /// # Errors
    ///
    /// [`LeidenError::NotSymmetric`] with the first pair of nodes whose rows disagree.
    pub fn check_symmetric(&self) -> Result<(), LeidenError> {
        // The rows of the reversed graph, filled in the order of the sources.
        let mut ends: Vec<u32> = vec![0; self.offsets.len()];
        for &target in self.targets {
            ends[target as usize + 1] += 1;
        }
        for node in 0..self.nodes() {
            ends[node + 1] += ends[node];
        }
        let mut next = ends.clone();
        let mut reversed = vec![(0u32, 0.0f32); self.targets.len()];
        for node in 0..self.nodes() {
            for entry in self.row(node) {
                let place = &mut next[self.targets[entry] as usize];
                reversed[*place as usize] = (node as u32, self.weight(entry));
                *place += 1;
            }
        }
        let order = |a: &(u32, f32), b: &(u32, f32)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
        let mut row = Vec::new();
        for node in 0..self.nodes() {
            row.clear();
            row.extend(
                self.row(node)
                    .map(|entry| (self.targets[entry], self.weight(entry))),
            );
            row.sort_unstable_by(order);
            let back = &mut reversed[ends[node] as usize..ends[node + 1] as usize];
            back.sort_unstable_by(order);
            let same = row.iter().zip(&*back).position(|(a, b)| a != b);
            let at = same.unwrap_or(row.len().min(back.len()));
            let (here, there) = (row.get(at), back.get(at));
            // The smaller of the two is the one that the other row lacks.
            if let Some(&(to, _)) = [here, there].into_iter().flatten().min_by_key(|end| end.0) {
                return Err(LeidenError::NotSymmetric {
                    from: node as u32,
                    to,
                });
            }
        }
        Ok(())
    }
}

fn check_offsets(offsets: &[u32], targets: usize) -> Result<(), LeidenError> {
    let bad = |at| Err(LeidenError::Offsets { at, targets });
    if offsets.first() != Some(&0) {
        return bad(0);
    }
    if let Some(at) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
        return bad(at + 1);
    }
    if offsets.last() != u32::try_from(targets).ok().as_ref() {
        return bad(offsets.len() - 1);
    }
    Ok(())
}

/// The part of a graph that some of its nodes induce: those nodes, and the edges among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Subgraph {
    offsets: Vec<u32>,
    targets: Vec<u32>,
    weights: Option<Vec<f32>>,
}

impl Subgraph {
    /// The part that `nodes` induce. Node `i` of it is node `nodes[i]` of `graph`.
    ///
    /// ```
    /// use stratigraph::algo::leiden::{Subgraph, Undirected};
    ///
    /// // The path 0-1-2-3 without its middle edge.
    /// let path = Undirected::new(&[0, 1, 3, 5, 6], &[1, 0, 2, 1, 3, 2], None)?;
    /// let ends = Subgraph::induced(&path, &[3, 0, 1])?;
    /// assert_eq!(ends.view().nodes(), 3);
    /// # Ok::<(), stratigraph::algo::leiden::LeidenError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LeidenError::UnknownNode`] or [`LeidenError::RepeatedNode`] for a list that does not fit.
    pub fn induced(graph: &Undirected<'_>, nodes: &[u32]) -> Result<Self, LeidenError> {
        const ABSENT: u32 = u32::MAX;
        let mut places = vec![ABSENT; graph.nodes()];
        for (place, &node) in nodes.iter().enumerate() {
            match places.get_mut(node as usize) {
                Some(free) if *free == ABSENT => *free = place as u32,
                Some(_) => return Err(LeidenError::RepeatedNode { place, node }),
                None => {
                    return Err(LeidenError::UnknownNode {
                        place,
                        node,
                        nodes: graph.nodes(),
                    });
                }
            }
        }
        let mut part = Self {
            offsets: Vec::with_capacity(nodes.len() + 1),
            targets: Vec::new(),
            weights: graph.weights.map(|_| Vec::new()),
        };
        part.offsets.push(0);
        for &node in nodes {
            for entry in graph.row(node as usize) {
                let place = places[graph.targets[entry] as usize];
                if place != ABSENT {
                    part.targets.push(place);
                    if let Some(weights) = &mut part.weights {
                        weights.push(graph.weight(entry));
                    }
                }
            }
            part.offsets.push(part.targets.len() as u32);
        }
        Ok(part)
    }

    /// The part as a graph of its own.
    #[must_use]
    pub fn view(&self) -> Undirected<'_> {
        Undirected {
            offsets: &self.offsets,
            targets: &self.targets,
            weights: self.weights.as_deref(),
        }
    }
}
