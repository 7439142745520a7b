//! The graph as a query sees it while it runs: one transaction, and what the query has deleted in it.
//!
//! Nothing that is borrowed from the transaction leaves this file: ids come in lists and sets of their own, so
//! that writing can go on between two rows.
//!
//! Next: `face.rs`.

use super::kind::Kind;
use crate::algo::snapshot::VectorTable;
use crate::catalog::{Catalog, LabelId, SchemaId, TypeId};
use crate::error::{Error, Result};
use crate::graph::record::RelationshipRecord;
use crate::graph::view::{self, View};
use crate::graph::{Direction, Entity, Ids, Read, ReadTxn, WriteTxn};
use crate::index::vector::VectorIndexInfo;
use crate::keys::KeyRead;
use crate::query::compile::Compiled;
use crate::query::plan::{Arrow, Rules};
use crate::query::procedures::Registry;
use crate::storage::cancel::CancelToken;
use crate::storage::family::Family;
use crate::value::{NodeId, RelationshipId, Value};
use labels::LabelParts;
use lately::Lately;
use roaring::RoaringTreemap;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

/// The way that an arrow says.
pub(super) fn direction(arrow: Arrow) -> Direction {
    match arrow {
        Arrow::Right => Direction::Outgoing,
        Arrow::Left => Direction::Incoming,
        Arrow::Either => Direction::Both,
    }
}

/// The transaction that a query runs in.
pub(crate) enum Txn<'t> {
    /// Somebody else's snapshot.
    Read(&'t ReadTxn),
    /// The query's own snapshot.
    OwnRead(Box<ReadTxn>),
    /// Somebody else's transaction.
    Write(&'t mut WriteTxn),
    /// The query's own transaction.
    OwnWrite(Box<WriteTxn>),
    /// None: one was given up and the next could not begin.
    Over,
}

/// The graph as a query sees it.
pub(crate) struct Graph<'t> {
    txn: Txn<'t>,
    /// Who may stop what the query reads and writes.
    stop: CancelToken,
    deleted_nodes: HashSet<NodeId>,
    deleted_relationships: HashMap<RelationshipId, DeletedRelationship>,
    /// How often the store was asked, and for how many properties.
    seeks: Cell<u64>,
    properties: Cell<u64>,
    /// What was read last of a snapshot.
    lately: RefCell<Lately>,
    /// Parts of the sets of labels of a snapshot.
    labels: RefCell<LabelParts>,
    /// How many bytes were read in the transactions before this one.
    read_bytes: u64,
    /// How many of those were committed.
    committed: u64,
}

/// What stays known of a relationship that the query has deleted.
#[derive(Clone, Debug)]
pub(crate) struct DeletedRelationship {
    /// Its type.
    pub(crate) relationship_type: Arc<str>,
    /// The nodes that it left and reached.
    pub(crate) ends: (NodeId, NodeId),
}

