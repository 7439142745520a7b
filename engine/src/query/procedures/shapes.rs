//! `db.schema.nodeTypeProperties` and `db.schema.relTypeProperties`: which properties are found on what, for people
//! and models that are to write queries.
//!
//! Nothing is declared about most properties, so some nodes of each label and some relationships of each type are
//! looked at: the first ones, so that the answer repeats.
//!
//! Next: `statistics.rs`.

use super::procedure::Procedure;
use super::settings::Settings;
use super::types::ProcedureType;
use crate::graph::Entity;
use crate::query::error::Fault;
use crate::query::exec::Context;
use crate::query::graph_face::GraphFace;
use crate::query::types::Types;
use crate::value::{NodeId, RelationshipId, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stratigraph_query_lang::quoted_name;

const NODES: &str = "db.schema.nodeTypeProperties";
const RELATIONSHIPS: &str = "db.schema.relTypeProperties";

/// So many of each label or type are looked at if nothing is said.
const SAMPLE: usize = 1000;

/// All of them.
pub(super) fn procedures() -> Vec<Procedure> {
    let with_settings = |name: &str| {
        let none = Value::Map(Arc::default());
        Procedure::new(name).takes_with_default("settings", ProcedureType::MAP, none)
    };
    let with_properties = |procedure: Procedure| {
        procedure
            .yields("propertyName", ProcedureType::STRING)
            .yields("propertyTypes", ProcedureType::LIST)
            .yields("mandatory", ProcedureType::BOOLEAN)
    };
    let nodes = with_settings(NODES)
        .yields("nodeType", ProcedureType::STRING)
        .yields("nodeLabels", ProcedureType::LIST);
    let relationships = with_settings(RELATIONSHIPS).yields("relType", ProcedureType::STRING);
    vec![
        with_properties(nodes)
            .about("The properties of nodes by their labels, as found on up to `sample` nodes of each label.")
            .run_in_engine(of_nodes),
        with_properties(relationships)
            .about("The properties of relationships by their types, as found on up to `sample` of each type.")
            .run_in_engine(of_relationships),
    ]
}

/// What was found on entities of one shape.
#[derive(Default)]
struct Shape {
    looked_at: usize,
    /// By name: the types that were found, and how often any was.
    properties: BTreeMap<Arc<str>, (BTreeSet<String>, usize)>,
}

impl Shape {
    fn look(&mut self, context: &mut Context<'_>, entity: Entity) -> Result<(), Fault> {
        context.step()?;
        self.looked_at += 1;
        for (name, value) in context.graph.properties(entity)? {
            let (types, count) = self.properties.entry(name).or_default();
            types.insert(Types::of(&value).to_string());
            *count += 1;
        }
        Ok(())
    }

    /// Name, types, and whether all have it; one row of nulls if nobody has any property.
    fn rows(self) -> Vec<[Value; 3]> {
        if self.properties.is_empty() {
            return vec![[Value::Null, Value::Null, false.into()]];
        }
        let looked_at = self.looked_at;
        let row = |(name, (types, count)): (Arc<str>, (BTreeSet<String>, usize))| {
            let types: Vec<String> = types.into_iter().collect();
            [name.into(), types.into(), (count == looked_at).into()]
        };
        self.properties.into_iter().map(row).collect()
    }
}

fn of_nodes(context: &mut Context<'_>, arguments: &[Value]) -> Result<Vec<Vec<Value>>, Fault> {
    let sample = sample(NODES, arguments)?;
    let mut chosen = BTreeSet::new();
    for label in labels(context)? {
        let nodes = context.graph.nodes_with_labels(&[label])?;
        chosen.extend(nodes.iter().take(sample).map(NodeId::new));
    }
    let mut shapes: BTreeMap<Vec<Arc<str>>, Shape> = BTreeMap::new();
    for node in chosen {
        let mut labels = context.graph.labels(node)?;
        labels.sort_unstable();
        let shape = shapes.entry(labels).or_default();
        shape.look(context, node.into())?;
    }
    let mut rows = Vec::new();
    for (labels, shape) in shapes {
        let quoted: Vec<String> = labels
            .iter()
            .map(|label| format!(":{}", quoted_name(label)))
            .collect();
        for row in shape.rows() {
            let of = [quoted.concat().into(), Value::from(labels.clone())];
            rows.push(of.into_iter().chain(row).collect());
        }
    }
    Ok(rows)
}

fn of_relationships(
    context: &mut Context<'_>,
    arguments: &[Value],
) -> Result<Vec<Vec<Value>>, Fault> {
    let sample = sample(RELATIONSHIPS, arguments)?;
    let mut rows = Vec::new();
    for of in types(context)? {
        let found = context.graph.relationships_of_type(&of)?;
        let mut shape = Shape::default();
        for relationship in found.iter().take(sample).map(RelationshipId::new) {
            shape.look(context, relationship.into())?;
        }
        for row in shape.rows() {
            let of = Value::from(format!(":{}", quoted_name(&of)));
            rows.push(std::iter::once(of).chain(row).collect());
        }
    }
    Ok(rows)
}

fn sample(of: &'static str, arguments: &[Value]) -> Result<usize, Fault> {
    let none = Value::Null;
    let settings = Settings::of(of, arguments.first().unwrap_or(&none), &["sample"])?;
    Ok(settings.count("sample")?.unwrap_or(SAMPLE))
}

/// The labels that nodes have, by name.
fn labels(context: &Context<'_>) -> Result<BTreeSet<String>, Fault> {
    let mut names = BTreeSet::new();
    for (_, name) in context.graph.catalog()?.labels.iter() {
        if context.graph.node_count(Some(name))? > 0 {
            names.insert(name.to_string());
        }
    }
    Ok(names)
}

/// The types that relationships have, by name.
fn types(context: &Context<'_>) -> Result<BTreeSet<String>, Fault> {
    let mut names = BTreeSet::new();
    for (_, name) in context.graph.catalog()?.types.iter() {
        if context.graph.relationship_count(Some(name))? > 0 {
            names.insert(name.to_string());
        }
    }
    Ok(names)
}
