//! Reading the graph: what a read and a write transaction have in common.

use super::Direction;
use super::adjacency::{self, Neighbour, Neighbours};
use super::entity::{Node, Relationship};
use super::hierarchy::Hierarchy;
use super::ids::Ids;
use super::keys::{Entity, Way};
use super::properties::Wanted;
use super::sets::SetId;
use super::viewed::Viewed;
use crate::catalog::{Catalog, Counter, PropertyId, Readiness, TypeId};
use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::index::property::Lookup;
use crate::index::text::{SearchOptions, TextAnswer, TextHit, TextSearch};
use crate::index::vector::{Place, VectorAnswer, VectorSearch};
use crate::index::{Fusion, HybridHit, fuse};
use crate::keys::KeyRead;
use crate::value::{NodeId, RelationshipId, Value, Vector};
use roaring::RoaringTreemap;
use std::borrow::Cow;
use std::sync::Arc;
use stratigraph_vector::Metric;

/// What can be read, in a [`ReadTxn`](super::ReadTxn) and in a [`WriteTxn`](super::WriteTxn) alike. A write
/// transaction sees its own changes.
///
/// Names that were never used are no error: nothing has such a label, type or property.
///
/// Every method fails with [`Error::Corruption`] or [`Error::Record`] where stored bytes are damaged,
/// and with [`Error::Cancelled`] or [`Error::TransactionExpired`] once the transaction is.
pub trait Read: Viewed {
    /// A node with its labels and all its properties.
    ///
    /// # Errors
    /// See [`Read`].
    fn node(&self, node: NodeId) -> Result<Option<Node>> {
        Node::read(&self.view(), node, Wanted::All)
    }

    /// A node with its labels and, of its properties, these: nothing else is read, which spares a long text or a vector.
    ///
    /// # Errors
    /// See [`Read`].
    fn node_with(&self, node: NodeId, properties: &[&str]) -> Result<Option<Node>> {
        let (view, wanted) = (self.view(), known(self.catalog(), properties));
        Node::read(&view, node, Wanted::These(&wanted))
    }

    /// Several nodes as [`node_with`](Self::node_with) gives each, in the order of their ids: one question to the
    /// store instead of as many.
    ///
    /// # Errors
    /// See [`Read`].
    fn nodes_with(&self, nodes: &[NodeId], properties: &[&str]) -> Result<Vec<Option<Node>>> {
        let (view, wanted) = (self.view(), known(self.catalog(), properties));
        Node::read_all(&view, nodes, Wanted::These(&wanted))
    }

    /// A relationship with its ends and all its properties.
    ///
    /// # Errors
    /// See [`Read`].
    fn relationship(&self, relationship: RelationshipId) -> Result<Option<Relationship>> {
        Relationship::read(&self.view(), relationship, Wanted::All)
    }

    /// A relationship with its ends and, of its properties, these: nothing else is read.
    ///
    /// # Errors
    /// See [`Read`].
    fn relationship_with(
        &self,
        relationship: RelationshipId,
        properties: &[&str],
    ) -> Result<Option<Relationship>> {
        let (view, wanted) = (self.view(), known(self.catalog(), properties));
        Relationship::read(&view, relationship, Wanted::These(&wanted))
    }

    /// Several relationships as [`relationship_with`](Self::relationship_with) gives each, in the order of their ids.
    ///
    /// # Errors
    /// See [`Read`].
    fn relationships_with(
        &self,
        relationships: &[RelationshipId],
        properties: &[&str],
    ) -> Result<Vec<Option<Relationship>>> {
        let (view, wanted) = (self.view(), known(self.catalog(), properties));
        Relationship::read_all(&view, relationships, Wanted::These(&wanted))
    }

    /// Whether a node or a relationship is there.
    ///
    /// # Errors
    /// See [`Read`].
    fn contains(&self, entity: impl Into<Entity>) -> Result<bool> {
        self.view().contains(entity.into())
    }

    /// One property, without reading the others; null if the entity has none of that name.
    ///
    /// # Errors
    /// [`Error::NodeNotFound`], [`Error::RelationshipNotFound`]; and see [`Read`].
    fn property(&self, entity: impl Into<Entity>, property: &str) -> Result<Value> {
        let (view, entity) = (self.view(), entity.into());
        let missing = || Error::entity_not_found(entity);
        match view.catalog().properties.id(property) {
            Some(id) => view.property(entity, id)?.ok_or_else(missing),
            None if view.contains(entity)? => Ok(Value::Null),
            None => Err(missing()),
        }
    }

