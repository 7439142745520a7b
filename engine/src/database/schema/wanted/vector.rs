//! A vector index to be created.

use super::Head;
use crate::error::{Error, Result};
use std::collections::HashSet;
use stratigraph_vector::{Coding, IndexError, Metric, Settings};

/// As many filters as an index may have.
const MOST_FILTERS: usize = 16;

/// A vector index to be created.
///
/// ```
/// use stratigraph::{Database, Metric, VectorIndex};
///
/// let db = Database::in_memory()?;
/// let chunks = VectorIndex::on_nodes("Chunk", "embedding", 384).filterable(["year"]);
/// db.create_vector_index(chunks.named("chunks"))?;
/// db.create_vector_index(VectorIndex::on_any_relationship("embedding", 8).metric(Metric::Dot))?;
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "it is only described until `Database::create_vector_index` creates it"]
pub struct VectorIndex {
    pub(in crate::database::schema) head: Head,
    pub(in crate::database::schema) property: String,
    pub(in crate::database::schema) dimensions: usize,
    pub(in crate::database::schema) metric: Metric,
    pub(in crate::database::schema) coding: Coding,
    pub(in crate::database::schema) links: usize,
    pub(in crate::database::schema) breadth: usize,
    /// No property twice: each gets an index that is named after it.
    pub(in crate::database::schema) filters: Vec<String>,
}

impl VectorIndex {
    /// On the vectors that nodes with a label have as a property.
    pub fn on_nodes(
        label: impl Into<String>,
        property: impl Into<String>,
        dimensions: usize,
    ) -> Self {
        Self::on(Head::nodes(label), property, dimensions)
    }

    /// On the vectors that relationships of a type have as a property.
    pub fn on_relationships(
        relationship_type: impl Into<String>,
        property: impl Into<String>,
        dimensions: usize,
    ) -> Self {
        Self::on(Head::relationships(relationship_type), property, dimensions)
    }

    /// On the vectors that any nodes have as a property.
    pub fn on_any_node(property: impl Into<String>, dimensions: usize) -> Self {
        Self::on(Head::any_node(), property, dimensions)
    }

    /// On the vectors that any relationships have as a property.
    pub fn on_any_relationship(property: impl Into<String>, dimensions: usize) -> Self {
        Self::on(Head::any_relationship(), property, dimensions)
    }

    fn on(head: Head, property: impl Into<String>, dimensions: usize) -> Self {
        Self {
            head,
            property: property.into(),
            dimensions,
            metric: Metric::Cosine,
            coding: Coding::best_for(dimensions),
            links: 16,
            breadth: 128,
            filters: Vec::new(),
        }
    }

    /// How vectors are compared; by their cosine if nothing is said.
    pub fn metric(mut self, metric: Metric) -> Self {
        self.metric = metric;
        self
    }

    /// What walks read of a vector; the default depends on the dimensions. The vectors themselves stay as they
    /// are.
    pub fn coding(mut self, coding: Coding) -> Self {
        self.coding = coding;
        self
    }

    /// How many links a vector begins with, known as M; 16 if nothing is said.
    pub fn links(mut self, links: usize) -> Self {
        self.links = links;
        self
    }

    /// From how many near ones they are chosen, known as `ef_construction`; 128 if nothing is said.
    pub fn breadth(mut self, breadth: usize) -> Self {
        self.breadth = breadth;
        self
    }

    /// The properties that searches may be limited by. Each gets a property index, unless one is ready, which cannot be
    /// dropped then before this one; a property that is named twice counts once.
    pub fn filterable<P: Into<String>>(mut self, properties: impl IntoIterator<Item = P>) -> Self {
        let mut seen = HashSet::new();
        self.filters = properties.into_iter().map(Into::into).collect();
        self.filters.retain(|name| seen.insert(name.clone()));
        self
    }

    head! {
        /// Gives it a name. Otherwise it gets one made of what it is on.
        named
        /// Leaves everything as it is if there is one of that name, or on the same property.
        if_missing
    }

    /// Whether there can be such an index.
    pub(in crate::database::schema) fn check(&self) -> Result<()> {
        // The limits are those of the index, and so are the words.
        let settings = Settings::new(self.dimensions, self.metric)
            .coding(self.coding)
            .links(self.links)
            .breadth(self.breadth)
            .memory_limit(0);
        match settings.build() {
            Err(source @ IndexError::BadSetting { .. }) => Err(Error::VectorIndex {
                index: self.head.name().unwrap_or(&self.property).into(),
                source: Box::new(source),
            }),
            _ if self.filters.len() > MOST_FILTERS => Err(Error::BadDeclaration {
                what: "vector index",
                reason: "it is to be filtered by more than 16 properties",
            }),
            _ => Ok(()),
        }
    }
}
