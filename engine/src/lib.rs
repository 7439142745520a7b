//! Stratigraph: an embedded graph-vector database for retrieval over layered knowledge.
//!
//! Start with [`Database`]: it opens a folder (or lives in memory), hands out snapshots to read from
//! and one write transaction at a time, and backs itself up. [`Read`] is what can be read in both.
//! Nodes have labels and properties, relationships a type, a direction and properties; a
//! relationship type can be declared a hierarchy, whose levels the database keeps.
//!
//! ```
//! use stratigraph::{Database, Direction, Read};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("library");
//! let db = Database::create(&path)?;
//!
//! let mut txn = db.write()?;
//! let book = txn.create_node(["Book"], [("title", "Moby-Dick")])?;
//! let author = txn.create_node(["Person"], [("name", "Herman Melville")])?;
//! txn.create_relationship(author, "WROTE", book, [("year", 1851)])?;
//! txn.commit()?; // durable once it returns
//!
//! let read = db.read()?; // a snapshot: it never changes and never blocks
//! for neighbour in read.neighbours(author, Direction::Outgoing, Some("WROTE"))? {
//!     let title = read.property(neighbour?.node, "title")?;
//!     assert_eq!(title.as_str(), Some("Moby-Dick"));
//! }
//! # Ok::<(), stratigraph::Error>(())
//! ```
//!
//! Below the graph: [`keys`] are transactions over bytes, [`storage`] is the floor with the one table
//! of column families, [`codec`] turns keys and records into bytes. [`algo`] has graph algorithms over
//! in-memory projections.

pub mod algo;
pub mod catalog;
pub mod clock;
pub mod codec;
mod database;
mod error;
pub mod exchange;
pub mod graph;
pub mod index;
pub mod keys;
pub mod query;
pub mod storage;
pub mod value;

pub use database::{
    BackupInfo, BackupManifest, CheckReport, Constraint, ConstraintOn, Database, DatabaseBuilder,
    DatabaseInfo, Declaration, Finding, HierarchyOptions, Index, PrunedBackups, TextIndex,
    VectorIndex, WeakDatabase, list_backups, restore, verify_backup,
};
pub use error::{Cycle, Error, ErrorKind, Result, TimeLimit, Violation, ViolationReason};
pub use exchange::{DumpError, DumpReport, LoadOptions, LoadReport, verify_dump};
pub use graph::{
    BulkLoad, BulkOptions, BulkReport, Direction, Entity, NO_LABELS, NO_PROPERTIES, Neighbour,
    Node, Read, ReadTxn, Relationship, Savepoint, WriteTxn,
};
pub use index::text::{Analysis, TermCount, TextAnswer, TextHit, TextSearch};
pub use index::vector::{
    ServedBy, VectorAnswer, VectorHit, VectorIndexInfo, VectorIndexState, VectorSearch,
};
pub use index::{Fusion, HybridHit};
pub use query::{
    AskedName, BadProcedureType, BudgetUse, ColumnIndex, Counters, Detail, ErrorType, HostCall,
    HostFailure, HostFunction, NameOf, OperatorWork, Parameters, Phase, PlanOperator, PlannerRule,
    Prepared, Procedure, ProcedureField, ProcedureType, QueryError, QueryOptions, Registry, Row,
    Rows, ScoreScale, SearchReport, Summary, TraversalReport,
};
pub use storage::commit::Durability;
pub use storage::files::holder::{Holder, Holders};
pub use stratigraph_vector::{Coding, Effort, How, Kernels, Metric, Strategy};
pub use value::{NodeId, NodeValue, PathValue, RelationshipId, RelationshipValue, Value, Vector};