/// Which nodes an index is asked for.
pub(crate) enum Sought<'v> {
    /// Those with these values of the first properties.
    Equal(&'v [Value]),
    /// Those between.
    Range(Bound<Value>, Bound<Value>),
    /// Those that begin like this.
    StartsWith(&'v str),
}

/// Does the same with either kind of transaction.
macro_rules! with_txn {
    ($graph:expr, $txn:ident => $body:expr) => {
        match &$graph.txn {
            Txn::Read(txn) => {
                let $txn: &ReadTxn = txn;
                $body
            }
            Txn::OwnRead(txn) => {
                let $txn: &ReadTxn = txn;
                $body
            }
            Txn::Write(txn) => {
                let $txn: &WriteTxn = txn;
                $body
            }
            Txn::OwnWrite(txn) => {
                let $txn: &WriteTxn = txn;
                $body
            }
            Txn::Over => Err(over()),
        }
    };
}

mod hierarchies;
mod labels;
mod lately;
mod links;
mod projections;
mod rows;
mod searches;
mod transaction;

impl<'t> Graph<'t> {
    /// The graph in a transaction.
    pub(crate) fn new(txn: Txn<'t>) -> Self {
        Self {
            txn,
            stop: CancelToken::new(),
            read_bytes: 0,
            committed: 0,
            deleted_nodes: HashSet::new(),
            deleted_relationships: HashMap::new(),
            seeks: Cell::new(0),
            properties: Cell::new(0),
            lately: RefCell::default(),
            labels: RefCell::default(),
        }
    }

    /// How often the store was asked, and for how many properties.
    pub(super) fn reads(&self) -> (u64, u64) {
        (self.seeks.get(), self.properties.get())
    }

    /// How many bytes of keys and values the store has given.
    pub(super) fn read_bytes(&self) -> u64 {
        let here = with_txn!(self, txn => Ok(view::of(txn).keys.read_bytes()));
        self.read_bytes + here.unwrap_or_default()
    }

    fn count_seek(&self, properties: usize) {
        self.seeks.set(self.seeks.get() + 1);
        self.properties
            .set(self.properties.get() + properties as u64);
    }

    /// Notes that a node was deleted.
    pub(crate) fn note_deleted_node(&mut self, node: NodeId) {
        self.deleted_nodes.insert(node);
    }

    /// Notes that a relationship was deleted, and what it was.
    pub(crate) fn note_deleted_relationship(
        &mut self,
        relationship: RelationshipId,
        was: DeletedRelationship,
    ) {
        self.deleted_relationships.insert(relationship, was);
    }

    /// Forgets what was noted: after a commit everybody knows that it is gone, after a rollback it is not.
    pub(crate) fn forget_deleted(&mut self) {
        self.deleted_nodes.clear();
        self.deleted_relationships.clear();
    }

    /// Whether the query has deleted it.
    pub(crate) fn is_deleted(&self, entity: impl Into<Entity>) -> bool {
        match entity.into() {
            Entity::Node(node) => self.deleted_nodes.contains(&node),
            Entity::Relationship(relationship) => {
                self.deleted_relationships.contains_key(&relationship)
            }
        }
    }

    /// What a relationship was that the query has deleted.
    pub(crate) fn deleted_relationship(
        &self,
        relationship: RelationshipId,
    ) -> Option<&DeletedRelationship> {
        self.deleted_relationships.get(&relationship)
    }

    /// Names, and what is declared.
    pub(crate) fn catalog(&self) -> Result<&Catalog> {
        with_txn!(self, txn => Ok(txn.catalog()))
    }

    /// What can be called.
    pub(crate) fn registry(&self) -> Result<Arc<Registry>> {
        with_txn!(self, txn => Ok(txn.database().registry()))
    }

    /// Reads and plans a text that runs over this graph.
    pub(crate) fn compile(&self, text: &str, rules: Rules) -> Result<Arc<Compiled>> {
        let registry = self.registry()?;
        with_txn!(self, txn => txn.database().plans().compiled(text, &registry, txn, rules))
    }

    /// How far a vector index is; none if there is no such index.
    pub(crate) fn vector_index_info(&self, id: SchemaId) -> Result<Option<VectorIndexInfo>> {
        fn info<R: Read>(txn: &R, id: SchemaId) -> Option<VectorIndexInfo> {
            txn.vectors().get(id).map(|bound| bound.info())
        }
        with_txn!(self, txn => Ok(info(txn, id)))
    }

    /// Whether something is there.
    pub(crate) fn contains(&self, entity: impl Into<Entity>) -> Result<bool> {
        self.count_seek(0);
        with_txn!(self, txn => txn.contains(entity.into()))
    }

    /// One property, as [`Read::property`] gives it.
    pub(crate) fn stored_property(&self, entity: Entity, key: &str) -> Result<Value> {
        let snapshot = match &self.txn {
            Txn::Read(read) => Some(*read),
            Txn::OwnRead(read) => Some(&**read),
            Txn::Write(_) | Txn::OwnWrite(_) | Txn::Over => None,
        };
        if let Some(read) = snapshot
            && let Some(id) = read.catalog().properties.id(key)
        {
            let mut lately = self.lately.borrow_mut();
            let (value, was_asked) = lately.property(&view::of(read), entity, id)?;
            self.seeks.set(self.seeks.get() + u64::from(was_asked));
            self.properties.set(self.properties.get() + 1);
            return value.ok_or_else(|| Error::entity_not_found(entity));
        }
        self.count_seek(1);
        with_txn!(self, txn => txn.property(entity, key))
    }

    /// The vectors of this dimension that some of these nodes, which ascend, have as a property.
    pub(crate) fn vectors(
        &self,
        property: &str,
        nodes: &[NodeId],
        dimension: usize,
    ) -> Result<VectorTable> {
        with_txn!(self, txn => VectorTable::of_nodes(txn, property, nodes, dimension))
    }

    /// A whole node.
    pub(crate) fn stored_node(&self, node: NodeId) -> Result<Option<crate::graph::Node>> {
        let found = with_txn!(self, txn => txn.node(node))?;
        self.count_seek(found.as_ref().map_or(0, |found| found.properties().count()));
        Ok(found)
    }

    /// A whole relationship.
    pub(crate) fn stored_relationship(
        &self,
        relationship: RelationshipId,
    ) -> Result<Option<crate::graph::Relationship>> {
        let found = with_txn!(self, txn => txn.relationship(relationship))?;
        self.count_seek(found.as_ref().map_or(0, |found| found.properties().count()));
        Ok(found)
    }

    /// The labels of a node by number, without its properties.
    pub(crate) fn label_ids(&self, node: NodeId) -> Result<Option<Vec<LabelId>>> {
        self.count_seek(0);
        with_txn!(self, txn => view::of(txn).labels_of(node))
    }

    /// The type and the ends of a relationship that is there, without its properties.
    pub(crate) fn stored_ends(
        &self,
        relationship: RelationshipId,
    ) -> Result<Option<(TypeId, NodeId, NodeId)>> {
        self.count_seek(0);
        let (family, number) = (Family::Edges, relationship.get());
        let decode = RelationshipRecord::decode_ends;
        let ends = with_txn!(self, txn => view::of(txn).record(family, number, decode))?;
        Ok(ends.map(|ends| (ends.relationship_type, ends.source, ends.target)))
    }

    /// How many nodes there are, or with a label.
    pub(crate) fn node_count(&self, label: Option<&str>) -> Result<u64> {
        with_txn!(self, txn => txn.node_count(label))
    }

    /// How many relationships there are of a type.
    pub(crate) fn relationship_count(&self, of: Option<&str>) -> Result<u64> {
        with_txn!(self, txn => txn.relationship_count(of))
    }

    /// Some ids of nodes, or of relationships, in order, from a number on; fewer than asked for only where they end.
    pub(super) fn ids_from(
        &self,
        kind: Kind,
        (from, most): (u64, usize),
        into: &mut Vec<u64>,
    ) -> Result<()> {
        fn page<K: KeyRead>(
            view: View<'_, K>,
            kind: Kind,
            (from, most): (u64, usize),
            into: &mut Vec<u64>,
        ) -> Result<()> {
            match kind {
                Kind::Nodes => {
                    for id in Ids::<NodeId>::starting_at(view.keys, from)?.take(most) {
                        into.push(id?.get());
                    }
                }
                Kind::Relationships => {
                    for id in Ids::<RelationshipId>::starting_at(view.keys, from)?.take(most) {
                        into.push(id?.get());
                    }
                }
            }
            Ok(())
        }
        self.count_seek(0);
        with_txn!(self, txn => page(view::of(txn), kind, (from, most), into))
    }

    /// The nodes with a label, or the relationships of a type.
    pub(super) fn ids_with_label(&self, kind: Kind, label: &str) -> Result<RoaringTreemap> {
        self.count_seek(0);
        with_txn!(self, txn => match kind {
            Kind::Nodes => txn.nodes_with_label(label),
            Kind::Relationships => txn.relationships_of_type(label),
        })
    }

    /// Whether a node has a label, without reading the node.
    pub(super) fn is_labelled(&self, node: NodeId, label: &str) -> Result<bool> {
        with_txn!(self, txn => txn.has_label(node, label))
    }

    /// What an index finds, by id.
    pub(super) fn ids_of_index(&self, index: &str, sought: &Sought<'_>) -> Result<Vec<u64>> {
        self.count_seek(0);
        let mut found = with_txn!(self, txn => {
            let index = txn.index(index)?;
            let matches = match sought {
                Sought::Equal(values) => index.equal(values)?,
                Sought::Range(above, below) => index.range((above.clone(), below.clone()))?,
                Sought::StartsWith(prefix) => index.starts_with(prefix)?,
            };
            let found: Result<Vec<u64>> = matches.map(|one| Ok(one?.number())).collect();
            found
        })?;
        found.sort_unstable();
        Ok(found)
    }
}

/// The transaction is over, and there is no other.
fn over() -> Error {
    Error::bug("a query goes on without a transaction")
}
