//! Along relationships: to neighbours, and up to the roots.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{Direction, NodeId, Read};

use super::{Desk, Item, RetrieveError};

/// Which relationships a walk follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Along {
    /// From a chunk to what it names, and back.
    Mentions,
    /// Facts.
    Facts,
    /// From an entity under one heading to others under it.
    Related,
    /// From a heading to what it names, and back.
    Instances,
    /// From what a heading names to what documents call so, and back.
    Refers,
    /// From a document to its headings, down to chunks, and back.
    Children,
    /// From a domain to what it covers, and back.
    Covers,
}

impl Along {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Mentions => "MENTIONS",
            Self::Facts => "FACT",
            Self::Related => "RELATED",
            Self::Instances => "HAS_INSTANCE",
            Self::Refers => "REFERS_TO",
            Self::Children => "HAS_CHILD",
            Self::Covers => "COVERS",
        }
    }
}

/// What a walk hands on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Emit {
    /// The nodes that it comes to, those that it began at not among them.
    #[default]
    Nodes,
    /// The relationships that it follows.
    Relationships,
}

/// What lies so many steps from what was found before. What comes first in the list before is first here, and what is
/// nearer is before what is farther.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Expand {
    along: Along,
    #[serde(default = "one")]
    steps: usize,
    #[serde(default)]
    emit: Emit,
    /// So many neighbours of one node: half of a graph may name the same.
    #[serde(default = "many")]
    per_node: usize,
    /// So many altogether.
    #[serde(default = "many")]
    k: usize,
}

fn one() -> usize {
    1
}

fn many() -> usize {
    10_000
}

impl Expand {
    /// One step, at most 10,000 neighbours of one node and altogether.
    pub fn new(along: Along) -> Self {
        Self {
            along,
            steps: one(),
            emit: Emit::Nodes,
            per_node: many(),
            k: many(),
        }
    }

    /// So many steps.
    pub fn steps(mut self, steps: usize) -> Self {
        self.steps = steps;
        self
    }

    /// Hands these on.
    pub fn emit(mut self, emit: Emit) -> Self {
        self.emit = emit;
        self
    }

    /// At most so many altogether.
    pub fn at_most(mut self, k: usize) -> Self {
        self.k = k;
        self
    }

    /// Walks.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        from: &[Item],
    ) -> Result<Vec<Item>, RetrieveError> {
        let by = self.along.name();
        let mut seen: HashSet<Entity> = from.iter().map(|item| item.entity).collect();
        let mut found = Vec::new();
        let mut edge: Vec<Item> = from.to_vec();
        'walk: for _ in 0..self.steps {
            let mut next = Vec::new();
            for item in &edge {
                let Entity::Node(node) = item.entity else {
                    continue;
                };
                let neighbours = desk.read().neighbours(node, Direction::Both, Some(by))?;
                for neighbour in neighbours.take(self.per_node) {
                    let neighbour = neighbour?;
                    let followed = Entity::from(neighbour.relationship);
                    if self.emit == Emit::Relationships && seen.insert(followed) {
                        found.push(item.step(by, followed));
                    }
                    if seen.insert(neighbour.node.into()) {
                        let there = item.step(by, neighbour.node);
                        if self.emit == Emit::Nodes {
                            found.push(there.clone());
                        }
                        next.push(there);
                    }
                    // Something that half of the graph speaks of has thousands of them.
                    if found.len() >= self.k {
                        break 'walk;
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            edge = next;
        }
        found.truncate(self.k);
        Ok(found)
    }
}

/// From domains up to their roots, as `TagRAG` does it: what was found before, then all that lies above it, the nearest
/// first and each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Ascend {}

impl Ascend {
    /// Climbs.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        from: &[Item],
    ) -> Result<Vec<Item>, RetrieveError> {
        let hierarchy = desk.read().hierarchy(crate::build::DOMAINS)?;
        let mut seen: HashSet<Entity> = from.iter().map(|item| item.entity).collect();
        let mut found = from.to_vec();
        let mut edge = from.to_vec();
        while !edge.is_empty() {
            let mut next: BTreeMap<NodeId, Item> = BTreeMap::new();
            for item in &edge {
                let Entity::Node(node) = item.entity else {
                    continue;
                };
                for parent in hierarchy.parents(node)? {
                    let parent = NodeId::new(parent);
                    if seen.insert(parent.into()) {
                        next.insert(parent, item.step("parent", parent));
                    }
                }
            }
            edge = next.into_values().collect();
            found.extend(edge.iter().cloned());
        }
        Ok(found)
    }
}
