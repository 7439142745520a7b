//! Transactions over keys: the layer between the storage floor and the graph.
//!
//! [`read`] and [`mod@write`] are the transactions, [`scan`] merges what a transaction has written
//! over what is stored, [`bulk`] adds sorted entries outside the log, [`background`] commits for the
//! database's own threads, and [`only_writer`] tells somebody whether others write as well. All stand on
//! one [`ground`]. They know families and bytes, not what is in them: whoever writes here beside the
//! graph can break what the graph promises, and `check` will say so. It is public for benchmarks,
//! harnesses and tools.

mod background;
mod bulk;
mod ground;
mod meter;
mod only_writer;
mod open_database;
mod read;
mod scan;
mod trial;
mod write;

pub(crate) use background::Background;
pub use bulk::KeyBulkLoad;
pub(crate) use bulk::{RunStream, Workspace, undo_unfinished};
pub(crate) use ground::{Disk, Ground};
pub(crate) use only_writer::OnlyWriter;
pub(crate) use open_database::OpenDatabase;
pub(crate) use read::StoredKeys;
pub use read::{KeyRead, KeyReadTxn};
pub use scan::Scan;
pub(crate) use trial::{KeyWrite, Trial};
pub use write::KeyWriteTxn;
pub(crate) use write::Waiting;

use crate::catalog::GraphState;
use crate::storage::commit;

/// What a transaction reads from: the bytes at one commit, and what the graph knows about them.
pub(crate) type View = commit::View<GraphState>;
