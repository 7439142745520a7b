//! Nodes, relationships and paths as values of a query.
//!
//! While a query runs they are ids, so that sorting and grouping move few bytes. What leaves a query has
//! its labels and properties with it, as they were when its row was made: such a value can be kept and needs
//! no transaction. Order and equality are those of the ids.
//!
//! Next: `order.rs`.

use super::{NodeId, RelationshipId, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A node.
#[derive(Clone, Debug)]
pub struct NodeValue {
    id: NodeId,
    content: Option<Arc<NodeContent>>,
}

#[derive(Debug)]
struct NodeContent {
    labels: Vec<Arc<str>>,
    properties: BTreeMap<Arc<str>, Value>,
}

impl NodeValue {
    /// A node of which only the id is known.
    #[must_use]
    pub fn of(id: NodeId) -> Self {
        Self { id, content: None }
    }

    /// A node with its labels and properties.
    #[must_use]
    pub fn new(id: NodeId, labels: Vec<Arc<str>>, properties: BTreeMap<Arc<str>, Value>) -> Self {
        let content = Some(Arc::new(NodeContent { labels, properties }));
        Self { id, content }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// Its labels, in the order of their first use in the database.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        let labels = self.content.iter().flat_map(|content| &content.labels);
        labels.map(|label| &**label)
    }

    /// Its properties, by name.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.content.iter().flat_map(|content| &content.properties);
        properties.map(|(key, value)| (&**key, value))
    }

    /// How many share its content; `None` if there is nothing but its id.
    pub(super) fn shared_by(&self) -> Option<usize> {
        self.content.as_ref().map(Arc::strong_count)
    }

    /// The value of a property; `None` if it has none of that name.
    #[must_use]
    pub fn get(&self, property: &str) -> Option<&Value> {
        self.content.as_ref()?.properties.get(property)
    }
}

/// A relationship.
#[derive(Clone, Debug)]
pub struct RelationshipValue {
    id: RelationshipId,
    content: Option<Arc<RelationshipContent>>,
}

#[derive(Debug)]
struct RelationshipContent {
    relationship_type: Arc<str>,
    source: NodeId,
    target: NodeId,
    properties: BTreeMap<Arc<str>, Value>,
}

impl RelationshipValue {
    /// A relationship of which only the id is known.
    #[must_use]
    pub fn of(id: RelationshipId) -> Self {
        Self { id, content: None }
    }

    /// A relationship with its type, its ends and its properties.
    #[must_use]
    pub fn new(
        id: RelationshipId,
        relationship_type: Arc<str>,
        (source, target): (NodeId, NodeId),
        properties: BTreeMap<Arc<str>, Value>,
    ) -> Self {
        let content = RelationshipContent {
            relationship_type,
            source,
            target,
            properties,
        };
        Self {
            id,
            content: Some(Arc::new(content)),
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> RelationshipId {
        self.id
    }

    /// Its type; empty while a query runs.
    #[must_use]
    pub fn relationship_type(&self) -> &str {
        self.content
            .as_ref()
            .map_or("", |content| &content.relationship_type)
    }

    /// The nodes that it leaves and reaches; `None` while a query runs.
    #[must_use]
    pub fn ends(&self) -> Option<(NodeId, NodeId)> {
        let content = self.content.as_ref()?;
        Some((content.source, content.target))
    }

    /// Its properties, by name.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.content.iter().flat_map(|content| &content.properties);
        properties.map(|(key, value)| (&**key, value))
    }

    /// How many share its content; `None` if there is nothing but its id.
    pub(super) fn shared_by(&self) -> Option<usize> {
        self.content.as_ref().map(Arc::strong_count)
    }

    /// The value of a property; `None` if it has none of that name.
    #[must_use]
    pub fn get(&self, property: &str) -> Option<&Value> {
        self.content.as_ref()?.properties.get(property)
    }
}

/// A path: nodes, and between each and the next a relationship, which may lead either way.
#[derive(Clone, Debug)]
pub struct PathValue {
    nodes: Vec<NodeValue>,
    relationships: Vec<RelationshipValue>,
}

impl PathValue {
    /// A path of these; `None` unless there is one node more than relationships.
    #[must_use]
    pub fn new(nodes: Vec<NodeValue>, relationships: Vec<RelationshipValue>) -> Option<Self> {
        (nodes.len() == relationships.len() + 1).then_some(Self {
            nodes,
            relationships,
        })
    }

    /// Its nodes, in order; at least one.
    #[must_use]
    pub fn nodes(&self) -> &[NodeValue] {
        &self.nodes
    }

    /// Its relationships, in order.
    #[must_use]
    pub fn relationships(&self) -> &[RelationshipValue] {
        &self.relationships
    }

    /// The ids in turn: a node's, a relationship's, a node's.
    pub(super) fn ids(&self) -> impl Iterator<Item = u64> {
        let nodes = self.nodes.iter().map(|node| node.id.get());
        let relationships = self.relationships.iter().map(|one| Some(one.id.get()));
        let relationships = relationships.chain([None]);
        nodes
            .zip(relationships)
            .flat_map(|(node, relationship)| [Some(node), relationship])
            .flatten()
    }
}
