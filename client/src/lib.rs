//! The async client of Stratigraph's gRPC server.
//!
//! ```no_run
//! # async fn example() -> Result<(), stratigraph_client::Error> {
//! use stratigraph_client::Client;
//!
//! let client = Client::connect("http://localhost:7687").await?;
//! let mut rows = client
//!     .query("MATCH (p:Person) WHERE p.born > $year RETURN p.name AS name")
//!     .param("year", 1900)
//!     .read_only()
//!     .rows()
//!     .await?;
//! while let Some(row) = rows.next().await? {
//!     println!("{}", row.get::<&str>("name")?);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! This needs a server and is only compiled: one within this crate's tests would bring the engine, which nothing here may. The example of
//! `README.md` is run against a server, by `cli/tests/command/front.rs`.
//!
//! | what | where |
//! |---|---|
//! | connecting: [`ClientBuilder`], [`Tls`], [`Token`], [`Retry`] | `builder.rs`, `tls.rs`, `token.rs`, `retry.rs` |
//! | one call: metadata, time, attempts | `call.rs` |
//! | a stream to the server | `carried.rs` |
//! | what goes wrong, what to do about it, and whether a call is made again | `error/` |
//! | statements: [`Query`], [`Rows`], [`Row`], [`Summary`], [`Prepared`], [`NamedQueries`] | `query.rs`, `rows.rs`, ... |
//! | transactions: [`Transaction`], and as closures [`Client::write`], [`Client::read`] | `transaction.rs`, `closure.rs` |
//! | many nodes at once: [`BulkWriter`] | `bulk.rs` |
//! | documents and tables: [`Rag`] | `rag/` |
//! | [`Search`], [`Schema`], [`Databases`], [`Admin`] | `search.rs`, `schema/`, `databases.rs`, `admin/` |
//! | values, and serde between them and types | `value/` |
//!
//! What is not here: the engine. This crate links no RocksDB, and a test of its dependencies says so. No type of the
//! generated protocol is in its face either, so the protocol can grow without breaking those who use it.
//!
//! # What is made again
//!
//! A call that failed is made again by itself only where that cannot do anything twice: if it reads, if it did not reach the
//! server, or if the server says that it has done nothing and may be asked again. A call that may have changed something and whose
//! answer did not come gives [`Error::OutcomeUnknown`]. A statement that only reads should say so with
//! [`Query::read_only`]: the client does not read the language.

#![forbid(unsafe_code)]

mod admin;
mod builder;
mod bulk;
mod call;
mod carried;
mod client;
mod closure;
mod databases;
mod error;
mod export;
mod made;
mod prepared;
mod query;
mod rag;
mod retry;
mod row;
mod rows;
mod schema;
mod search;
mod summary;
mod tls;
mod token;
mod transaction;
pub mod value;

pub use admin::{
    Admin, Backup, CheckFinding, CheckReport, CompactReport, FamilyStatistics, Progress,
    RunningQuery, SlowQuery, Statistics,
};
pub use builder::{ClientBuilder, Compression};
pub use bulk::{BulkBuilder, BulkNode, BulkProgress, BulkVerdict, BulkWriter};
pub use client::Client;
pub use databases::{DatabaseDescription, Databases};
pub use error::{Error, ErrorKind, Position, Refusal, StatusCode};
pub use export::{Export, ExportForm, ExportPart, ExportReport};
pub use prepared::{NamedQueries, NamedQuery, Prepared};
pub use query::Query;
pub use rag::{
    Answer, AnswerSentence, AskBuilder, AskEvent, Asking, CalibrateBuilder, Calibration, Called,
    CalledRow, CitedSource, Confidence, DeclaredQueries, DeclaredQuery, DeclaredReport, Document,
    DocumentReport, Found, GraphChange, Layers, ModelBill, NoAnswer, Place, Quantiles, Rag,
    RagProgress, Receipt, ResummariseBuilder, Resummarised, RetrieveBuilder, Retrieved,
    StaleSummaries, Standing, SummaryReport, SummarySubject, Tables, TablesBuilder, TablesReport,
    TracedStage, UpsertBuilder, UpsertOpened, Upserts, WayStep,
};
pub use retry::Retry;
pub use row::Row;
pub use rows::{Rows, TypedRows};
pub use schema::{
    Constraint, ConstraintDescription, ConstraintKind, Hierarchy, HierarchyDescription, Index,
    IndexDescription, IndexKind, Schema, SchemaDescription, SchemaState, Target, VectorMetric,
};
pub use search::{Entity, Hit, Search, SearchAnswer, Searches, TextQuery, VectorQuery};
pub use summary::{
    BudgetUnit, BudgetUse, Counters, Operator, OperatorWork, Provenance, ScoreScale, Summary,
    Traversal,
};
pub use tls::Tls;
pub use token::Token;
pub use transaction::{OpenTransaction, Transaction, TransactionBuilder};
pub use value::Value;
