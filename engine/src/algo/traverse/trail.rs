//! The `path` column: how each admitted node was reached, level by level.
//!
//! A node's best arrival names its parent, and the parent was admitted one level earlier. So a path
//! is made only when a row is asked for it, by going back level by level.

use super::arrivals::ArrivalColumns;
use super::scorer::ArrivalView;
use crate::value::{NodeId, RelationshipId};

/// A way through the graph: nodes, and the relationships between them (one fewer).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The nodes, from the root or the recovered node to the row's own.
    pub nodes: Vec<NodeId>,
    /// The relationships between them.
    pub relationships: Vec<RelationshipId>,
}

/// Who was admitted on one level, ascending, and by which way.
#[derive(Clone, Debug, Default)]
pub(super) struct TrailLevel {
    nodes: Vec<NodeId>,
    ways: ArrivalColumns,
    /// Per node the place of its way; nothing for one that starts its own path.
    places: Vec<Option<usize>>,
}

impl TrailLevel {
    pub(super) fn push(&mut self, node: NodeId, way: Option<ArrivalView<'_>>) {
        self.nodes.push(node);
        self.places.push(way.map(|way| {
            self.ways.push(way);
            self.ways.len() - 1
        }));
    }

    fn way(&self, node: NodeId) -> Option<ArrivalView<'_>> {
        let at = self.nodes.binary_search(&node).ok()?;
        self.ways.get((*self.places.get(at)?)?)
    }
}

/// All levels so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Trail {
    pub(super) levels: Vec<TrailLevel>,
}

impl Trail {
    /// The path to a candidate of a level by this way.
    pub(super) fn path(&self, node: NodeId, level: u32, way: Option<ArrivalView<'_>>) -> Path {
        let mut path = Path {
            nodes: vec![node],
            relationships: Vec::new(),
        };
        let mut next = way;
        let mut level = level as usize;
        while let Some(way) = next {
            path.relationships.push(way.relationship);
            for hop in way.via.iter().rev() {
                path.nodes.push(hop.node);
                path.relationships.push(hop.relationship);
            }
            path.nodes.push(way.parent);
            let Some(before) = level.checked_sub(1) else {
                break;
            };
            level = before;
            next = (self.levels.get(level)).and_then(|level| level.way(way.parent));
        }
        path.nodes.reverse();
        path.relationships.reverse();
        path
    }
}
