//! The engine's own procedures: what tools ask of a database that they see for the first time.
//!
//! Those for which that is not all are in files of their own.
//!
//! Next: `search.rs`.

use super::call::call;
use super::procedure::Procedure;
use super::types::ProcedureType;
use super::{graph, search, shapes, statistics, writing};
use crate::query::error::Fault;
use crate::query::exec::Context;
use crate::query::schema::shown;
use crate::value::Value;
use stratigraph_query_lang::ast::Shown;

/// All of them.
pub(super) fn procedures() -> Vec<Procedure> {
    let mut all = basics();
    all.extend(search::procedures());
    all.extend(writing::procedures());
    all.extend(shapes::procedures());
    all.extend(statistics::procedures());
    all.extend(graph::procedures());
    all
}

fn basics() -> Vec<Procedure> {
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
        Procedure::new("dbms.procedures")
            .about("The procedures that can be called.")
            .yields("name", ProcedureType::STRING)
            .yields("signature", ProcedureType::STRING)
            .yields("description", ProcedureType::STRING)
            .run_in_engine(|context, _| listed(context, Shown::Procedures)),
        Procedure::new("dbms.functions")
            .about("The functions that expressions can call.")
            .yields("name", ProcedureType::STRING)
            .yields("signature", ProcedureType::STRING)
            .yields("description", ProcedureType::STRING)
            .run_in_engine(|context, _| listed(context, Shown::Functions)),
    ]
}

/// Name, signature and description out of a longer list.
fn listed(context: &mut Context<'_>, what: Shown) -> Result<Vec<Vec<Value>>, Fault> {
    let list = shown(what);
    let place = |column: &str| list.columns().iter().position(|of| of.name() == column);
    let wanted = ["name", "signature", "description"].map(place);
    let rows = call(context, &list, Vec::new())?;
    let pick = |row: Vec<Value>| {
        let picked = wanted.iter().flatten();
        picked
            .filter_map(|place| row.get(*place).cloned())
            .collect()
    };
    Ok(rows.into_iter().map(pick).collect())
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

#[cfg(test)]
mod tests {
    use crate::database::Database;
    use crate::graph::Read as _;
    use crate::query::procedures::{Procedure, ProcedureType};

    /// The first column of a list, sorted.
    fn first(db: &Database, text: &str) -> Vec<String> {
        let rows = db.query(text, ()).unwrap();
        let mut rows: Vec<String> = rows.map(|row| row.unwrap().get(0).unwrap()).collect();
        rows.sort();
        rows
    }

    #[test]
    fn names_that_nobody_has_any_more_are_not_listed() {
        let db = Database::in_memory().unwrap();
        db.query("CREATE (:A {v: 1})-[:T]->(:B), (:B)-[:U]->(:C)", ())
            .unwrap();
        db.query("MATCH ()-[r:U]->(c) DELETE r, c", ()).unwrap();
        assert_eq!(first(&db, "CALL db.labels()"), ["A", "B"]);
        assert_eq!(first(&db, "CALL db.relationshipTypes"), ["T"]);
        assert_eq!(first(&db, "CALL db.propertyKeys()"), ["v"]);
        assert!(db.read().unwrap().catalog().labels.id("C").is_some());
    }

    #[test]
    fn the_hosts_procedures_are_listed_wherever_a_query_runs() {
        let db = Database::in_memory().unwrap();
        db.register(Procedure::new("my.own").yields("a", ProcedureType::ANY))
            .unwrap();
        let all = first(&db, "SHOW PROCEDURES");
        assert!(all.contains(&"my.own".to_owned()) && all.contains(&"db.ping".to_owned()));
        assert_eq!(first(&db, "CALL dbms.procedures() YIELD name"), all);
        let read = db.read().unwrap();
        let rows = read.query(
            "SHOW PROCEDURES YIELD name WHERE name = 'my.own' RETURN name",
            (),
        );
        assert_eq!(rows.unwrap().count(), 1);
        let mut txn = db.write().unwrap();
        let rows = txn.query(
            "CALL dbms.procedures() YIELD name WHERE name = 'my.own' RETURN name",
            (),
        );
        assert_eq!(rows.unwrap().count(), 1);
        let functions = first(&db, "CALL dbms.functions() YIELD name");
        assert_eq!(functions, first(&db, "SHOW FUNCTIONS"));
        assert!(functions.contains(&"toInteger".to_owned()));
    }
}
