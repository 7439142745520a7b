//! The audit system's own: five types of nodes as a mapping, and a declared query for each shape of question that it
//! answers.

use super::{Declared, RouteError};

/// The mapping of the five types: issues, clauses, documents, contents and focuses, from a table each.
pub const AUDIT_MAPPING: &str = include_str!("../../audit/mapping.toml");
/// The declared queries over them, as TOML.
pub const AUDIT_QUERIES: &str = include_str!("../../audit/queries.toml");

/// The declared queries over the five types: from a finding to its basis, from an area to all of its findings, from a topic
/// to clauses and documents, from a finding to its siblings, and from a document and a topic to clauses.
///
/// ```
/// let names: Vec<String> = stratigraph_rag::routes::audit()?.into_iter().map(|one| one.name).collect();
/// assert_eq!(names.len(), 5);
/// assert_eq!(names[0], "basis_of_finding");
/// # Ok::<(), stratigraph_rag::routes::RouteError>(())
/// ```
///
/// # Errors
/// None: what is shipped can be read, and a test reads it.
pub fn audit() -> Result<Vec<Declared>, RouteError> {
    Declared::parse(AUDIT_QUERIES)
}
