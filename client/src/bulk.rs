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

use crate::Error;
use crate::call::{Call, stub};
use crate::client::Client;
use crate::error::Safety;
use crate::value::{Value, Vector, map_to_wire, to_value, vector_to_wire};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stratigraph_proto::v1::bulk_write_request::Part;
use stratigraph_proto::v1::bulk_write_response::Part as Told;
use stratigraph_proto::v1::{self, node_reference};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;

/// How many batches may wait for the connection.
const WAITING_BATCHES: usize = 2;

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
        let (parts, waiting) = mpsc::channel(WAITING_BATCHES);
        let mode = if self.is_load {
            v1::BulkMode::Load
        } else {
            v1::BulkMode::Transaction
        };
        let start = v1::BulkStart {
            database: self.client.database.to_string(),
            mode: mode.into(),
        };
        // There is room for the first part.
        let _ = parts.try_send(request(Part::Start(start)));
        let is_finishing = Arc::new(AtomicBool::new(false));
        let client = self.client.with_timeout(None);
        let send_bytes = client.inner.limits.send_bytes;
        let call = Call::new(&client, Safety::Reads, self.timeout).once();
        let carried = carry(call, waiting, Arc::clone(&is_finishing), self.on_progress);
        BulkWriter {
            parts: Some(parts),
            carrier: tokio::spawn(carried),
            is_finishing,
            // With the last one a batch is larger than was said: twice the size is still a message.
            batch_bytes: self.batch_bytes.min(send_bytes / 2),
            send_bytes: send_bytes / 2,
            batch: Batch::default(),
            references: 0,
            error: None,
        }
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

/// A bulk write under way. One that is dropped before [`BulkWriter::finish`] changes nothing.
#[must_use = "a bulk write that is not finished changes nothing"]
pub struct BulkWriter {
    parts: Option<mpsc::Sender<v1::BulkWriteRequest>>,
    carrier: JoinHandle<Result<BulkVerdict, Error>>,
    /// The last part is on its way: from here on it may be committed.
    is_finishing: Arc<AtomicBool>,
    batch_bytes: usize,
    send_bytes: usize,
    batch: Batch,
    references: u64,
    /// What ended it.
    error: Option<Error>,
}

/// What will go in the next messages.
#[derive(Default)]
struct Batch {
    bytes: usize,
    nodes: Vec<v1::BulkNode>,
    relationships: Vec<v1::BulkRelationship>,
    vectors: Vec<v1::BulkVector>,
}

impl BulkWriter {
    /// Creates a node. Properties are the fields of a structure or what is in a map; `()` is none.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the properties are no properties, [`Error::TooLarge`] if they do not fit into half a message: nothing
    /// was sent of this node, and the write goes on. Any other error ends the write, and nothing has changed.
    pub async fn node<L>(
        &mut self,
        labels: L,
        properties: impl Serialize,
    ) -> Result<BulkNode, Error>
    where
        L: IntoIterator,
        L::Item: Into<String>,
    {
        let reference = self.references + 1;
        let node = v1::BulkNode {
            reference,
            labels: labels.into_iter().map(Into::into).collect(),
            properties: read_properties(&properties)?,
        };
        self.batch.bytes += self.room_for(&node)?;
        self.references = reference;
        self.batch.nodes.push(node);
        self.send_full().await?;
        Ok(BulkNode(Which::Created(reference)))
    }

    /// Creates a relationship.
    ///
    /// # Errors
    /// Those of [`BulkWriter::node`].
    pub async fn relationship(
        &mut self,
        source: BulkNode,
        relationship_type: impl Into<String>,
        target: BulkNode,
        properties: impl Serialize,
    ) -> Result<(), Error> {
        let relationship = v1::BulkRelationship {
            source: Some(source.wire()),
            target: Some(target.wire()),
            r#type: relationship_type.into(),
            properties: read_properties(&properties)?,
        };
        self.batch.bytes += self.room_for(&relationship)?;
        self.batch.relationships.push(relationship);
        self.send_full().await
    }

    /// Makes a vector a property of a node.
    ///
    /// # Errors
    /// Those of [`BulkWriter::node`].
    pub async fn vector(
        &mut self,
        node: BulkNode,
        property: impl Into<String>,
        vector: impl Into<Vec<f32>>,
    ) -> Result<(), Error> {
        let vector = v1::BulkVector {
            node: Some(node.wire()),
            property: property.into(),
            vector: Some(vector_to_wire(Vector(vector.into()))),
        };
        self.batch.bytes += self.room_for(&vector)?;
        self.batch.vectors.push(vector);
        self.send_full().await
    }

    /// Sends what is left, and waits until all of it is durable.
    ///
    /// # Errors
    /// [`Error::OutcomeUnknown`] if the verdict did not come; any other, and nothing has changed.
    pub async fn finish(mut self) -> Result<BulkVerdict, Error> {
        self.check()?;
        self.send_batch().await?;
        self.is_finishing.store(true, Ordering::Release);
        if let Some(parts) = self.parts.take() {
            // A carrier that has gone says why below.
            let _ = parts.send(request(Part::Finish(v1::BulkFinish {}))).await;
        }
        self.verdict().await
    }

