//! The indexes that searches ask, by name.
//!
//! Next: `shown/`.

use crate::catalog::{Catalog, TextIndexDef, VectorIndexDef};
use crate::query::error::{Detail, Fault, raise};
use std::sync::Arc;
use stratigraph_query_lang::nearest;

/// The vector index of that name.
pub(crate) fn searched_vectors<'c>(
    catalog: &'c Catalog,
    name: &str,
) -> Result<&'c Arc<VectorIndexDef>, Fault> {
    catalog.vector_index_named(name).ok_or_else(|| {
        let known = catalog.vector_indexes().map(|index| &*index.name);
        let other = kind_of(catalog, name);
        let fault = missing(Detail::VectorIndexNotFound, "vector", name);
        fault.hint(advice(other, nearest(name, known), "SHOW VECTOR INDEXES"))
    })
}

/// The full-text index of that name.
pub(crate) fn searched_text<'c>(
    catalog: &'c Catalog,
    name: &str,
) -> Result<&'c Arc<TextIndexDef>, Fault> {
    catalog.text_index_named(name).ok_or_else(|| {
        let known = catalog.text_indexes().map(|index| &*index.name);
        let other = kind_of(catalog, name);
        let fault = missing(Detail::FulltextIndexNotFound, "full-text", name);
        fault.hint(advice(other, nearest(name, known), "SHOW FULLTEXT INDEXES"))
    })
}

fn missing(detail: Detail, what: &str, name: &str) -> Fault {
    raise(detail, format!("there is no {what} index `{name}`"))
}

/// What has that name, if it is an index of another kind.
fn kind_of(catalog: &Catalog, name: &str) -> Option<&'static str> {
    if catalog.vector_index_named(name).is_some() {
        Some("that is a vector index")
    } else if catalog.text_index_named(name).is_some() {
        Some("that is a full-text index")
    } else if catalog.index_named(name).is_some() {
        Some("that is an index of properties, which a MATCH uses by itself")
    } else {
        None
    }
}

fn advice(other: Option<&str>, near: Option<&str>, list: &str) -> String {
    match (other, near) {
        (Some(other), _) => other.to_owned(),
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => format!("{list} lists them"),
    }
}
