//! `SHOW`: each list is a procedure, so that `YIELD` and `WHERE` work with it as they do with `CALL`.
//!
//! Columns have the names that tools of other engines ask for.
//!
//! | what | where |
//! |---|---|
//! | indexes | `indexes.rs` |
//! | constraints and hierarchies | `constraints.rs` |
//! | functions and procedures | `callables.rs` |

mod callables;
mod constraints;
mod indexes;

use crate::catalog::{Catalog, NameId, Names, Scope};
use crate::query::procedures::{Procedure, ProcedureType};
use crate::value::Value;
use std::sync::Arc;
use stratigraph_query_lang::ast::Shown;
use stratigraph_query_lang::quoted_name;

/// The procedure that lists what is to be shown.
pub(crate) fn shown(what: Shown) -> Arc<Procedure> {
    Arc::new(match what {
        Shown::Indexes => indexes::procedure("show.indexes", None),
        Shown::VectorIndexes => indexes::procedure("show.vectorIndexes", Some("VECTOR")),
        Shown::FulltextIndexes => indexes::procedure("show.fulltextIndexes", Some("FULLTEXT")),
        Shown::RangeIndexes => indexes::procedure("show.rangeIndexes", Some("RANGE")),
        Shown::Constraints => constraints::constraints(),
        Shown::Hierarchies => constraints::hierarchies(),
        Shown::Functions => callables::functions(),
        Shown::Procedures => callables::procedures(),
    })
}

/// A procedure with these columns, that does nothing yet.
fn list(name: &str, columns: &[(&str, ProcedureType)]) -> Procedure {
    let columns = columns.iter();
    columns.fold(Procedure::new(name), |procedure, (column, of)| {
        procedure.yields(*column, *of)
    })
}

/// `NODE` or `RELATIONSHIP`.
fn entity_type(scope: Scope) -> Value {
    let word = if scope.is_node() {
        "NODE"
    } else {
        "RELATIONSHIP"
    };
    Value::from(word)
}

/// The label or the type of a scope, in a list; null if it is about all.
fn labels_or_types(catalog: &Catalog, scope: Scope) -> Value {
    match scope {
        Scope::Label(_) | Scope::Type(_) => Value::from(vec![catalog.scope_name(scope)]),
        Scope::AnyNode | Scope::AnyRelationship => Value::Null,
    }
}

fn strings<I: NameId>(names: &Names<I>, ids: impl IntoIterator<Item = I>) -> Value {
    let ids = ids.into_iter();
    Value::from(ids.map(|id| names.show(id)).collect::<Vec<String>>())
}

/// `(n:Label)` or `()-[n:TYPE]-()`.
fn pattern(catalog: &Catalog, scope: Scope) -> String {
    let name = quoted_name(&catalog.scope_name(scope));
    match scope {
        Scope::Label(_) => format!("(n:{name})"),
        Scope::Type(_) => format!("()-[n:{name}]-()"),
        Scope::AnyNode => "(n)".to_owned(),
        Scope::AnyRelationship => "()-[n]-()".to_owned(),
    }
}

/// `n.a, n.b`.
fn accesses<I: NameId>(names: &Names<I>, ids: impl IntoIterator<Item = I>) -> String {
    let ids = ids.into_iter();
    let ids = ids.map(|id| format!("n.{}", quoted_name(&names.show(id))));
    ids.collect::<Vec<_>>().join(", ")
}