    /// How many bytes it takes, if a message can hold it.
    fn room_for(&self, one: &impl prost::Message) -> Result<usize, Error> {
        let (bytes, limit) = (one.encoded_len(), self.send_bytes);
        // What stands around it in a message is less than this.
        if bytes.saturating_add(64) > limit {
            return Err(Error::TooLarge {
                setting: "max_send_bytes",
                problem: format!("one of {bytes} bytes, and the limit is {limit}"),
            });
        }
        Ok(bytes)
    }

    /// What ended it, if something has.
    fn check(&self) -> Result<(), Error> {
        self.error.clone().map_or(Ok(()), Err)
    }

    async fn send_full(&mut self) -> Result<(), Error> {
        self.check()?;
        if self.batch.bytes < self.batch_bytes {
            return Ok(());
        }
        self.send_batch().await
    }

    /// Nodes go first: what is in the same batch may name them.
    async fn send_batch(&mut self) -> Result<(), Error> {
        let Batch {
            nodes,
            relationships,
            vectors,
            ..
        } = std::mem::take(&mut self.batch);
        if !nodes.is_empty() {
            self.send(Part::Nodes(v1::BulkNodes { nodes })).await?;
        }
        if !relationships.is_empty() {
            let relationships = v1::BulkRelationships { relationships };
            self.send(Part::Relationships(relationships)).await?;
        }
        if !vectors.is_empty() {
            self.send(Part::Vectors(v1::BulkVectors { vectors }))
                .await?;
        }
        Ok(())
    }

    async fn send(&mut self, part: Part) -> Result<(), Error> {
        let sent = match &self.parts {
            Some(parts) => parts.send(request(part)).await.is_ok(),
            None => false,
        };
        if sent {
            return Ok(());
        }
        self.parts = None;
        let error = match self.verdict().await {
            Err(error) => error,
            Ok(_) => Error::protocol("a verdict before everything was sent"),
        };
        self.error = Some(error.clone());
        Err(error)
    }

    async fn verdict(&mut self) -> Result<BulkVerdict, Error> {
        (&mut self.carrier).await.unwrap_or_else(|_| {
            // The progress callback, if anything.
            Err(Error::protocol("the task of the bulk write has panicked"))
        })
    }
}

impl Drop for BulkWriter {
    fn drop(&mut self) {
        // The stream is reset, so that the server does not wait for more.
        self.carrier.abort();
    }
}

impl fmt::Debug for BulkWriter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("BulkWriter")
            .field("nodes", &self.references)
            .finish_non_exhaustive()
    }
}

fn request(part: Part) -> v1::BulkWriteRequest {
    v1::BulkWriteRequest { part: Some(part) }
}

fn read_properties(properties: &impl Serialize) -> Result<BTreeMap<String, v1::Value>, Error> {
    let refused = |problem: String| Error::Parameter {
        name: "properties".to_owned(),
        problem,
    };
    let entries = match to_value(properties).map_err(|error| refused(error.to_string()))? {
        Value::Map(mut entries) => {
            // A property that is null is one that is not there.
            entries.retain(|_, value| *value != Value::Null);
            entries
        }
        Value::Null => BTreeMap::new(),
        other => {
            let kind = other.kind();
            return Err(refused(format!(
                "must be a structure or a map, and not {kind}"
            )));
        }
    };
    map_to_wire(entries).map_err(|error| refused(error.to_string()))
}

/// Carries the call to its end.
async fn carry(
    mut call: Call,
    waiting: mpsc::Receiver<v1::BulkWriteRequest>,
    is_finishing: Arc<AtomicBool>,
    mut on_progress: Option<OnProgress>,
) -> Result<BulkVerdict, Error> {
    let attempt = call.attempt();
    let mut stub = stub!(attempt, bulk_service_client::BulkServiceClient);
    let worked = call
        .in_time(async {
            let answer = stub.bulk_write(attempt.stream(ReceiverStream::new(waiting)));
            let mut told = answer.await?.into_inner();
            while let Some(part) = told.next().await {
                match part?.part {
                    Some(Told::Progress(progress)) => {
                        if let Some(on_progress) = &mut on_progress {
                            on_progress(BulkProgress {
                                step: progress.step,
                                nodes: progress.nodes,
                                relationships: progress.relationships,
                                vectors: progress.vectors,
                            });
                        }
                    }
                    Some(Told::Verdict(verdict)) => return Ok(Some(verdict)),
                    None => {}
                }
            }
            Ok(None)
        })
        .await;
    // Before the last part was on its way nothing can have been committed.
    if is_finishing.load(Ordering::Acquire) {
        call.safety = Safety::MayWrite;
    }
    match worked {
        Some(Ok(Some(verdict))) => Ok(BulkVerdict {
            sequence: verdict.sequence,
            nodes: verdict.nodes,
            relationships: verdict.relationships,
            vectors: verdict.vectors,
        }),
        Some(Ok(None)) => {
            let problem = "the server ended the call without a verdict".to_owned();
            Err(match call.safety {
                Safety::MayWrite => Error::OutcomeUnknown {
                    request_id: call.request_id.clone(),
                    problem,
                },
                Safety::Reads => Error::protocol(problem),
            })
        }
        Some(Err(status)) => Err(call.failure(&status).error),
        None => Err(call.too_late()),
    }
}
