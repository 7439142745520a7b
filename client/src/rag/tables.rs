//! A stream of tables, carried by a task of its own: a mapping, the files that it names, and what came of them.

use super::describe::GraphChange;
use crate::Error;
use crate::call::{Call, stub};
use crate::carried::Carried;
use crate::client::Client;
use crate::error::Safety;
use crate::made::{Made, Make};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stratigraph_proto::v1;
use stratigraph_proto::v1::upsert_tables_request::Part;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// How many pieces may wait for the connection.
const WAITING_PIECES: usize = 2;
/// A piece of a file: so that no table needs a large message.
const PIECE_BYTES: usize = 1 << 20;

/// Settings of a stream of tables.
#[must_use = "settings do nothing until the stream starts"]
pub struct TablesBuilder {
    client: Client,
    start: v1::TablesStart,
    timeout: Option<Duration>,
}

/// What came of tables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TablesReport {
    /// Nodes that they state.
    pub nodes: u64,
    /// Relationships that they state.
    pub relationships: u64,
    /// Rows that no rule of the mapping was for.
    pub untaken: u64,
    /// Why rows were left out, with their files and lines: the first of them. The other rows are in.
    pub problems: Vec<String>,
    /// How many problems there are.
    pub count_problems: u64,
    /// What changed in the graph.
    pub change: GraphChange,
    /// The embedder whose vectors there are.
    pub embedder: String,
    /// Why that is not the one that the server was started with, and what a database without layers has become by these
    /// tables, if there is something to tell.
    pub note: Option<String>,
}

impl TablesBuilder {
    pub(super) fn new(client: Client, id: String, mapping: String) -> Self {
        let start = v1::TablesStart {
            database: client.database.to_string(),
            id,
            mapping,
            ..v1::TablesStart::default()
        };
        Self {
            client,
            start,
            timeout: None,
        }
    }

    /// With the server's embedder for a new database, also if it cannot read what rows say.
    pub fn keep_embedder(mut self) -> Self {
        self.start.keep_embedder = true;
        self
    }

    /// Only has them read, and hears what they state.
    pub fn dry_run(mut self) -> Self {
        self.start.dry_run = true;
        self
    }

    /// Also takes out what a file stated that is missing or empty now, or of which all rows are broken, which is refused otherwise.
    pub fn prune(mut self) -> Self {
        self.start.prune = true;
        self
    }

    /// How long all of it may take. Unlimited if nothing is said, whatever the client's own limit is.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Starts it. Must be called within a tokio runtime.
    pub fn start(self) -> Tables {
        let (parts, waiting) = mpsc::channel(WAITING_PIECES);
        // There is room for the first part.
        let _ = parts.try_send(request(Part::Start(self.start)));
        let is_finishing = Arc::new(AtomicBool::new(false));
        let client = self.client.with_timeout(None);
        // With its name a piece is a little more.
        let piece_bytes = PIECE_BYTES.min(client.inner.limits.send_bytes / 2).max(1);
        let call = Call::new(&client, Safety::Reads, self.timeout).once();
        let carried = carry(call, waiting, Arc::clone(&is_finishing));
        Tables {
            parts: Carried::new(parts, tokio::spawn(carried)),
            is_finishing,
            piece_bytes,
        }
    }
}

impl fmt::Debug for TablesBuilder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TablesBuilder")
            .field("client", &self.client)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

/// A stream of tables under way. One that is dropped before [`Tables::finish`] changes nothing.
#[must_use = "a stream of tables that is not finished changes nothing"]
pub struct Tables {
    parts: Carried<v1::UpsertTablesRequest, TablesReport>,
    /// The last part is on its way: from here on it may be committed.
    is_finishing: Arc<AtomicBool>,
    piece_bytes: usize,
}

impl Tables {
    /// Sends a file by the name that the mapping has for it, or the next of its bytes if some were sent before. One of which
    /// nothing is sent is missing, which an empty one is not.
    ///
    /// # Errors
    /// What ended the stream, also that the mapping does not name the file; nothing has changed then.
    pub async fn send(
        &mut self,
        name: impl Into<String>,
        content: impl AsRef<[u8]>,
    ) -> Result<(), Error> {
        let (name, content) = (name.into(), content.as_ref());
        // Of nothing there is one piece, too.
        let (first, rest) = content.split_at(content.len().min(self.piece_bytes));
        for piece in std::iter::once(first).chain(rest.chunks(self.piece_bytes)) {
            let file = v1::TableFile {
                name: name.clone(),
                content: piece.to_vec(),
            };
            self.parts.send(request(Part::File(file))).await?;
        }
        Ok(())
    }

    /// Says that all files are sent, and waits until what they state is durable.
    ///
    /// # Errors
    /// [`Error::OutcomeUnknown`] if the answer did not come; any other, and nothing has changed.
    pub async fn finish(self) -> Result<TablesReport, Error> {
        self.parts.check()?;
        self.is_finishing.store(true, Ordering::Release);
        let last = request(Part::Finish(v1::TablesFinish {}));
        self.parts.finish(last).await
    }
}

impl fmt::Debug for Tables {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Tables").finish_non_exhaustive()
    }
}

/// Carries the call to its end.
async fn carry(
    mut call: Call,
    waiting: mpsc::Receiver<v1::UpsertTablesRequest>,
    is_finishing: Arc<AtomicBool>,
) -> Result<TablesReport, Error> {
    let attempt = call.attempt();
    let mut stub = stub!(attempt, rag_service_client::RagServiceClient);
    let answer = stub.upsert_tables(attempt.stream(ReceiverStream::new(waiting)));
    let answer = call.in_time(answer).await;
    // Before the last part was on its way nothing can have been committed.
    if is_finishing.load(Ordering::Acquire) {
        call.safety = Safety::MayWrite;
    }
    match answer {
        Some(Ok(answer)) => Ok(answer.into_inner().make()),
        Some(Err(status)) => Err(call.failure(&status).error),
        None => Err(call.too_late()),
    }
}

fn request(part: Part) -> v1::UpsertTablesRequest {
    v1::UpsertTablesRequest { part: Some(part) }
}

impl Made<v1::UpsertTablesResponse> for TablesReport {
    fn made_of(sent: v1::UpsertTablesResponse) -> Self {
        Self {
            nodes: sent.nodes,
            relationships: sent.relationships,
            untaken: sent.untaken,
            problems: sent.problems,
            count_problems: sent.count_problems,
            change: sent.change.unwrap_or_default().make(),
            embedder: sent.embedder,
            note: (!sent.note.is_empty()).then_some(sent.note),
        }
    }
}
