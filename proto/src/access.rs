//! Who may call which method, as the `.proto` files say.
//!
//! The table is made by `build.rs` from the option `(stratigraph.v1.access)`.

use crate::v1::Access;

mod table {
    use super::{Access, Method};

    include!(concat!(env!("OUT_DIR"), "/access.rs"));
}

pub use table::METHODS;

/// A method of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its path in HTTP: `/stratigraph.v1.QueryService/Query`.
    pub path: &'static str,
    /// The least that its caller must be allowed to do.
    pub access: Access,
    /// Whether its caller sends a stream.
    pub client_streams: bool,
    /// Whether it answers with a stream.
    pub server_streams: bool,
    /// Its request's place among the shapes.
    pub(crate) request: usize,
}

/// The method with that path; none if it is not one of ours.
#[must_use]
pub fn method(path: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The least of each method, written out by hand: every other test takes it from the table, which a rule that is
    /// lowered in a `.proto` file would lower as well.
    const LEAST: &[(Access, &str, &[&str])] = &[
        (Access::Read, "BulkService", &["ExportDatabase"]),
        (Access::Read, "DatabaseService", &["ListDatabases"]),
        (
            Access::Read,
            "QueryService",
            &[
                "Query",
                "PrepareStatement",
                "ForgetStatement",
                "ListNamedQueries",
            ],
        ),
        (
            Access::Read,
            "RagService",
            &[
                "Retrieve",
                "Ask",
                "VerifyReceipts",
                "ListStale",
                "ListDeclaredQueries",
                "CallDeclaredQuery",
            ],
        ),
        (Access::Read, "SchemaService", &["ShowSchema"]),
        (
            Access::Read,
            "SearchService",
            &["SearchVectors", "SearchText", "SearchBatch"],
        ),
        (
            Access::Read,
            "TransactionService",
            &[
                "BeginTransaction",
                "RunInTransaction",
                "CommitTransaction",
                "RollbackTransaction",
            ],
        ),
        (Access::Write, "BulkService", &["BulkWrite"]),
        (
            Access::Write,
            "QueryService",
            &["SaveNamedQuery", "DropNamedQuery"],
        ),
        (
            Access::Write,
            "RagService",
            &[
                "UpsertDocuments",
                "UpsertTables",
                "DeleteDocuments",
                "Resummarise",
                "Calibrate",
                "DeclareQueries",
                "DropDeclaredQuery",
            ],
        ),
        (
            Access::Write,
            "SchemaService",
            &[
                "CreateIndex",
                "DropIndex",
                "CreateConstraint",
                "DropConstraint",
                "CreateHierarchy",
                "DropHierarchy",
            ],
        ),
        (
            Access::Admin,
            "AdminService",
            &[
                "BackupDatabase",
                "ListBackups",
                "RestoreDatabase",
                "CheckDatabase",
                "CompactDatabase",
                "GetStatistics",
                "ListSlowQueries",
                "ListRunningQueries",
                "KillQuery",
            ],
        ),
        (
            Access::Admin,
            "DatabaseService",
            &["CreateDatabase", "DropDatabase"],
        ),
    ];

    #[test]
    fn every_method_needs_what_is_written_here() {
        let written: BTreeSet<(String, Access)> = LEAST
            .iter()
            .flat_map(|(access, service, names)| {
                let path = move |name| (format!("/stratigraph.v1.{service}/{name}"), *access);
                names.iter().map(path)
            })
            .collect();
        let there: BTreeSet<(String, Access)> = METHODS
            .iter()
            .map(|method| (method.path.to_owned(), method.access))
            .collect();
        let differ: Vec<_> = there.symmetric_difference(&written).collect();
        assert!(differ.is_empty(), "here or there only: {differ:#?}");
    }

    #[test]
    fn every_method_has_a_rule_and_is_found_by_its_path() {
        assert!(METHODS.len() > 30, "{}", METHODS.len());
        for known in METHODS {
            assert_ne!(known.access, Access::Unspecified, "{}", known.path);
            assert_eq!(method(known.path), Some(known));
        }
        let query = method("/stratigraph.v1.QueryService/Query").unwrap();
        assert_eq!(query.access, Access::Read);
        assert!(query.server_streams && !query.client_streams);
        assert!(method("/stratigraph.v1.QueryService/Quern").is_none());
        assert!(method("").is_none());
    }
}
