//! Along relationships: to neighbours, and up to the roots.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{Direction, NodeId, Read};

use super::{Desk, Item, RetrieveError};

/// The most steps of a walk in a pipeline: each item tells its whole way, so that those of a long chain grow with the square
/// of its length.
pub(super) const MOST_STEPS: usize = 64;

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

/// Which way relationships are followed, seen from what a walk stands at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Facing {
    /// Those that leave it: of facts, those that it is the subject of.
    Out,
    /// Those that reach it.
    In,
    /// All of them.
    #[default]
    Both,
}

impl Facing {
    fn direction(self) -> Direction {
        match self {
            Self::Out => Direction::Outgoing,
            Self::In => Direction::Incoming,
            Self::Both => Direction::Both,
        }
    }

    fn is_usual(&self) -> bool {
        *self == Self::default()
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
///
/// ```
/// use stratigraph_rag::retrieve::{Along, Expand, Facing};
///
/// let objects = Expand::new(Along::Facts).facing(Facing::Out);
/// assert_eq!(objects, serde_json::from_str(r#"{"along": "facts", "direction": "out"}"#).unwrap());
/// // Of tables there are other relationships, by the names that their mappings give them.
/// let clauses = Expand::of_types(["QUALIFIED_BY"]);
/// assert_eq!(clauses, serde_json::from_str(r#"{"types": ["QUALIFIED_BY"]}"#).unwrap());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Expand {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    along: Option<Along>,
    /// More types, as the graph calls them; without any, and without `along`, all that there are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    types: Vec<String>,
    #[serde(default, skip_serializing_if = "Facing::is_usual")]
    direction: Facing,
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
    /// One step either way, at most 10,000 neighbours of one node and altogether.
    pub fn new(along: Along) -> Self {
        Self {
            along: Some(along),
            ..Self::of_types::<String>([])
        }
    }

    /// The same along relationships of these types, or of any if none is named.
    pub fn of_types<T: Into<String>>(types: impl IntoIterator<Item = T>) -> Self {
        Self {
            along: None,
            types: types.into_iter().map(Into::into).collect(),
            direction: Facing::default(),
            steps: one(),
            emit: Emit::Nodes,
            per_node: many(),
            k: many(),
        }
    }

    /// Only those relationships that lead this way.
    pub fn facing(mut self, direction: Facing) -> Self {
        self.direction = direction;
        self
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

    /// Whether it goes more steps than a pipeline may.
    pub(super) fn is_too_far(&self) -> bool {
        self.steps > MOST_STEPS
    }

    /// The types that it follows, one after the other: of those that are named the ones that there are, each once, as a
    /// pipeline may name any number. Nothing stands for all.
    fn followed<R: Read>(&self, read: &R) -> Vec<Option<Cow<'static, str>>> {
        if self.along.is_none() && self.types.is_empty() {
            return vec![None];
        }
        let known = self.along.iter().map(|along| Cow::Borrowed(along.name()));
        let named = self.types.iter().map(|name| Cow::Owned(name.clone()));
        let all: BTreeSet<Cow<'static, str>> = known.chain(named).collect();
        let types = &read.catalog().types;
        let there = all.into_iter().filter(|name| types.id(name).is_some());
        there.map(Some).collect()
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
        let (types, direction) = (self.followed(desk.read()), self.direction.direction());
        let mut seen: HashSet<Entity> = from.iter().map(|item| item.entity).collect();
        let mut found = Vec::new();
        let mut edge: Vec<Item> = from.to_vec();
        'walk: for _ in 0..self.steps {
            let mut next = Vec::new();
            for item in &edge {
                let Entity::Node(node) = item.entity else {
                    continue;
                };
                let mut room = self.per_node;
                for kind in &types {
                    let neighbours = desk.read().neighbours(node, direction, kind.as_deref())?;
                    for neighbour in neighbours.take(room) {
                        let neighbour = neighbour?;
                        room -= 1;
                        let by = || match kind {
                            Some(name) => name.clone(),
                            None => {
                                let names = &desk.read().catalog().types;
                                Cow::Owned(names.show(neighbour.relationship_type))
                            }
                        };
                        let followed = Entity::from(neighbour.relationship);
                        if self.emit == Emit::Relationships && seen.insert(followed) {
                            found.push(item.step(by(), followed));
                        }
                        if seen.insert(neighbour.node.into()) {
                            let there = item.step(by(), neighbour.node);
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
