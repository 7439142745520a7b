//! What transactions and bulk loads do alike: they add, and refuse what must not be added.

use super::super::Key;
use super::super::content::Properties;
use super::super::names::{DIMENSIONS, MEANING, Names, RANK, Tint, Type};
use super::super::operation::{Operation, Refusal};
use super::{Ids, with_key};
use anyhow::{Result, bail};
use stratigraph::value::{NodeId, RelationshipId};
use stratigraph::{BulkLoad, Error, Value, Vector, WriteTxn};

/// Somebody who adds to a graph.
pub(super) trait Adds {
    fn node(
        &mut self,
        labels: Vec<String>,
        properties: Vec<(&'static str, Value)>,
    ) -> stratigraph::Result<NodeId>;

    fn relationship(
        &mut self,
        source: NodeId,
        of: &str,
        target: NodeId,
        properties: Vec<(&'static str, Value)>,
    ) -> stratigraph::Result<RelationshipId>;

    fn member(&mut self, hierarchy: &str, node: NodeId) -> stratigraph::Result<()>;
}

impl Adds for WriteTxn {
    fn node(
        &mut self,
        labels: Vec<String>,
        properties: Vec<(&'static str, Value)>,
    ) -> stratigraph::Result<NodeId> {
        self.create_node(labels, properties)
    }

    fn relationship(
        &mut self,
        source: NodeId,
        of: &str,
        target: NodeId,
        properties: Vec<(&'static str, Value)>,
    ) -> stratigraph::Result<RelationshipId> {
        self.create_relationship(source, of, target, properties)
    }

    fn member(&mut self, hierarchy: &str, node: NodeId) -> stratigraph::Result<()> {
        self.add_member(hierarchy, node)
    }
}

impl Adds for BulkLoad {
    fn node(
        &mut self,
        labels: Vec<String>,
        properties: Vec<(&'static str, Value)>,
    ) -> stratigraph::Result<NodeId> {
        self.add_node(labels, properties)
    }

    fn relationship(
        &mut self,
        source: NodeId,
        of: &str,
        target: NodeId,
        properties: Vec<(&'static str, Value)>,
    ) -> stratigraph::Result<RelationshipId> {
        self.add_relationship(source, of, target, properties)
    }

    fn member(&mut self, hierarchy: &str, node: NodeId) -> stratigraph::Result<()> {
        self.add_member(hierarchy, node)
    }
}

/// Carries out an operation that only adds, or one that must be refused.
pub(super) fn add(
    to: &mut impl Adds,
    names: Names,
    ids: &mut Ids,
    operation: &Operation,
) -> Result<()> {
    match operation {
        Operation::CreateNode {
            key,
            tints,
            properties,
        } => {
            let tints = tints.iter().map(|tint| names.tint(*tint));
            let labels = std::iter::once(names.label()).chain(tints).collect();
            let node = to.node(labels, with_key(*key, properties))?;
            ids.nodes.insert(*key, node);
        }
        Operation::CreateRelationship { key, relationship } => {
            let id = to.relationship(
                ids.node(relationship.source)?,
                &names.relationship_type(relationship.of),
                ids.node(relationship.target)?,
                with_key(*key, &relationship.properties),
            )?;
            ids.relationships.insert(*key, id);
        }
        Operation::Name { node, on: true } => {
            to.member(&names.hierarchy(Type::Tag), ids.node(*node)?)?;
        }
        Operation::Refused(refusal) => must_refuse(to, names, ids, refusal)?,
        other => bail!("this is more than adding: {other:?}"),
    }
    Ok(())
}

/// A vector that no index takes.
pub(super) fn too_long() -> Result<Value> {
    let numbers = vec![1.0; DIMENSIONS as usize + 1];
    Ok(Value::Vector(Vector::new(numbers)?))
}

/// Adds something that must be refused, for the right reason.
fn must_refuse(to: &mut impl Adds, names: Names, ids: &Ids, refusal: &Refusal) -> Result<()> {
    let node = |key: &Key| ids.node(*key);
    let mut relate = |of, parent, child| {
        let of = names.relationship_type(of);
        to.relationship(parent, &of, child, Vec::new()).map(drop)
    };
    let refused = match refusal {
        Refusal::Cycle { of, parent, child } => relate(*of, node(parent)?, node(child)?),
        Refusal::SecondParent { parent, child } => relate(Type::Part, node(parent)?, node(child)?),
        Refusal::TakenKey(key) => {
            let labels = vec![names.label(), names.tint(Tint::Red)];
            to.node(labels, with_key(*key, &Properties::new()))
                .map(drop)
        }
        Refusal::NewWrongKind(key) => {
            let mut properties = with_key(*key, &Properties::new());
            properties.push((RANK, "high".into()));
            to.node(vec![names.label()], properties).map(drop)
        }
        Refusal::NewWrongDimensions(key) => {
            let mut properties = with_key(*key, &Properties::new());
            properties.push((MEANING, too_long()?));
            to.node(vec![names.label()], properties).map(drop)
        }
        other => bail!("this is more than adding: {other:?}"),
    };
    match (refusal, refused) {
        (Refusal::Cycle { .. }, Err(Error::HierarchyCycle { .. }))
        // Of a tree, the engine looks at the parents first.
        | (
            Refusal::SecondParent { .. } | Refusal::Cycle { of: Type::Part, .. },
            Err(Error::HierarchyParent { .. }),
        )
        | (
            Refusal::TakenKey(_) | Refusal::NewWrongKind(_),
            Err(Error::ConstraintViolation(_)),
        )
        | (Refusal::NewWrongDimensions(_), Err(Error::VectorRefused { .. })) => Ok(()),
        (_, Ok(())) => bail!("it was not refused"),
        (_, Err(error)) => Err(error.into()),
    }
}
