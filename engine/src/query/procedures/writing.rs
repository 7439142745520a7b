//! `db.create.set...VectorProperty`: lists of numbers as vectors, which take half the room of lists and which vector
//! indexes need.
//!
//! Next: `shapes.rs`.

use super::procedure::Procedure;
use super::types::ProcedureType;
use crate::error::Error;
use crate::graph::Entity;
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::Context;
use crate::query::exec::write::refused;
use crate::query::similarity;
use crate::value::Value;

/// All of them.
pub(super) fn procedures() -> Vec<Procedure> {
    let with_vector = |procedure: Procedure| {
        procedure
            .takes("key", ProcedureType::STRING.not_null())
            .takes("vector", ProcedureType::ANY.not_null())
            .writing()
            .run_in_engine(|context, arguments| {
                set(context, arguments)?;
                Ok(Vec::new())
            })
    };
    let node = Procedure::new("db.create.setNodeVectorProperty")
        .about("Sets a property of a node to a vector, which may be given as a list of numbers.")
        .takes("node", ProcedureType::NODE.not_null());
    let relationship = Procedure::new("db.create.setRelationshipVectorProperty")
        .about("Sets a property of a relationship to a vector, which may be given as a list of numbers.")
        .takes("relationship", ProcedureType::RELATIONSHIP.not_null());
    vec![with_vector(node), with_vector(relationship)]
}

fn set(context: &mut Context<'_>, arguments: &[Value]) -> Result<(), Fault> {
    let [of, Value::String(key), vector] = arguments else {
        return Err(Error::bug("arguments were not looked at").into());
    };
    let entity: Entity = match of {
        Value::Node(node) => node.id().into(),
        Value::Relationship(relationship) => relationship.id().into(),
        _ => return Err(Error::bug("arguments were not looked at").into()),
    };
    let vector = similarity::vector(vector)?.ok_or_else(|| {
        let message = "a list with null in it is no vector";
        raise(Detail::InvalidArgumentValue, message)
    })?;
    let changed = context.graph.writer()?.set_property(entity, key, vector);
    changed.map_err(refused)?;
    context.counters.properties_set += 1;
    Ok(())
}