    /// The vectors that some have as a property, in their order: records are not read, and there is none where
    /// something else is stored or nothing.
    ///
    /// # Errors
    /// See [`Read`].
    fn vectors_of(&self, entities: &[Entity], property: &str) -> Result<Vec<Option<Vector>>> {
        let view = self.view();
        match view.catalog().properties.id(property) {
            Some(id) => view.vectors(entities, id),
            None => Ok(vec![None; entities.len()]),
        }
    }

    /// Whether a node has a label, without reading the node.
    ///
    /// # Errors
    /// See [`Read`].
    fn has_label(&self, node: NodeId, label: &str) -> Result<bool> {
        let view = self.view();
        match view.catalog().labels.id(label) {
            Some(label) => view.set_contains(SetId::Label(label), node.get()),
            None => Ok(false),
        }
    }

    /// The ids of all nodes with a label.
    ///
    /// # Errors
    /// See [`Read`].
    fn nodes_with_label(&self, label: &str) -> Result<RoaringTreemap> {
        let view = self.view();
        match view.catalog().labels.id(label) {
            Some(label) => view.set(SetId::Label(label)),
            None => Ok(RoaringTreemap::new()),
        }
    }

    /// The ids of all relationships of a type.
    ///
    /// # Errors
    /// See [`Read`].
    fn relationships_of_type(&self, relationship_type: &str) -> Result<RoaringTreemap> {
        let view = self.view();
        match view.catalog().types.id(relationship_type) {
            Some(of) => view.set(SetId::Type(of)),
            None => Ok(RoaringTreemap::new()),
        }
    }

