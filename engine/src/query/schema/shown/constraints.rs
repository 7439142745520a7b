//! `SHOW CONSTRAINTS` and `SHOW HIERARCHIES`.
//!
//! Next: `callables.rs`.

use super::{accesses, entity_type, labels_or_types, list, pattern, strings};
use crate::catalog::{Catalog, ConstraintDef, Demand, HierarchyDef};
use crate::query::procedures::{Procedure, ProcedureType};
use crate::query::schema::typed::name_of;
use crate::value::Value;
use std::sync::Arc;
use stratigraph_query_lang::quoted_name;

/// The procedure that lists constraints.
pub(super) fn constraints() -> Procedure {
    let columns = [
        ("id", ProcedureType::INTEGER),
        ("name", ProcedureType::STRING),
        ("type", ProcedureType::STRING),
        ("entityType", ProcedureType::STRING),
        ("labelsOrTypes", ProcedureType::LIST),
        ("properties", ProcedureType::LIST),
        ("ownedIndex", ProcedureType::STRING),
        ("propertyType", ProcedureType::STRING),
        ("createStatement", ProcedureType::STRING),
    ];
    let procedure = list("show.constraints", &columns).about("The constraints of the database.");
    procedure.run_in_engine(|context, _| {
        let catalog = context.graph.catalog()?;
        let constraints = catalog.constraints();
        Ok(constraints.map(|of| constraint(catalog, of)).collect())
    })
}

fn constraint(catalog: &Catalog, of: &ConstraintDef) -> Vec<Value> {
    let is_node = of.scope.is_node();
    let named = |node: &'static str, relationship| if is_node { node } else { relationship };
    let (kind, demand) = match &of.demand {
        Demand::Unique => (
            named("UNIQUENESS", "RELATIONSHIP_UNIQUENESS"),
            "IS UNIQUE".to_owned(),
        ),
        Demand::Exists => (
            named("NODE_PROPERTY_EXISTENCE", "RELATIONSHIP_PROPERTY_EXISTENCE"),
            "IS NOT NULL".to_owned(),
        ),
        Demand::Key => (
            named("NODE_KEY", "RELATIONSHIP_KEY"),
            format!("IS {} KEY", named("NODE", "RELATIONSHIP")),
        ),
        Demand::Type(kind) => (
            named("NODE_PROPERTY_TYPE", "RELATIONSHIP_PROPERTY_TYPE"),
            format!("IS :: {}", name_of(*kind)),
        ),
    };
    let index = catalog.proof_of(of.id);
    let property_type = match &of.demand {
        Demand::Type(kind) => Value::from(name_of(*kind)),
        _ => Value::Null,
    };
    let (name, on) = (quoted_name(&of.name), pattern(catalog, of.scope));
    let by = accesses(&catalog.properties, of.properties.iter().copied());
    let statement = format!("CREATE CONSTRAINT {name} FOR {on} REQUIRE ({by}) {demand}");
    vec![
        i64::from(of.id.get()).into(),
        Arc::clone(&of.name).into(),
        kind.into(),
        entity_type(of.scope),
        labels_or_types(catalog, of.scope),
        strings(&catalog.properties, of.properties.iter().copied()),
        index.map_or(Value::Null, |index| Arc::clone(&index.name).into()),
        property_type,
        statement.into(),
    ]
}

/// The procedure that lists hierarchies.
pub(super) fn hierarchies() -> Procedure {
    let columns = [
        ("id", ProcedureType::INTEGER),
        ("name", ProcedureType::STRING),
        // They are declared when they are whole.
        ("state", ProcedureType::STRING),
        ("types", ProcedureType::LIST),
        ("tree", ProcedureType::BOOLEAN),
        ("levels", ProcedureType::INTEGER),
        ("members", ProcedureType::INTEGER),
        ("createStatement", ProcedureType::STRING),
    ];
    let procedure = list("show.hierarchies", &columns).about("The hierarchies of the database.");
    procedure.run_in_engine(|context, _| {
        let catalog = context.graph.catalog()?;
        let mut rows = Vec::new();
        for of in catalog.hierarchies() {
            let (levels, members) = context.graph.hierarchy_size(&of.name)?;
            let types = strings(&catalog.types, [of.relationship_type]);
            rows.push(vec![
                i64::from(of.id.get()).into(),
                Arc::clone(&of.name).into(),
                "ONLINE".into(),
                types,
                of.tree.into(),
                i64::from(levels).into(),
                i64::try_from(members).unwrap_or(i64::MAX).into(),
                hierarchy_statement(catalog, of).into(),
            ]);
        }
        Ok(rows)
    })
}

fn hierarchy_statement(catalog: &Catalog, of: &HierarchyDef) -> String {
    let name = quoted_name(&of.name);
    let of_type = quoted_name(&catalog.types.show(of.relationship_type));
    let tree = if of.tree { " AS TREE" } else { "" };
    format!("CREATE HIERARCHY {name} FOR ()-[:{of_type}]->(){tree}")
}
