//! Carries batches out in transactions, which must see just what the model does. Next: [`load`] for
//! those that are bulk loads.

mod add;
mod load;

use super::Key;
use super::content::{Content, Properties};
use super::draw::{Redeclared, draw};
use super::model::Graph;
use super::names::{KEY, Lookup, MEANING, Names, RANK, Searched, Type};
use super::operation::{Operation, PropertyChanges, Refusal};
use crate::workload::{BatchNumber, Model, Workload, Writer};
use add::{add, too_long};
use anyhow::{Context, Result, bail, ensure};
use std::collections::HashMap;
use stratigraph::codec::CommitSeq;
use stratigraph::storage::cancel::Watch;
use stratigraph::value::{NodeId, RelationshipId};
use stratigraph::{Database, Direction, Entity, Error, Read, Savepoint, Value, WriteTxn};

/// What a graph writer knows of its part.
pub struct GraphHand {
    names: Names,
    graph: Graph,
    ids: Ids,
}

/// The ids that the engine has handed out.
#[derive(Debug, Clone, Default)]
struct Ids {
    nodes: HashMap<Key, NodeId>,
    relationships: HashMap<Key, RelationshipId>,
}

impl GraphHand {
    /// Goes on after batch `at`: declares what is missing, and looks up the ids of what is there.
    ///
    /// # Errors
    /// Whatever the database refuses, and if something is not there.
    pub fn take_up(
        db: &Database,
        workload: Workload,
        writer: Writer,
        at: BatchNumber,
    ) -> Result<Self> {
        let names = Names::of(writer);
        names.declare(db).context("cannot declare")?;
        let model = Model::at(workload, writer, at);
        let graph = model.graph().cloned().unwrap_or_default();
        let ids = Ids::read(db, names)?;
        let (nodes, relationships) = (ids.nodes.len(), ids.relationships.len());
        ensure!(
            nodes == graph.nodes.len() && relationships == graph.relationships.len(),
            "batch {at} is not what is there, but {nodes} nodes and {relationships} relationships"
        );
        Ok(Self { names, graph, ids })
    }

    /// Commits the next batch. After an error everything is as before.
    ///
    /// # Errors
    /// Whatever the database refuses, and if it answers otherwise than it should.
    pub fn commit(
        &mut self,
        db: &Database,
        workload: Workload,
        writer: Writer,
        batch: BatchNumber,
    ) -> Result<CommitSeq> {
        let drawn = draw(workload, writer, batch, &self.graph);
        if let Some(redeclared) = drawn.redeclared {
            self.redeclare(db, redeclared)?;
        }
        if let Some(undone) = &drawn.undone {
            self.load_in_vain(db, undone)?;
        }
        let (commit, ids) = match drawn.load {
            Some(options) => self.load(db, options, &drawn.operations)?,
            None => self.transact(db, &drawn.operations)?,
        };
        self.ids = ids;
        self.graph = drawn.after;
        let gone = |key: &Key| self.graph.relationships.contains_key(key);
        // Those that went with a node.
        self.ids.relationships.retain(|key, _| gone(key));
        Ok(commit)
    }

    fn transact(&self, db: &Database, operations: &[Operation]) -> Result<(CommitSeq, Ids)> {
        let mut work = Work {
            names: self.names,
            txn: db.write()?,
            ids: self.ids.clone(),
            before: None,
        };
        for operation in operations {
            let done = work.carry_out(operation);
            done.with_context(|| format!("{operation:?}"))?;
        }
        Ok((work.txn.commit()?, work.ids))
    }

    fn redeclare(&self, db: &Database, redeclared: Redeclared) -> Result<()> {
        match redeclared {
            Redeclared::Ranks => db.drop_index(&self.names.lookup(Lookup::Rank))?,
            Redeclared::Vectors => db.drop_vector_index(&self.names.vectors(Searched::Nodes))?,
            Redeclared::Texts => db.drop_text_index(&self.names.texts(Searched::Nodes))?,
            Redeclared::Tree => db.drop_hierarchy(&self.names.hierarchy(Type::Part))?,
        }
        self.names.declare(db)?;
        Ok(())
    }
}

/// Goes on with declarations that a crash has cut short: once after every opening, by one alone.
///
/// # Errors
/// Whatever the database refuses.
pub(crate) fn finish_declaring(db: &Database) -> stratigraph::Result<()> {
    db.finish_schema(&mut Watch::quiet())
}

impl Ids {
    fn read(db: &Database, names: Names) -> Result<Self> {
        let read = db.read()?;
        let mut ids = Self::default();
        for number in read.nodes_with_label(&names.label())? {
            let node = NodeId::new(number);
            ids.nodes.insert(key_of(&read, node.into())?, node);
        }
        for of in Type::ALL {
            for number in read.relationships_of_type(&names.relationship_type(of))? {
                let relationship = RelationshipId::new(number);
                let key = key_of(&read, relationship.into())?;
                ids.relationships.insert(key, relationship);
            }
        }
        Ok(ids)
    }