    /// The ids of all nodes, in order.
    ///
    /// # Errors
    /// See [`Read`].
    fn node_ids(&self) -> Result<Ids<'_, NodeId>> {
        Ids::new(self.view().keys)
    }

    /// The ids of all relationships, in order.
    ///
    /// # Errors
    /// See [`Read`].
    fn relationship_ids(&self) -> Result<Ids<'_, RelationshipId>> {
        Ids::new(self.view().keys)
    }

    /// The relationships of a node, of one type or of all: only ids are read.
    ///
    /// # Errors
    /// See [`Read`].
    fn neighbours(
        &self,
        node: NodeId,
        direction: Direction,
        relationship_type: Option<&str>,
    ) -> Result<Neighbours<'_, Self::Keys>> {
        let view = self.view();
        let types = self.types(relationship_type);
        view.neighbours(node, direction, types.as_deref())
    }

    /// The relationships that lead from one node to another, of one type or of all: nothing else is
    /// read of a node that has millions.
    ///
    /// ```
    /// use stratigraph::{Database, NO_PROPERTIES, Read};
    ///
    /// let db = Database::in_memory()?;
    /// let mut txn = db.write()?;
    /// let ann = txn.create_node(["Person"], [("name", "Ann")])?;
    /// let bob = txn.create_node(["Person"], [("name", "Bob")])?;
    /// let knows = txn.create_relationship(ann, "KNOWS", bob, NO_PROPERTIES)?;
    /// let mut found = txn.relationships_between(ann, bob, Some("KNOWS"))?;
    /// assert_eq!(found.next().transpose()?.map(|found| found.relationship), Some(knows));
    /// assert_eq!(txn.relationships_between(bob, ann, None)?.count(), 0);
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    ///
    /// # Errors
    /// See [`Read`].
    fn relationships_between(
        &self,
        source: NodeId,
        target: NodeId,
        relationship_type: Option<&str>,
    ) -> Result<Neighbours<'_, Self::Keys>> {
        let view = self.view();
        let types = match self.types(relationship_type) {
            Some(types) => types,
            None => {
                let degrees = view.degrees(Way::Out, source)?;
                degrees.into_iter().map(|(of, _)| of).collect()
            }
        };
        Ok(Neighbours::between(
            view.keys,
            source,
            target,
            types.into_iter(),
        ))
    }

    /// All nodes that are one step away from any node of a set.
    ///
    /// # Errors
    /// See [`Read`].
    fn neighbour_set(
        &self,
        nodes: &RoaringTreemap,
        direction: Direction,
        relationship_type: Option<&str>,
    ) -> Result<RoaringTreemap> {
        let (view, types) = (self.view(), self.types(relationship_type));
        let mut reached = RoaringTreemap::new();
        for way in direction.ways() {
            adjacency::neighbour_set(view.keys, nodes, *way, types.as_deref(), &mut reached)?;
        }
        Ok(reached)
    }

    /// The first relationships of each of some nodes, so many of each at most: what
    /// [`neighbours`](Self::neighbours) of each gives first, read with one cursor for each direction.
    ///
    /// # Errors
    /// See [`Read`].
    fn neighbours_of_each(
        &self,
        nodes: &[NodeId],
        direction: Direction,
        relationship_type: Option<&str>,
        most: usize,
    ) -> Result<Vec<Vec<Neighbour>>> {
        let (view, types) = (self.view(), self.types(relationship_type));
        adjacency::first_of_each(view.keys, nodes, direction, types.as_deref(), most)
    }

    /// Every step from a node of a set to another node, as both of them: what [`neighbours`](Self::neighbours) of each
    /// gives, read with one cursor. From a node to itself it is one step in each direction.
    ///
    /// # Errors
    /// See [`Read`].
    fn neighbour_pairs(
        &self,
        nodes: &RoaringTreemap,
        direction: Direction,
        relationship_type: Option<&str>,
    ) -> Result<Vec<(NodeId, NodeId)>> {
        let (view, types) = (self.view(), self.types(relationship_type));
        let mut pairs = Vec::new();
        for way in direction.ways() {
            let types = types.as_deref();
            adjacency::each_neighbour(view.keys, nodes, *way, types, |near, far| {
                pairs.push((near, far));
            })?;
        }
        Ok(pairs)
    }

    /// How many relationships a node has, of one type or of all. It does not read them.
    ///
    /// A relationship of a node with itself counts once in each direction, and so twice in both.
    ///
    /// # Errors
    /// See [`Read`].
    fn degree(
        &self,
        node: NodeId,
        direction: Direction,
        relationship_type: Option<&str>,
    ) -> Result<u64> {
        let (view, types) = (self.view(), self.types(relationship_type));
        let mut sum = 0;
        for way in direction.ways() {
            sum += match types.as_deref() {
                Some(types) => {
                    let mut degrees = types.iter().map(|of| view.degree(*way, node, *of));
                    degrees.try_fold(0, |sum, degree| Ok::<_, Error>(sum + degree?))?
                }
                None => {
                    let degrees = view.degrees(*way, node)?;
                    degrees.iter().map(|(_, degree)| degree).sum()
                }
            };
        }
        Ok(sum)
    }

    /// How many nodes there are; how many with a label, if one is named. It does not read them.
    ///
    /// # Errors
    /// See [`Read`].
    fn node_count(&self, label: Option<&str>) -> Result<u64> {
        let view = self.view();
        let Some(label) = label else {
            return view.count(Counter::Nodes);
        };
        let label = view.catalog().labels.id(label);
        label.map_or(Ok(0), |label| view.count(Counter::Label(label)))
    }

    /// How many relationships there are; how many of a type, if one is named. It does not read them.
    ///
    /// # Errors
    /// See [`Read`].
    fn relationship_count(&self, relationship_type: Option<&str>) -> Result<u64> {
        let view = self.view();
        let Some(of) = relationship_type else {
            return view.count(Counter::Relationships);
        };
        let of = view.catalog().types.id(of);
        of.map_or(Ok(0), |of| view.count(Counter::Type(of)))
    }

    /// Anything that is counted, by number.
    ///
    /// # Errors
    /// See [`Read`].
    fn count(&self, counter: Counter) -> Result<u64> {
        self.view().count(counter)
    }

    /// A property index, to look values up in.
    ///
    /// # Errors
    /// [`Error::UnknownName`] if there is none, [`Error::IndexNotReady`] while it is being built.
    fn index(&self, name: &str) -> Result<Lookup<'_, Self::Keys>> {
        Lookup::new(self.view(), name)
    }

    /// The ids of what has a value in the first property of a property index; nothing if there are more than `most`.
    /// Sets that were asked for lately are kept until somebody changes them, so that this costs less than to look them
    /// up again.
    ///
    /// ```
    /// use stratigraph::{Database, Index, Read};
    ///
    /// let db = Database::in_memory()?;
    /// db.create_index(Index::on_nodes("Report", ["year"]).named("by_year"))?;
    /// let mut txn = db.write()?;
    /// let report = txn.create_node(["Report"], [("year", 2023)])?;
    /// txn.commit()?;
    /// let of_2023 = db.read()?.ids_with("by_year", &2023.into(), 1000)?;
    /// assert!(of_2023.is_some_and(|ids| ids.contains(report.get())));
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`index`](Self::index).
    fn ids_with(
        &self,
        index: &str,
        value: &Value,
        most: u64,
    ) -> Result<Option<Arc<RoaringTreemap>>> {
        self.index(index)?.ids_with(value, most, self.value_sets())
    }

    /// What is nearest to a vector, by a vector index. It always gives as many as were asked for, or as there
    /// are, and says how they were found.
    ///
    /// # Errors
    /// [`Error::UnknownName`] if there is no such index; [`Error::VectorIndex`] if the vector does not fit it;
    /// [`Error::NotFilterable`]; [`Error::VectorIndexFailed`]; and see [`Read`].
    fn search_vectors(&self, index: &str, search: &VectorSearch<'_>) -> Result<VectorAnswer> {
        let view = self.view();
        let def = view.catalog().vector_index_named(index).cloned();
        let def = def.ok_or_else(|| Error::UnknownName {
            what: "vector index",
            name: index.into(),
        })?;
        let place = Place {
            view,
            indexes: self.vectors(),
            touched: self.touched_vectors(def.id)?,
        };
        place.search(&def, search)
    }

    /// What matches a text best, by a text index.
    ///
    /// # Errors
    /// [`Error::UnknownName`] if there is no such index; [`Error::IndexNotReady`] while it is being built;
    /// [`Error::TooMany`] for a query that is too large; and see [`Read`].
    fn search_text(&self, index: &str, search: &TextSearch<'_>) -> Result<TextAnswer> {
        let view = self.view();
        let def = view.catalog().text_index_named(index).cloned();
        let def = def.ok_or_else(|| Error::UnknownName {
            what: "text index",
            name: index.into(),
        })?;
        if def.readiness != Readiness::Ready {
            return Err(Error::IndexNotReady {
                index: Arc::clone(&def.name),
            });
        }
        let mut among = search.among.map(Cow::Borrowed);
        if let Some(label) = search.label {
            let mut ids = view.labelled(def.scope, label)?;
            if let Some(among) = &among {
                ids &= &**among;
            }
            among = Some(Cow::Owned(ids));
        }
        let options = SearchOptions {
            k: search.k,
            among: among.as_deref(),
            min_score: search.threshold,
        };
        let found = self.search_texts(&def, &search.query, &options)?;
        let hits = found.hits.iter().map(|hit| TextHit {
            entity: def.scope.entity(hit.owner.get()),
            score: hit.score,
        });
        Ok(TextAnswer {
            hits: hits.collect(),
            documents: found.documents,
            terms: found.terms,
            work: found.work,
        })
    }

    /// The `k` best of what is near to a vector and what matches a text, as one ranking. Both are asked for as
    /// many as their searches say.
    ///
    /// ```
    /// use stratigraph::{Database, Fusion, Read, TextIndex, TextSearch, VectorIndex, VectorSearch};
    ///
    /// let db = Database::in_memory()?;
    /// db.create_vector_index(VectorIndex::on_nodes("Chunk", "embedding", 3).named("vectors"))?;
    /// db.create_text_index(TextIndex::on_nodes("Chunk", ["text"]).named("texts"))?;
    /// let vectors = VectorSearch::new(&[1.0, 0.0, 0.0], 50);
    /// let texts = TextSearch::new("layers of rock", 50);
    /// let read = db.read()?;
    /// let hits = read.search_hybrid(("vectors", &vectors), ("texts", &texts), Fusion::default(), 10)?;
    /// assert!(hits.is_empty());
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`search_vectors`](Self::search_vectors) and [`search_text`](Self::search_text), and
    /// [`Error::BadDeclaration`] for a fusion whose numbers make no ranking.
    fn search_hybrid(
        &self,
        vectors: (&str, &VectorSearch<'_>),
        texts: (&str, &TextSearch<'_>),
        fusion: Fusion,
        k: usize,
    ) -> Result<Vec<HybridHit>> {
        fusion.check()?;
        let near = self.search_vectors(vectors.0, vectors.1)?;
        let matching = self.search_text(texts.0, texts.1)?;
        let metric = self.catalog().vector_index_named(vectors.0);
        let metric = metric.map_or(Metric::Cosine, |def| def.metric);
        Ok(fuse(fusion, metric, &near.hits, &matching.hits, k))
    }

    /// A hierarchy, to ask for levels, roots and members.
    ///
    /// # Errors
    /// [`Error::UnknownName`] if there is none.
    fn hierarchy(&self, name: &str) -> Result<Hierarchy<'_, Self::Keys>> {
        Hierarchy::new(self.view(), name)
    }

    /// Names, and what is declared.
    fn catalog(&self) -> &Catalog {
        self.view().catalog()
    }

    /// The commit that is read; a write transaction's own changes come on top.
    fn commit_seq(&self) -> CommitSeq {
        self.view().keys.commit_seq()
    }

    /// The numbers of named types: none of a name that was never used, and all if none is named.
    #[doc(hidden)]
    fn types(&self, relationship_type: Option<&str>) -> Option<Vec<TypeId>> {
        relationship_type.map(|name| self.catalog().types.id(name).into_iter().collect())
    }
}

/// The numbers of those that any entity has.
fn known(catalog: &Catalog, properties: &[&str]) -> Vec<PropertyId> {
    let names = properties.iter();
    names
        .filter_map(|name| catalog.properties.id(name))
        .collect()
}
