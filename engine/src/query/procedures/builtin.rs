//! The engine's own procedures: what tools ask of a database that they see for the first time.
//!
//! Next: `exec/`, which calls them.

use super::procedure::Procedure;
use super::types::ProcedureType;
use crate::query::error::Fault;
use crate::query::exec::Context;
use crate::value::Value;

/// All of them.
pub(super) fn procedures() -> Vec<Procedure> {
    vec![
        Procedure::new("db.labels")
            .about("The labels that nodes have.")
            .yields("label", ProcedureType::STRING)
            .run_in_engine(|context, _| labels(context)),
        Procedure::new("db.relationshipTypes")
            .about("The types that relationships have.")
            .yields("relationshipType", ProcedureType::STRING)
            .run_in_engine(|context, _| relationship_types(context)),
        Procedure::new("db.propertyKeys")
            .about("The names that properties have or had.")
            .yields("propertyKey", ProcedureType::STRING)
            .run_in_engine(|context, _| {
                let names = context.graph.catalog()?.properties.iter();
                Ok(names.map(|(_, name)| vec![name.clone().into()]).collect())
            }),
        Procedure::new("db.ping")
            .about("Whether the database answers: it does.")
            .yields("success", ProcedureType::BOOLEAN)
            .run_in_engine(|_, _| Ok(vec![vec![true.into()]])),
        Procedure::new("dbms.components")
            .about("Which engine this is, and its version.")
            .yields("name", ProcedureType::STRING)
            .yields("versions", ProcedureType::LIST)
            .yields("edition", ProcedureType::STRING)
            .run_in_engine(|_, _| {
                let versions = Value::from(vec![env!("CARGO_PKG_VERSION")]);
                Ok(vec![vec![
                    "Stratigraph".into(),
                    versions,
                    "embedded".into(),
                ]])
            }),
    ]
}

fn labels(context: &Context<'_>) -> Result<Vec<Vec<Value>>, Fault> {
    let mut rows = Vec::new();
    for (_, name) in context.graph.catalog()?.labels.iter() {
        // Names are never forgotten, also when nobody has them any more.
        if context.graph.node_count(Some(name))? > 0 {
            rows.push(vec![name.clone().into()]);
        }
    }
    Ok(rows)
}

fn relationship_types(context: &Context<'_>) -> Result<Vec<Vec<Value>>, Fault> {
    let mut rows = Vec::new();
    for (_, name) in context.graph.catalog()?.types.iter() {
        if context.graph.relationship_count(Some(name))? > 0 {
            rows.push(vec![name.clone().into()]);
        }
    }
    Ok(rows)
}