    fn node(&self, key: Key) -> Result<NodeId> {
        let id = self.nodes.get(&key).copied();
        id.with_context(|| format!("no node was created with {key:?}"))
    }

    fn relationship(&self, key: Key) -> Result<RelationshipId> {
        let id = self.relationships.get(&key).copied();
        id.with_context(|| format!("no relationship was created with {key:?}"))
    }
}

fn key_of(read: &impl Read, entity: Entity) -> Result<Key> {
    let key = read.property(entity, KEY)?.as_int();
    let key = key.with_context(|| format!("{entity:?} has no key"))?;
    Ok(Key(key.cast_unsigned()))
}

/// One transaction.
struct Work {
    names: Names,
    txn: WriteTxn,
    ids: Ids,
    /// Where `RollBack` goes, and what was known there.
    before: Option<(Savepoint, Ids)>,
}

impl Work {
    fn carry_out(&mut self, operation: &Operation) -> Result<()> {
        let txn = &mut self.txn;
        match operation {
            Operation::SetOnNode { node, changes } => {
                txn.set_properties(self.ids.node(*node)?, values(changes))?;
            }
            Operation::SetOnRelationship {
                relationship,
                changes,
            } => {
                txn.set_properties(self.ids.relationship(*relationship)?, values(changes))?;
            }
            Operation::ReplaceOnNode { node, properties } => {
                txn.replace_properties(self.ids.node(*node)?, with_key(*node, properties))?;
            }
            Operation::Tint { node, tint, on } => {
                let (node, label) = (self.ids.node(*node)?, self.names.tint(*tint));
                if *on {
                    txn.add_label(node, &label)?;
                } else {
                    txn.remove_label(node, &label)?;
                }
            }
            Operation::DeleteRelationship { relationship } => {
                txn.delete_relationship(self.ids.relationship(*relationship)?)?;
                self.ids.relationships.remove(relationship);
            }
            Operation::DeleteNode { node } => {
                txn.delete_node(self.ids.node(*node)?)?;
                self.ids.nodes.remove(node);
            }
            Operation::DetachDelete {
                node,
                relationships,
            } => {
                let deleted = txn.detach_delete_node(self.ids.node(*node)?)?;
                ensure!(
                    deleted == *relationships,
                    "{deleted} relationships went with it"
                );
                self.ids.nodes.remove(node);
            }
            Operation::Name { node, on: false } => {
                let tags = self.names.hierarchy(Type::Tag);
                txn.remove_member(&tags, self.ids.node(*node)?)?;
            }
            Operation::Refused(Refusal::WrongKind(node)) => {
                match txn.set_property(self.ids.node(*node)?, RANK, "high") {
                    Err(Error::ConstraintViolation(_)) => {}
                    other => bail!("it was not refused for this: {other:?}"),
                }
            }
            Operation::Refused(Refusal::WrongDimensions(node)) => {
                match txn.set_property(self.ids.node(*node)?, MEANING, too_long()?) {
                    Err(Error::VectorRefused { .. }) => {}
                    other => bail!("it was not refused for this: {other:?}"),
                }
            }
            Operation::Refused(Refusal::Connected(node)) => {
                let node = self.ids.node(*node)?;
                match txn.delete_node(node) {
                    Err(Error::HasRelationships { relationships, .. }) => {
                        let degree = txn.degree(node, Direction::Both, None)?;
                        ensure!(relationships == degree, "{relationships} stand in the way");
                    }
                    other => bail!("it was not refused for this: {other:?}"),
                }
            }
            Operation::Savepoint => self.before = Some((txn.savepoint()?, self.ids.clone())),
            Operation::RollBack => {
                let (savepoint, ids) = self.before.take().context("there is no savepoint")?;
                txn.rollback_to(savepoint)?;
                self.ids = ids;
            }
            Operation::CreateNode { .. }
            | Operation::CreateRelationship { .. }
            | Operation::Name { on: true, .. }
            | Operation::Refused(_) => add(txn, self.names, &mut self.ids, operation)?,
        }
        Ok(())
    }
}

fn with_key(key: Key, properties: &Properties) -> Vec<(&'static str, Value)> {
    let key = (KEY, Value::from(key.0.cast_signed()));
    let others = properties.iter();
    let others = others.map(|(name, content)| (*name, content.value()));
    std::iter::once(key).chain(others).collect()
}

fn values(changes: &PropertyChanges) -> Vec<(&'static str, Value)> {
    let values = changes.iter();
    let value = |content: &Option<Content>| content.map_or(Value::Null, Content::value);
    values
        .map(|(name, content)| (*name, value(content)))
        .collect()
}
