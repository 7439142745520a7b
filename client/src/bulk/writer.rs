//! What puts nodes, relationships and vectors into batches, and waits.

use super::carry::carry;
use super::{BulkBuilder, BulkNode, BulkVerdict, Which};
use crate::Error;
use crate::call::Call;
use crate::carried::Carried;
use crate::error::Safety;
use crate::value::{Value, Vector, map_to_wire, to_value, vector_to_wire};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use stratigraph_proto::v1;
use stratigraph_proto::v1::bulk_write_request::Part;
use tokio::sync::mpsc;

/// How many batches may wait for the connection.
const WAITING_BATCHES: usize = 2;

/// A bulk write under way. One that is dropped before [`BulkWriter::finish`] changes nothing.
#[must_use = "a bulk write that is not finished changes nothing"]
pub struct BulkWriter {
    parts: Carried<v1::BulkWriteRequest, BulkVerdict>,
    /// The last part is on its way: from here on it may be committed.
    is_finishing: Arc<AtomicBool>,
    batch_bytes: usize,
    send_bytes: usize,
    batch: Batch,
    references: u64,
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
    pub(super) fn begin(settings: BulkBuilder) -> Self {
        let (parts, waiting) = mpsc::channel(WAITING_BATCHES);
        let mode = if settings.is_load {
            v1::BulkMode::Load
        } else {
            v1::BulkMode::Transaction
        };
        let start = v1::BulkStart {
            database: settings.client.database.to_string(),
            mode: mode.into(),
        };
        // There is room for the first part.
        let _ = parts.try_send(request(Part::Start(start)));
        let is_finishing = Arc::new(AtomicBool::new(false));
        let client = settings.client.with_timeout(None);
        let send_bytes = client.inner.limits.send_bytes;
        let call = Call::new(&client, Safety::Reads, settings.timeout).once();
        let carried = carry(
            call,
            waiting,
            Arc::clone(&is_finishing),
            settings.on_progress,
        );
        Self {
            parts: Carried::new(parts, tokio::spawn(carried)),
            is_finishing,
            // With the last one a batch is larger than was said: twice the size is still a message.
            batch_bytes: settings.batch_bytes.min(send_bytes / 2),
            send_bytes: send_bytes / 2,
            batch: Batch::default(),
            references: 0,
        }
    }

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
        self.parts.check()?;
        self.send_batch().await?;
        self.is_finishing.store(true, Ordering::Release);
        let last = request(Part::Finish(v1::BulkFinish {}));
        self.parts.finish(last).await
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

    async fn send_full(&mut self) -> Result<(), Error> {
        self.parts.check()?;
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
        self.parts.send(request(part)).await
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
