//! The candidates of a level: arrivals as they come in, then sorted and grouped by node.
//!
//! Columns, because a level may have millions. Where nobody asks for arrivals, only the nodes are
//! held; where each node was reached once and in ascending order, as in a tree, nothing is sorted.

use super::order;
use super::scorer::{ArrivalView, Candidates};
use super::steps::{Arrival, Hop};
use crate::value::{NodeId, RelationshipId};
use std::ops::Range;

/// The ways of a level: entry by entry a parent, a relationship, and what lay between.
#[derive(Clone, Debug, Default)]
pub(super) struct ArrivalColumns {
    parents: Vec<NodeId>,
    relationships: Vec<RelationshipId>,
    via: Vec<Hop>,
    /// Where each entry's hops end; empty as long as there are none.
    via_ends: Vec<usize>,
}

impl ArrivalColumns {
    /// Adds a way behind the others.
    #[inline]
    pub(super) fn push(&mut self, arrival: ArrivalView<'_>) {
        if !arrival.via.is_empty() || !self.via_ends.is_empty() {
            self.via_ends.resize(self.parents.len(), self.via.len());
            self.via.extend_from_slice(arrival.via);
            self.via_ends.push(self.via.len());
        }
        self.parents.push(arrival.parent);
        self.relationships.push(arrival.relationship);
    }

    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// One way.
    #[inline]
    pub(super) fn get(&self, entry: usize) -> Option<ArrivalView<'_>> {
        let via = if self.via_ends.is_empty() {
            &[]
        } else {
            let end = self.via_ends.get(entry).copied().unwrap_or(self.via.len());
            let start = match entry.checked_sub(1) {
                Some(before) => self.via_ends.get(before).copied().unwrap_or(end),
                None => 0,
            };
            self.via.get(start..end).unwrap_or_default()
        };
        Some(ArrivalView {
            parent: *self.parents.get(entry)?,
            via,
            relationship: *self.relationships.get(entry)?,
        })
    }

    /// The order among ways that score the same: by parent, then by all relationships.
    fn compare(&self, left: usize, right: usize) -> std::cmp::Ordering {
        let key = |entry| {
            self.get(entry).map(|way| {
                let relationships = way.via.iter().map(|hop| hop.relationship);
                (way.parent, relationships, way.relationship)
            })
        };
        match (key(left), key(right)) {
            (Some(left), Some(right)) => (left.0)
                .cmp(&right.0)
                .then_with(|| left.1.cmp(right.1))
                .then_with(|| left.2.cmp(&right.2)),
            (left, right) => left.is_some().cmp(&right.is_some()),
        }
    }
}

/// The arrivals of one level while they come in.
#[derive(Debug)]
pub(super) struct Gathering {
    nodes: Vec<NodeId>,
    arrivals: Option<ArrivalColumns>,
    ascending: bool,
}

impl Gathering {
    /// Gathers nodes, and the ways to them if they are wanted.
    pub(super) fn new(with_arrivals: bool) -> Self {
        Self {
            nodes: Vec::new(),
            arrivals: with_arrivals.then(ArrivalColumns::default),
            ascending: true,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, arrival: Arrival<'_>) {
        self.ascending &= self.nodes.last().is_none_or(|last| *last < arrival.node);
        self.nodes.push(arrival.node);
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.push(ArrivalView {
                parent: arrival.parent,
                via: arrival.via,
                relationship: arrival.relationship,
            });
        }
    }

    /// Sorts and groups by node; within a node by parent and relationships.
    pub(super) fn group(mut self) -> Group {
        let Some(arrivals) = self.arrivals.take() else {
            order::sort_distinct(&mut self.nodes);
            return Group::of_nodes(self.nodes);
        };
        if self.ascending {
            return Group {
                nodes: self.nodes,
                arrivals: Some(arrivals),
                grouping: None,
            };
        }
        let mut entries: Vec<(NodeId, usize)> = self.nodes.iter().copied().zip(0..).collect();
        order::sort_by_key(&mut entries, |(node, _)| node.get());
        let mut sorted = ArrivalColumns::default();
        let mut grouping = Grouping::default();
        let mut nodes = Vec::new();
        for run in entries.chunk_by_mut(|left, right| left.0 == right.0) {
            run.sort_unstable_by(|left, right| arrivals.compare(left.1, right.1));
            for (node, entry) in run.iter() {
                if let Some(way) = arrivals.get(*entry) {
                    sorted.push(way);
                    grouping.nodes.push(*node);
                }
            }
            if let Some((node, _)) = run.first() {
                nodes.push(*node);
                grouping.ends.push(sorted.len());
            }
        }
        Group {
            nodes,
            arrivals: Some(sorted),
            grouping: Some(grouping),
        }
    }
}

/// How entries belong to nodes where some node has several.
#[derive(Debug, Default)]
struct Grouping {
    /// The node of each entry.
    nodes: Vec<NodeId>,
    /// Where the entries of each node end.
    ends: Vec<usize>,
}

/// The candidates of a level: distinct nodes in ascending order, each with its ways.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) nodes: Vec<NodeId>,
    arrivals: Option<ArrivalColumns>,
    /// Nothing if each node has exactly one entry.
    grouping: Option<Grouping>,
}

impl Group {
    /// Candidates without ways: roots, or where nobody asks.
    pub(super) fn of_nodes(nodes: Vec<NodeId>) -> Self {
        Self {
            nodes,
            arrivals: None,
            grouping: None,
        }
    }

    /// Which entries belong to a candidate; without ways there is none.
    #[inline]
    pub(super) fn entries(&self, candidate: usize) -> Range<usize> {
        if self.arrivals.is_none() {
            return 0..0;
        }
        match &self.grouping {
            None => candidate..candidate + 1,
            Some(grouping) => {
                let end = grouping.ends.get(candidate).copied().unwrap_or(0);
                let start = match candidate.checked_sub(1) {
                    Some(before) => grouping.ends.get(before).copied().unwrap_or(0),
                    None => 0,
                };
                start..end
            }
        }
    }

    /// Whether the ways are known; for roots they never are.
    pub(super) fn has_arrivals(&self) -> bool {
        self.arrivals.is_some()
    }

    pub(super) fn arrival(&self, entry: usize) -> Option<ArrivalView<'_>> {
        self.arrivals.as_ref()?.get(entry)
    }

    /// What a scorer is asked about: one entry per node, or one per way.
    pub(super) fn candidates(&self, per_arrival: bool) -> Candidates<'_> {
        match (&self.grouping, &self.arrivals) {
            (Some(grouping), Some(_)) if per_arrival => Candidates {
                nodes: &grouping.nodes,
                arrivals: self.arrivals.as_ref(),
            },
            _ => Candidates {
                nodes: &self.nodes,
                arrivals: self.arrivals.as_ref().filter(|_| per_arrival),
            },
        }
    }
}
