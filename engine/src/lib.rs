//! Stratigraph: an embedded graph-vector database for retrieval over layered knowledge.
//!
//! What stands so far is the storage floor: a database that cannot lose data. Start with
//! [`Database`]: it opens a folder (or lives in memory), hands out snapshots to read from and one
//! write transaction at a time, and backs itself up. [`storage`] is the floor below it, with the one
//! table of column families; [`codec`] turns keys and records into bytes.
//!
//! ```
//! use stratigraph::storage::family::Family;
//! use stratigraph::storage::range::KeyRange;
//! use stratigraph::{Database, Read};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("library");
//! let db = Database::create(&path)?;
//!
//! let mut txn = db.write()?;
//! txn.put(Family::Text, b"chapter 1", b"Call me Ishmael.")?;
//! txn.put(Family::Text, b"chapter 2", b"The Carpet-Bag.")?;
//! txn.commit()?; // durable once it returns
//!
//! let read = db.read()?; // a snapshot: it never changes and never blocks
//! let mut chapters = read.scan(Family::Text, &KeyRange::prefix(b"chapter "))?;
//! while let Some(entry) = chapters.next()? {
//!     println!("{} bytes", entry.value.len());
//! }
//! # Ok::<(), stratigraph::Error>(())
//! ```

pub mod algo;
pub mod clock;
pub mod codec;
mod database;
mod error;
pub mod graph;
pub mod storage;
pub mod value;

pub use database::{
    BackupInfo, BackupManifest, BulkLoad, CheckReport, Database, DatabaseBuilder, DatabaseInfo,
    Finding, Read, ReadTxn, Scan, WriteTxn, list_backups, restore, verify_backup,
};
pub use error::{Error, ErrorKind, Result, TimeLimit};
pub use storage::commit::Durability;
