//! Many nodes, relationships and vectors in one call.
//!
//! ```text
//! node(..), relationship(..), vector(..) ──> batch by bytes ──> a few batches wait ──> connection
//!                                                                                       │
//! finish() <── verdict <── progress <───────────────────────────────────────────────────┘
//! ```
//! A task of its own carries the call. When the server is slower than the writer, the connection stops taking batches,
//! and [`BulkWriter::node`] and its kin wait: memory holds a few batches whatever comes. Nothing is changed before
//! [`BulkWriter::finish`], and everything at once then.
//!
//! `writer.rs` makes batches, `carry.rs` is the task.

mod carry;
mod writer;

pub use writer::BulkWriter;

use crate::client::Client;
use std::fmt;
use std::time::Duration;
use stratigraph_proto::v1::{self, node_reference};

/// A node of a bulk write: one that it creates, or one that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BulkNode(Which);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Which {
    Created(u64),
    Existing(u64),
}

impl BulkNode {
    /// A node that is there, by its id.
    #[must_use]
    pub fn existing(id: u64) -> Self {
        Self(Which::Existing(id))
    }

    /// The node that the same write has created as its `number`th, from 1: for whoever has too many to keep one of these
    /// for each.
    #[must_use]
    pub fn created(number: u64) -> Self {
        Self(Which::Created(number))
    }

    fn wire(self) -> v1::NodeReference {
        v1::NodeReference {
            node: Some(match self.0 {
                Which::Created(reference) => node_reference::Node::Reference(reference),
                Which::Existing(id) => node_reference::Node::Id(id),
            }),
        }
    }
}

/// How far a bulk write is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BulkProgress {
    /// What is being done.
    pub step: String,
    /// Nodes taken in.
    pub nodes: u64,
    /// Relationships taken in.
    pub relationships: u64,
    /// Vectors taken in.
    pub vectors: u64,
}

/// A bulk write is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BulkVerdict {
    /// The commit.
    pub sequence: u64,
    /// Nodes created.
    pub nodes: u64,
    /// Relationships created.
    pub relationships: u64,
    /// Vectors set.
    pub vectors: u64,
}

type OnProgress = Box<dyn FnMut(BulkProgress) + Send>;

/// Settings of a bulk write.
///
/// ```no_run
/// # async fn example(client: stratigraph_client::Client) -> Result<(), stratigraph_client::Error> {
/// #[derive(serde::Serialize)]
/// struct Person {
///     name: String,
/// }
///
/// let mut bulk = client
///     .bulk()
///     .on_progress(|so_far| eprintln!("{} nodes", so_far.nodes))
///     .start();
/// let ada = bulk.node(["Person"], Person { name: "Ada".to_owned() }).await?;
/// let bob = bulk.node(["Person"], Person { name: "Bob".to_owned() }).await?;
/// bulk.relationship(ada, "KNOWS", bob, ()).await?;
/// let verdict = bulk.finish().await?;
/// assert_eq!(verdict.nodes, 2);
/// # Ok(())
/// # }
/// ```
#[must_use = "settings do nothing until the write starts"]
pub struct BulkBuilder {
    client: Client,
    is_load: bool,
    batch_bytes: usize,
    timeout: Option<Duration>,
    on_progress: Option<OnProgress>,
}

impl Client {
    /// Settings for a bulk write.
    pub fn bulk(&self) -> BulkBuilder {
        BulkBuilder {
            client: self.clone(),
            is_load: false,
            batch_bytes: 256 << 10,
            timeout: None,
            on_progress: None,
        }
    }
}

impl BulkBuilder {
    /// Loads beside the log: of any size, only adds nodes and relationships, and holds the writer's place throughout. Without this
    /// it is one transaction, which has to fit into the server's memory limit.
    pub fn load(mut self) -> Self {
        self.is_load = true;
        self
    }

    /// About how many bytes go in one message; 256 KiB if nothing is said.
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.max(1);
        self
    }

    /// How long all of it may take. Unlimited if nothing is said, whatever the client's own limit is.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// What to do when the server says how far it is.
    pub fn on_progress(mut self, on_progress: impl FnMut(BulkProgress) + Send + 'static) -> Self {
        self.on_progress = Some(Box::new(on_progress));
        self
    }

    /// Starts it. Must be called within a tokio runtime.
    pub fn start(self) -> BulkWriter {
        BulkWriter::begin(self)
    }
}

impl fmt::Debug for BulkBuilder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("BulkBuilder")
            .field("client", &self.client)
            .field("is_load", &self.is_load)
            .field("batch_bytes", &self.batch_bytes)
            .finish_non_exhaustive()
    }
}
