//! What asks the graph: subqueries and paths.
//!
//! Next: `../flat/mod.rs`.

use super::{Context, eval, wrong_kind};
use crate::error::Error;
use crate::query::error::Fault;
use crate::query::exec::pipeline::Run;
use crate::query::expr::{Body, PathStep, Slot, SubqueryKind};
use crate::query::functions::limits;
use crate::query::graph_face::GraphFace;
use crate::query::plan::Degree;
use crate::value::{NodeId, NodeValue, PathValue, RelationshipId, RelationshipValue, Value};
use std::sync::Arc;

/// `EXISTS`, `COUNT`, `COLLECT`: the operators run on a copy of the row.
pub(super) fn subquery(
    context: &mut Context<'_>,
    kind: &SubqueryKind,
    body: &Body,
    row: &mut [Value],
) -> Result<Value, Fault> {
    // What they do is done by the operator that computes the expression.
    let profile = context.profile.take();
    let value = subquery_value(context, kind, body, row);
    context.profile = profile;
    value
}

fn subquery_value(
    context: &mut Context<'_>,
    kind: &SubqueryKind,
    body: &Body,
    row: &mut [Value],
) -> Result<Value, Fault> {
    let Body::Planned { ops, degree } = body else {
        return Err(Error::bug("a subquery was not planned").into());
    };
    if let Some(degree) = degree
        && let Some(count) = counted(context, degree, row)?
    {
        return Ok(match kind {
            SubqueryKind::Exists => Value::Bool(count > 0),
            _ => Value::Int(i64::try_from(count).unwrap_or(i64::MAX)),
        });
    }
    let (width, argument) = (row.len(), row.to_vec());
    match kind {
        SubqueryKind::Exists => {
            let mut run = Run::new_for_one(ops, width, argument);
            let found = run.next(context)?.is_some();
            run.close(context);
            Ok(Value::Bool(found))
        }
        SubqueryKind::Count => {
            let mut run = Run::new(ops, width, argument);
            let mut rows: i64 = 0;
            while let Some(batch) = run.next(context)? {
                rows += batch.len() as i64;
            }
            Ok(Value::Int(rows))
        }
        SubqueryKind::Collect(item) => {
            let mut run = Run::new(ops, width, argument);
            let mut values = Vec::new();
            let mut held = 0;
            while let Some(mut batch) = run.next(context)? {
                for at in 0..batch.len() {
                    let value = eval(context, item, batch.row_mut(at))?;
                    held += context.memory.hold(&value)?;
                    values.push(value);
                }
            }
            context.memory.release(held);
            limits::list_of(values)
        }
    }
}

/// How many relationships a node has; none if they must be walked to know.
fn counted(
    context: &mut Context<'_>,
    degree: &Degree,
    row: &[Value],
) -> Result<Option<u64>, Fault> {
    let node = match row.get(degree.of.at()) {
        Some(Value::Node(node)) => node.id(),
        Some(Value::Null) => return Ok(Some(0)),
        _ => return Ok(None),
    };
    // Of what the statement has deleted, the walk says what there still is.
    if context.graph.is_deleted(node) {
        return Ok(None);
    }
    context.step()?;
    let count = context.graph.degree(node, degree.arrow, &degree.types)?;
    Ok(Some(count))
}

/// The path from a node along relationships; null if any part of it is.
pub(super) fn path(
    context: &mut Context<'_>,
    start: Slot,
    steps: &[PathStep],
    row: &mut [Value],
) -> Result<Value, Fault> {
    let begin = match row.get(start.at()) {
        Some(Value::Node(node)) => node.id(),
        _ => return Ok(Value::Null),
    };
    let mut way = Way {
        nodes: vec![begin],
        relationships: Vec::new(),
    };
    for step in steps {
        let slots = match step {
            PathStep::One(slot) | PathStep::Many(slot) => {
                let value = row.get(slot.at()).cloned().unwrap_or(Value::Null);
                if !way.follow(context, &value)? {
                    return Ok(Value::Null);
                }
                continue;
            }
            PathStep::Rounds(slots) => slots,
        };
        let mut lists = Vec::with_capacity(slots.len());
        for slot in slots {
            match row.get(slot.at()) {
                Some(Value::List(list)) => lists.push(Arc::clone(list)),
                _ => return Ok(Value::Null),
            }
        }
        let rounds = lists.first().map_or(0, |list| list.len());
        for round in 0..rounds {
            for list in &lists {
                let value = list.get(round).cloned().unwrap_or(Value::Null);
                if !way.follow(context, &value)? {
                    return Ok(Value::Null);
                }
            }
        }
    }
    let nodes = way.nodes.into_iter().map(NodeValue::of).collect();
    let relationships = way.relationships.into_iter().map(RelationshipValue::of);
    let path = PathValue::new(nodes, relationships.collect());
    Ok(path.map_or(Value::Null, Value::from))
}

/// A path on its way.
struct Way {
    nodes: Vec<NodeId>,
    relationships: Vec<RelationshipId>,
}

impl Way {
    /// Goes along a relationship, or along a list of them; whether there was one.
    fn follow(&mut self, context: &Context<'_>, value: &Value) -> Result<bool, Fault> {
        match value {
            Value::Null => Ok(false),
            Value::Relationship(relationship) => {
                self.go(context, relationship.id())?;
                Ok(true)
            }
            Value::List(list) => {
                for one in list.iter() {
                    let Value::Relationship(relationship) = one else {
                        return Err(wrong_kind("a path goes along relationships", one));
                    };
                    self.go(context, relationship.id())?;
                }
                Ok(true)
            }
            other => Err(wrong_kind("a path goes along relationships", other)),
        }
    }

    fn go(&mut self, context: &Context<'_>, relationship: RelationshipId) -> Result<(), Fault> {
        let (source, target) = context.graph.ends(relationship)?;
        let next = match self.nodes.last() {
            Some(here) if *here == source => target,
            Some(here) if *here == target => source,
            _ => return Err(Error::bug("a path goes on where it has not come to").into()),
        };
        self.nodes.push(next);
        self.relationships.push(relationship);
        Ok(())
    }
}
